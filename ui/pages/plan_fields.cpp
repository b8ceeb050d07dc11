// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_fields.h"

#include "models/format.h"
#include "style/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QVariant>
#include <QWheelEvent>

#include <cmath>

namespace tailmark::ui {

namespace {

constexpr int kUnitMargin = 8;

} // namespace

PlanLineEdit::PlanLineEdit(QWidget* parent) : QLineEdit(parent) {}

void PlanLineEdit::setUnit(const QString& unit)
{
    m_unit = unit;
    const int width = unit.isEmpty() ? 0 : fontMetrics().horizontalAdvance(unit) + kUnitMargin;
    setTextMargins(0, 0, width, 0);
}

bool PlanLineEdit::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore(); // the window's actions take it
            return true;
        }
    }
    return QLineEdit::event(event);
}

void PlanLineEdit::keyPressEvent(QKeyEvent* event)
{
    if (m_steppable && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down))
        step(event->key() == Qt::Key_Up ? 1 : -1);
    else
        QLineEdit::keyPressEvent(event);
}

void PlanLineEdit::step(int direction)
{
    const std::optional<double> value = parseNumber(text());
    if (!value)
        return;
    const QString shown = text().trimmed();
    const qsizetype point = std::max(shown.lastIndexOf(u'.'), shown.lastIndexOf(u','));
    const double digits = point < 0 ? 0 : static_cast<double>(shown.size() - point - 1);
    const double scale = std::pow(10.0, digits);
    const double next = (std::round(*value * scale) + direction) / scale;
    setText(formatEditable(next));
    emit textEdited(text());
}

void PlanLineEdit::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    if (m_unit.isEmpty())
        return;
    QPainter painter(this);
    painter.setPen(isEnabled() ? themeColours(palette()).secondary : palette().color(QPalette::Text));
    painter.drawText(rect().adjusted(0, 0, -kUnitMargin, 0), Qt::AlignRight | Qt::AlignVCenter, m_unit);
}

PlanComboBox::PlanComboBox(QWidget* parent) : ElidedComboBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
}

void PlanComboBox::wheelEvent(QWheelEvent* event)
{
    if (hasFocus())
        ElidedComboBox::wheelEvent(event);
    else
        event->ignore();
}

PlanElidedLabel::PlanElidedLabel(QWidget* parent) : QLabel(parent)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void PlanElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(themeColours(palette()).secondary);
    painter.drawText(rect(), static_cast<int>(alignment()),
                     fontMetrics().elidedText(text(), Qt::ElideRight, width()));
}

void setProblemMark(QWidget* field, bool problem)
{
    if (field->property("problem").toBool() == problem)
        return;
    field->setProperty("problem", problem);
    field->style()->unpolish(field);
    field->style()->polish(field);
}

} // namespace tailmark::ui
