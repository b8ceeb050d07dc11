// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_form.h"

#include "models/format.h"
#include "plan/validate.h"
#include "style/theme.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString withoutMnemonic(QString label)
{
    return label.remove(u'&');
}

/// `path` is `parent` itself or something inside it.
bool isWithin(const std::string& path, const std::string& parent)
{
    return path.starts_with(parent) &&
           (path.size() == parent.size() || path[parent.size()] == '.' || path[parent.size()] == '[');
}

/// Digits and an exponent that no double holds.
bool isTooLarge(const QString& text)
{
    static const QRegularExpression number(u"^[+-]?\\d+([.,]\\d*)?([eE]\\+?\\d+)?$"_s);
    return number.match(text.trimmed()).hasMatch();
}

} // namespace

QString wholeNumberFromText(const QString& text, qint64 min, qint64 max, qint64& value)
{
    bool ok = false;
    const qint64 read = text.trimmed().toLongLong(&ok);
    if (!ok) {
        const std::optional<double> decimal = parseNumber(text);
        return decimal && std::abs(*decimal) > 9e18
                   ? QCoreApplication::translate("tailmark::ui::PlanForm", "this number is too large")
                   : QCoreApplication::translate("tailmark::ui::PlanForm", "a whole number is expected");
    }
    if (read < min || read > max)
        return QCoreApplication::translate("tailmark::ui::PlanForm", "must be between %1 and %2")
            .arg(min)
            .arg(max);
    value = read;
    return {};
}

QString decimalFromText(const QString& text, double& value)
{
    const std::optional<double> read = parseNumber(text);
    if (!read)
        return isTooLarge(text)
                   ? QCoreApplication::translate("tailmark::ui::PlanForm", "this number is too large")
                   : QCoreApplication::translate("tailmark::ui::PlanForm", "a number is expected");
    value = *read;
    return {};
}

PlanForm::PlanForm(PlanDocument& document, int columns, QWidget* parent)
    : QWidget(parent), m_document(document), m_grid(new QGridLayout(this)), m_columns(columns)
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(12);
    m_grid->setVerticalSpacing(8);
    for (int column = 0; column < columns; ++column)
        m_grid->setColumnStretch(column, 1);
    connect(&document, &PlanDocument::changed, this, &PlanForm::refresh);
    connect(&document, &PlanDocument::replaced, this, [this] {
        for (const auto& cell : m_cells)
            if (cell->forget)
                cell->forget();
    });
}

PlanForm::Cell& PlanForm::addCell(const std::string& path, const QString& label, QWidget* field,
                                  const QString& help, int span)
{
    auto cell = std::make_unique<Cell>();
    cell->path = path;
    cell->span = std::min(span, m_columns);
    cell->label = withoutMnemonic(label);
    cell->help = help;
    cell->field = field;
    cell->box = new QWidget(this);
    auto* column = new QVBoxLayout(cell->box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    const bool checkBox = qobject_cast<QCheckBox*>(field) != nullptr;
    if (!label.isEmpty() && !checkBox) {
        auto* caption = new QLabel(label, cell->box);
        setRole(caption, u"secondary"_s);
        caption->setBuddy(field);
        caption->setToolTip(help);
        column->addWidget(caption);
    } else if (checkBox) {
        column->addStretch(1); // stands at the height of the fields beside it
    }
    column->addWidget(field);
    cell->message = new QLabel(this);
    cell->message->setWordWrap(true);
    cell->message->hide();
    if (!cell->label.isEmpty() && field->accessibleName().isEmpty())
        field->setAccessibleName(cell->label);
    field->setToolTip(help);
    m_cells.push_back(std::move(cell));
    arrange();
    return *m_cells.back();
}

PlanLineEdit* PlanForm::addText(const std::string& path, const QString& label, Read read, Write write,
                                const QString& help, int span)
{
    auto* edit = new PlanLineEdit;
    bindText(addCell(path, label, edit, help, span), edit, std::move(read), std::move(write));
    return edit;
}

PlanComboBox* PlanForm::addEditableChoice(const std::string& path, const QString& label, Read read,
                                          Write write, const QString& help, int span)
{
    auto* combo = new PlanComboBox;
    auto* edit = new PlanLineEdit;
    combo->setEditable(true);
    combo->setLineEdit(edit);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->setCompleter(nullptr);
    bindText(addCell(path, label, combo, help, span), edit, std::move(read), std::move(write));
    connect(combo, &QComboBox::textActivated, edit, &QLineEdit::textEdited);
    return combo;
}

void PlanForm::bindText(Cell& cell, PlanLineEdit* edit, Read read, Write write)
{
    // What was shown when the text was last set, to tell whether the matrix has changed since.
    auto shown = std::make_shared<QString>();
    connect(edit, &QLineEdit::textEdited, this, [this, &cell, write](const QString& text) {
        Matrix next = m_document.matrix();
        const QString problem = write(next, text);
        if (problem.isEmpty())
            m_document.edit(cell.label, fullPath(cell.path), [&next](Matrix& matrix) { matrix = next; });
        m_document.setFieldProblem(fullPath(cell.path), problem);
    });
    // A field that is hidden because its part of the matrix is gone loses the focus and so ends its editing.
    connect(edit, &QLineEdit::editingFinished, this, [this, &cell] {
        if (exists())
            cell.show();
    });
    cell.show = [this, &cell, edit, read, write, shown] {
        const QString text = read(m_document.matrix());
        const bool unchanged = *shown == text;
        *shown = text;
        if (edit->text() == text)
            return;
        Matrix copy = m_document.matrix();
        const QString problem = write(copy, edit->text());
        // While typing, "1." and "1, 2," are on the way to a value; a text that is none waits for the user.
        if (problem.isEmpty() ? edit->hasFocus() && copy == m_document.matrix() && edit->isModified()
                              : unchanged && edit->isModified())
            return;
        edit->setText(text);
        if (!edit->hasFocus())
            edit->setCursorPosition(0); // of a long text the beginning is seen
        m_document.setFieldProblem(fullPath(cell.path), {});
    };
    cell.forget = [edit] { edit->setModified(false); };
}

PlanComboBox* PlanForm::addChoice(const std::string& path, const QString& label,
                                  const std::vector<Choice>& choices, std::function<int(const Matrix&)> read,
                                  std::function<void(Matrix&, int)> write, const QString& help, int span)
{
    auto* combo = new PlanComboBox;
    for (const Choice& choice : choices) {
        combo->addItem(choice.text);
        combo->setItemData(combo->count() - 1, choice.help, Qt::ToolTipRole);
    }
    addChoiceCell(path, label, combo, help, span, std::move(read), std::move(write));
    return combo;
}

void PlanForm::addChoiceCell(const std::string& path, const QString& label, PlanComboBox* combo,
                             const QString& help, int span, std::function<int(const Matrix&)> read,
                             std::function<void(Matrix&, int)> write)
{
    Cell& cell = addCell(path, label, combo, help, span);
    connect(combo, &QComboBox::activated, this, [this, &cell, write](int index) {
        m_document.edit(cell.label, {}, [&](Matrix& matrix) { write(matrix, index); });
    });
    cell.show = [this, combo, read] { combo->setCurrentIndex(read(m_document.matrix())); };
}

void PlanForm::addCheckCell(const std::string& path, QCheckBox* check, const QString& help, int span,
                            std::function<bool(const Matrix&)> read, std::function<void(Matrix&, bool)> write)
{
    Cell& cell = addCell(path, check->text(), check, help, span);
    connect(check, &QCheckBox::clicked, this, [this, &cell, write](bool on) {
        m_document.edit(cell.label, {}, [&](Matrix& matrix) { write(matrix, on); });
    });
    cell.show = [this, check, read] { check->setChecked(read(m_document.matrix())); };
}

std::string PlanForm::fullPath(const std::string& path) const
{
    return m_prefix.empty() ? path : m_prefix + "." + path;
}

const PlanForm::Cell* PlanForm::cellFor(const std::string& path) const
{
    const Cell* best = nullptr;
    for (const auto& cell : m_cells)
        if (cell->visible && !cell->path.empty() && isWithin(path, fullPath(cell->path)) &&
            (!best || cell->path.size() > best->path.size()))
            best = cell.get();
    return best;
}

void PlanForm::setPathPrefix(const std::string& prefix)
{
    if (m_prefix == prefix)
        return;
    for (const auto& cell : m_cells) // a text that is no value belongs to the part that is left
        m_document.setFieldProblem(fullPath(cell->path), {});
    m_prefix = prefix;
}

void PlanForm::setFieldVisible(const std::string& path, bool visible)
{
    for (const auto& cell : m_cells) {
        if (cell->path != path || cell->visible == visible)
            continue;
        cell->visible = visible;
        if (!visible)
            m_document.setFieldProblem(fullPath(path), {});
        arrange();
    }
}

void PlanForm::arrange()
{
    int row = 0;
    int column = 0;
    for (const auto& cell : m_cells)
        m_grid->removeWidget(cell->box);
    for (const auto& cell : m_cells) {
        cell->box->setVisible(cell->visible);
        if (!cell->visible)
            continue;
        if (column + cell->span > m_columns) {
            ++row;
            column = 0;
        }
        cell->row = row;
        cell->column = column;
        m_grid->addWidget(cell->box, 2 * row, column, 1, cell->span);
        column += cell->span;
    }
    arrangeMessages();
}

/// Below its field, as wide as the row's other messages leave room.
void PlanForm::arrangeMessages()
{
    std::vector<const Cell*> speaking;
    for (const auto& cell : m_cells) {
        m_grid->removeWidget(cell->message);
        const bool speaks = cell->visible && !cell->message->text().isEmpty();
        cell->message->setVisible(speaks);
        if (speaks)
            speaking.push_back(cell.get());
    }
    for (std::size_t i = 0; i < speaking.size(); ++i) {
        const Cell& cell = *speaking[i];
        const bool first = i == 0 || speaking[i - 1]->row != cell.row;
        const bool last = i + 1 == speaking.size() || speaking[i + 1]->row != cell.row;
        const int end = last ? m_columns : speaking[i + 1]->column;
        const bool narrow = first && (end - cell.column) * 2 < m_columns;
        const int begin = narrow ? 0 : cell.column;
        cell.message->setAlignment(narrow ? Qt::AlignRight : Qt::AlignLeft);
        m_grid->addWidget(cell.message, 2 * cell.row + 1, begin, 1, end - begin);
    }
}

bool PlanForm::focusField(const std::string& path)
{
    const Cell* cell = exists() ? cellFor(path) : nullptr;
    if (!cell)
        return false;
    QWidget* field = cell->field;
    for (QWidget* parent = parentWidget(); parent; parent = parent->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(parent))
            area->ensureWidgetVisible(cell->box, 16, 48);
    field->setFocus(Qt::OtherFocusReason);
    if (auto* edit = qobject_cast<QLineEdit*>(field))
        edit->selectAll();
    return true;
}

int PlanForm::severity() const
{
    int worst = 0;
    for (const Finding& finding : m_document.findings())
        if (exists() && cellFor(finding.path))
            worst = std::max(worst, finding.severity == Finding::Severity::Error ? 2 : 1);
    return worst;
}

void PlanForm::setExists(std::function<bool(const Matrix&)> exists)
{
    m_exists = std::move(exists);
    setEnabled(this->exists());
}

void PlanForm::refresh()
{
    setEnabled(exists());
    if (!exists())
        return;
    for (const auto& cell : m_cells)
        if (cell->show)
            cell->show();
    showFindings();
}

void PlanForm::showFindings()
{
    for (const auto& cell : m_cells) {
        QStringList errors;
        QStringList remarks;
        for (const Finding& finding : m_document.findings()) {
            if (cellFor(finding.path) != cell.get())
                continue;
            (finding.severity == Finding::Severity::Error ? errors : remarks)
                << QString::fromStdString(finding.message);
        }
        setProblemMark(cell->field, !errors.isEmpty());
        const QStringList& texts = errors.isEmpty() ? remarks : errors;
        setRole(cell->message, errors.isEmpty() ? u"warning"_s : u"error"_s);
        cell->message->setText(texts.join(u'\n'));
        cell->field->setToolTip(texts.isEmpty() ? cell->help
                                                : (texts + QStringList{cell->help}).join(u'\n').trimmed());
        cell->field->setAccessibleDescription(texts.isEmpty() ? cell->help : texts.join(u' '));
    }
    arrangeMessages();
}

} // namespace tailmark::ui
