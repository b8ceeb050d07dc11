// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/findings_model.h"

#include <QWidget>

class QLabel;
class QListView;
class QToolButton;

namespace tailmark::ui {

/// Everything there is to say about the matrix: a line with the counts, and the list, which can be folded.
/// Choosing one goes to its field.
class PlanFindingsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit PlanFindingsPanel(QWidget* parent = nullptr);

    void setFindings(const std::vector<Finding>& findings);
    bool isExpanded() const;
    void setExpanded(bool expanded);

signals:
    void chosen(const QString& path);

private:
    FindingsModel* m_model;
    QToolButton* m_head;
    QLabel* m_mark;
    QListView* m_list;
};

} // namespace tailmark::ui
