// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_section.h"

class QPushButton;

namespace tailmark::ui {

class PlanMixRows;
class WorkloadPreview;
class WorkloadView;

/// What is asked: lengths (fixed, or the pairs of a trace file, which may be dropped here), shared prefixes,
/// output and cache policy, sampling; and what the lengths look like.
class PlanWorkloadSection : public PlanSection
{
    Q_OBJECT

public:
    PlanWorkloadSection(PlanDocument& document, WorkloadPreview& preview, QWidget* parent = nullptr);

    /// Looks at a trace file with the user, and makes it the source of the lengths.
    void importTrace(const QString& path);

public slots:
    /// Asks for the file first.
    void browse();

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void addLengths();
    void addPolicies();
    void showFields();
    void showPreview();
    void showProgress();

    WorkloadPreview& m_preview;
    PlanForm* m_lengths;
    PlanForm* m_prefix;
    PlanMixRows* m_mix;
    QLabel* m_state;
    QPushButton* m_reading; ///< stops it, or begins it again
    WorkloadView* m_view;
};

} // namespace tailmark::ui
