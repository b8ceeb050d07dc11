// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/format.h"
#include "pages/plan_document.h"
#include "pages/plan_fields.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QWidget>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tailmark::ui {

/// One of the values that a field offers.
struct Choice
{
    QString text;
    QString help;
};

/// One of the ids that a field offers ("vllm").
struct IdChoice
{
    std::string id;
    QString text;
    QString help;
};

/// Labelled fields bound to values of the document's matrix: a grid of cells, in each a label, below it the
/// field, below that what is wrong with the value. The form writes through PlanDocument::edit() while the
/// user types and shows whatever the matrix holds after that; a text that is no value stays in its field with
/// the reason.
class PlanForm : public QWidget
{
    Q_OBJECT

public:
    PlanForm(PlanDocument& document, int columns, QWidget* parent = nullptr);

    using Read = std::function<QString(const Matrix&)>;
    using Write = std::function<QString(Matrix&, const QString&)>; ///< what is wrong with the text; empty =
                                                                   ///< it was written

    // Fields. `path`: the key path that findings name, after the prefix; `span`: columns of the grid.
    PlanLineEdit* addText(const std::string& path, const QString& label, Read read, Write write,
                          const QString& help = {}, int span = 1);
    /// A text that may also be picked from a list, which the caller fills.
    PlanComboBox* addEditableChoice(const std::string& path, const QString& label, Read read, Write write,
                                    const QString& help = {}, int span = 1);
    /// `access`: generic callable from a Matrix (const or not) to a reference to the number or string.
    template <typename Access>
    PlanLineEdit* addNumber(const std::string& path, const QString& label, const QString& unit, Access access,
                            const QString& help = {}, int span = 1);
    template <typename Access>
    PlanLineEdit* addString(const std::string& path, const QString& label, Access access,
                            const QString& help = {}, int span = 1);
    /// `access` gives an enum whose values are 0, 1, … in the order of the choices.
    template <typename Access>
    PlanComboBox* addChoice(const std::string& path, const QString& label, const std::vector<Choice>& choices,
                            Access access, const QString& help = {}, int span = 1);
    /// The same for what is no enum by itself: the index of the choice, and what choosing one does.
    PlanComboBox* addChoice(const std::string& path, const QString& label, const std::vector<Choice>& choices,
                            std::function<int(const Matrix&)> read, std::function<void(Matrix&, int)> write,
                            const QString& help = {}, int span = 1);
    /// `access` gives a string that is one of the ids.
    template <typename Access>
    PlanComboBox* addIdChoice(const std::string& path, const QString& label,
                              const std::vector<IdChoice>& choices, Access access, const QString& help = {},
                              int span = 1);
    template <typename Access>
    QCheckBox* addCheck(const std::string& path, const QString& label, Access access,
                        const QString& help = {}, int span = 1);
    /// Put before every path, with a dot: the form is about that part of the matrix.
    void setPathPrefix(const std::string& prefix);
    void setFieldVisible(const std::string& path, bool visible);
    /// Puts the focus into the field that a finding's path is about; false where the form has none.
    bool focusField(const std::string& path);
    bool hasField(const std::string& path) const { return cellFor(path) != nullptr; }
    /// The worst there is to say about the form's fields: 2 an error, 1 a remark.
    int severity() const;
    /// What the fields are about is not always there (a test, a limit): without it the form is off and reads
    /// nothing.
    void setExists(std::function<bool(const Matrix&)> exists);

public slots:
    void refresh();

private:
    struct Cell
    {
        std::string path;
        int span = 1;
        bool visible = true;
        int row = 0; ///< of the fields; messages stand in rows of their own between them
        int column = 0;
        QWidget* box = nullptr;
        QWidget* field = nullptr;
        QLabel* message = nullptr;
        QString label; ///< without mnemonic; names the undo step
        QString help;
        std::function<void()> show;   ///< value of the matrix -> field
        std::function<void()> forget; ///< a text that waits for the user is of no more use
    };

    Cell& addCell(const std::string& path, const QString& label, QWidget* field, const QString& help,
                  int span);
    void bindText(Cell& cell, PlanLineEdit* edit, Read read, Write write);
    void addChoiceCell(const std::string& path, const QString& label, PlanComboBox* combo,
                       const QString& help, int span, std::function<int(const Matrix&)> read,
                       std::function<void(Matrix&, int)> write);
    void addCheckCell(const std::string& path, QCheckBox* check, const QString& help, int span,
                      std::function<bool(const Matrix&)> read, std::function<void(Matrix&, bool)> write);
    std::string fullPath(const std::string& path) const;
    const Cell* cellFor(const std::string& fullPath) const;
    void arrange();
    void arrangeMessages();
    void showFindings();
    bool exists() const { return !m_exists || m_exists(m_document.matrix()); }

    PlanDocument& m_document;
    QGridLayout* m_grid;
    int m_columns;
    std::function<bool(const Matrix&)> m_exists;
    std::string m_prefix;
    std::vector<std::unique_ptr<Cell>> m_cells;
};

/// Text -> whole or decimal number within the range of T; a problem in words where it is none.
QString wholeNumberFromText(const QString& text, qint64 min, qint64 max, qint64& value);
QString decimalFromText(const QString& text, double& value);

template <typename Access>
PlanLineEdit* PlanForm::addNumber(const std::string& path, const QString& label, const QString& unit,
                                  Access access, const QString& help, int span)
{
    using T = std::remove_cvref_t<decltype(access(std::declval<Matrix&>()))>;
    const auto read = [access](const Matrix& matrix) -> QString {
        if constexpr (std::is_integral_v<T>)
            return QString::number(access(matrix));
        else
            return formatEditable(access(matrix));
    };
    const auto write = [access](Matrix& matrix, const QString& text) -> QString {
        if constexpr (std::is_integral_v<T>) {
            qint64 value = 0;
            constexpr qint64 max = sizeof(T) < sizeof(qint64) ? std::numeric_limits<T>::max()
                                                              : std::numeric_limits<qint64>::max();
            constexpr qint64 min =
                std::is_signed_v<T> ? static_cast<qint64>(std::numeric_limits<T>::min()) : 0;
            QString problem = wholeNumberFromText(text, min, max, value);
            if (problem.isEmpty())
                access(matrix) = static_cast<T>(value);
            return problem;
        } else {
            return decimalFromText(text, access(matrix));
        }
    };
    PlanLineEdit* field = addText(path, label, read, write, help, span);
    field->setUnit(unit);
    field->setSteppable(true);
    return field;
}

template <typename Access>
PlanLineEdit* PlanForm::addString(const std::string& path, const QString& label, Access access,
                                  const QString& help, int span)
{
    return addText(
        path, label, [access](const Matrix& matrix) { return QString::fromStdString(access(matrix)); },
        [access](Matrix& matrix, const QString& text) {
            access(matrix) = text.trimmed().toStdString();
            return QString();
        },
        help, span);
}

template <typename Access>
PlanComboBox* PlanForm::addChoice(const std::string& path, const QString& label,
                                  const std::vector<Choice>& choices, Access access, const QString& help,
                                  int span)
{
    using T = std::remove_cvref_t<decltype(access(std::declval<Matrix&>()))>;
    return addChoice(
        path, label, choices, [access](const Matrix& matrix) { return static_cast<int>(access(matrix)); },
        [access](Matrix& matrix, int index) { access(matrix) = static_cast<T>(index); }, help, span);
}

template <typename Access>
PlanComboBox* PlanForm::addIdChoice(const std::string& path, const QString& label,
                                    const std::vector<IdChoice>& choices, Access access, const QString& help,
                                    int span)
{
    auto* combo = new PlanComboBox;
    for (const IdChoice& choice : choices) {
        combo->addItem(choice.text, QString::fromStdString(choice.id));
        combo->setItemData(combo->count() - 1, choice.help, Qt::ToolTipRole);
    }
    addChoiceCell(
        path, label, combo, help, span,
        [access, combo](const Matrix& matrix) {
            return combo->findData(QString::fromStdString(access(matrix)));
        },
        [access, combo](Matrix& matrix, int index) {
            access(matrix) = combo->itemData(index).toString().toStdString();
        });
    return combo;
}

template <typename Access>
QCheckBox* PlanForm::addCheck(const std::string& path, const QString& label, Access access,
                              const QString& help, int span)
{
    auto* check = new QCheckBox(label);
    addCheckCell(
        path, check, help, span, [access](const Matrix& matrix) { return static_cast<bool>(access(matrix)); },
        [access](Matrix& matrix, bool on) { access(matrix) = on; });
    return check;
}

} // namespace tailmark::ui
