// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/step_time.h"

#include <algorithm>

namespace tailmark::sim {

double stepTimeMs(const Profile& p, const StepLoad& load)
{
    const double matrices =
        std::max(p.decode.c0, p.prefill.p1 * (load.prefillTokens + load.decodeTokens) / 1e3);
    const double attention =
        p.prefill.p2 * load.prefillAttention / 1e6 + p.decode.cK * load.decodeContext / 1e6;
    const double host =
        p.stepOverheadMs + p.decode.cB * load.decodeSequences + p.perTokenMs * load.tokensEmitted;
    return matrices + attention + host + p.speculative.draftMs * load.draftedPositions;
}

} // namespace tailmark::sim
