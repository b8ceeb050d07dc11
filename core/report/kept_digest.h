// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_digest.h"
#include "analysis/summary.h"
#include "store/store.h"

#include <optional>
#include <string_view>

namespace tailmark {

/// Which digests may be read: what another version worked out, this one may say otherwise. The number behind the version of
/// the program goes up with every change of what a summary says or of the bytes of a digest.
inline constexpr std::string_view kDigestVersion = TAILMARK_VERSION "/1";

/// What the store keeps of a point that has ended, so that another SLO needs no records of it.
struct KeptDigest
{
    PointSummary summary; ///< under the SLO of the run's own matrix
    PointDigest requests; ///< with a column for each metric that was asked for
};
/// Nothing where it is not kept, or not by this version. `slo` is one that digests answer.
std::optional<KeptDigest> readDigest(const Store& store, RunId run, const PointPlan& point, const Slo& slo);
/// `summary` as summarize() made it of these under the SLO of the run's own matrix, once they are in the store.
Status keepDigest(Store& store, RunId run, const PointSummary& summary, const RecordBatch& records,
                  const PointFacts& facts);

} // namespace tailmark
