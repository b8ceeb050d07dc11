// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sim/profile.h"

namespace tailmark::sim {

/// What one forward pass computes. A mixed batch has both parts.
struct StepLoad
{
    double prefillTokens = 0;    ///< prompt tokens (and recomputed ones) of all chunks
    double prefillAttention = 0; ///< sum over the chunks of (past + chunk)² − past², in tokens²
    int decodeSequences = 0;
    double decodeTokens = 0;  ///< one for each sequence, and the drafts to verify
    double decodeContext = 0; ///< sum of the contexts of the decoding sequences, in tokens
    int draftedPositions = 0; ///< most drafts of any sequence
    int tokensEmitted = 0;    ///< most tokens any request gets from this step
};

/// Time of the pass without jitter, in ms, for T thousand prompt tokens, A million tokens² of prompt
/// attention, D thousand decode tokens, B decoding sequences with K million tokens of context:
///     max(c0, p1·(T + D)) + p2·A + cB·B + cK·K + step overhead + drafting + per_token·(tokens emitted per
///     request)
/// The weights are read once for all of them, and the matrix products are bound either by that read (c0) or
/// by arithmetic (p1): the roofline. Chunks of a prompt add up to p2·T² whatever their sizes.
double stepTimeMs(const Profile& profile, const StepLoad& load);

} // namespace tailmark::sim
