// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_form.h"

#include <QFrame>
#include <QVBoxLayout>

#include <functional>
#include <map>
#include <string>
#include <vector>

class QLabel;
class QToolButton;

namespace tailmark::ui {

/// A titled card of the Plan page that can be folded to one line. Folded or not, its head says the gist and
/// whether something inside is wrong.
class PlanSection : public QFrame
{
    Q_OBJECT

public:
    PlanSection(const QString& title, PlanDocument& document, QWidget* parent = nullptr);

    void setExpanded(bool expanded);
    bool isExpanded() const;
    /// Unfolds itself and puts the focus into the field; false where no form of the section has it.
    bool focusField(const std::string& path);
    /// The gist, at the right of the head.
    void setSummary(std::function<QString(const Matrix&)> summary) { m_summaryOf = std::move(summary); }
    PlanForm* addForm(int columns);
    /// A form below a line that shows and hides it: what is rarely needed.
    PlanForm* addFoldedForm(const QString& title, int columns);

protected:
    PlanDocument& document() { return m_document; }
    QVBoxLayout* body() { return m_body; }
    /// What is added from now on stands in this part, which can be hidden as a whole.
    void beginPart(QWidget* part);
    /// For forms that sit in a layout of their own.
    void watch(PlanForm* form) { m_forms.push_back(form); }
    void forget(PlanForm* form) { std::erase(m_forms, form); }

private:
    void refresh();

    PlanDocument& m_document;
    std::function<QString(const Matrix&)> m_summaryOf;
    QToolButton* m_head;
    PlanElidedLabel* m_summary;
    QLabel* m_mark;
    QWidget* m_content;
    QVBoxLayout* m_body;
    std::vector<PlanForm*> m_forms;
    std::map<PlanForm*, QToolButton*> m_folds;
};

} // namespace tailmark::ui
