// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "load/load_generator.h"
#include "plan/plan.h"
#include "record/point_facts.h"
#include "run/run_event.h"
#include "run/runner.h"
#include "target/engine_profiles.h"
#include "target/http_client.h"
#include "workload/prompt.h"

#include <functional>
#include <string>
#include <vector>

namespace tailmark {

/// Brings the target's prefix cache into the state that the matrix states, before each point. Cold: what the
/// salted prompts do not keep out is dropped through the engine's reset endpoint, where it has one. Warm: the
/// shared prefixes are sent once by the load generator; these requests are measured nowhere. As it is: nothing.
/// That a reset or a pass was made proves nothing: the point's own cached tokens do (analysis/cache_state.h).
class CachePreparation
{
public:
    /// `slots`: of engines whose caches are reset slot by slot.
    CachePreparation(HttpClient& http, const Matrix& matrix, const EngineProfile& profile,
                     const BodyOptions& body, int slots);

    /// Blocks until it is done, the user stops or skips, or the time for it is over. Errors: those of the
    /// generator.
    Result<CacheFacts> prepare(const PointPlan& point, LoadGenerator& generator, RunControl& control,
                               const std::function<void(const RunEvent&)>& notify);
    /// What went wrong since the last call, in words.
    std::vector<std::string> takeNotes() { return std::exchange(m_notes, {}); }

private:
    std::string reset(RunControl& control);
    Result<std::string> prime(const PointPlan& point, LoadGenerator& generator, RunControl& control,
                              const std::function<void(const RunEvent&)>& notify);

    HttpClient& m_http;
    const Matrix& m_matrix;
    const EngineProfile& m_profile;
    const BodyOptions& m_body;
    int m_slots;
    bool m_noReset; ///< there is none, or it has refused for good
    std::vector<std::string> m_notes;
};

} // namespace tailmark
