// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "style/elided_combo_box.h"

#include <QLabel>
#include <QLineEdit>
#include <QString>

namespace tailmark::ui {

/// A line of text that leaves undo and redo to the matrix's own stack, so that there is one history and not
/// one a field. A unit stands inside at the right; Up and Down step a whole number or a decimal by one in its
/// last digit.
class PlanLineEdit : public QLineEdit
{
    Q_OBJECT

public:
    explicit PlanLineEdit(QWidget* parent = nullptr);
    void setUnit(const QString& unit);
    void setSteppable(bool steppable) { m_steppable = steppable; }

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void step(int direction);

    QString m_unit;
    bool m_steppable = false;
};

/// A combo box that the wheel changes only while it has the focus, so that scrolling a form edits nothing.
class PlanComboBox : public ElidedComboBox
{
    Q_OBJECT

public:
    explicit PlanComboBox(QWidget* parent = nullptr);

protected:
    void wheelEvent(QWheelEvent* event) override;
};

/// A line of text that is cut with an ellipsis where it does not fit.
class PlanElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit PlanElidedLabel(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// Marks a field as wrong (red) or not; the style sheet knows how that looks.
void setProblemMark(QWidget* field, bool problem);

} // namespace tailmark::ui
