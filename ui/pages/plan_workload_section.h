// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pages/plan_section.h"

namespace tailmark::ui {

class WorkloadPreview;

/// What is asked: lengths (fixed, or the pairs of a trace file, which may be dropped here), shared prefixes,
/// output and cache policy, sampling; and what the lengths look like.
class PlanWorkloadSection : public PlanSection
{
    Q_OBJECT

public:
    PlanWorkloadSection(PlanDocument& document, WorkloadPreview& preview, QWidget* parent = nullptr);

    /// Makes a trace file the source of the lengths.
    void setTrace(const QString& path);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void browse();
    void showPreview();

    WorkloadPreview& m_preview;
    PlanForm* m_lengths;
    PlanForm* m_prefix;
    QLabel* m_text;
};

} // namespace tailmark::ui
