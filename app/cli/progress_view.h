// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plan/plan.h"
#include "run/run_event.h"

#include <string>

namespace tailmark::cli {

/// Tells a person on standard error how a run goes: on a terminal one line that is rewritten, else a plain
/// line now and then.
class ProgressView
{
public:
    explicit ProgressView(const Plan& plan);
    ~ProgressView(); ///< leaves the cursor on a line of its own

    /// `side`: whose event it is, of a pair.
    void show(const RunEvent& event, std::optional<Side> side = {});

private:
    void print(const std::string& line); ///< a line that stays
    void show(const Preparation& preparation);
    void show(const Progress& progress);
    std::string pointText() const;
    std::string phaseText(double elapsedS) const;

    const Plan& m_plan;
    PointStarted m_point; ///< the running one, which may have been added to the plan
    int m_points = 0;     ///< of the run
    bool m_terminal;
    bool m_lineOpen = false;
    std::string m_side; ///< before every line of a pair
    std::string m_preparing; ///< what was last printed as being prepared
    double m_toldAtS = 0;    ///< of the point, when the last plain line was printed
    LoadSnapshot m_rateFrom; ///< rates are over the time since this snapshot
    double m_sentPerS = 0, m_completedPerS = 0;
};

} // namespace tailmark::cli
