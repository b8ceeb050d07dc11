// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/point_digest.h"
#include "analysis/summary.h"
#include "store/store.h"

#include <optional>
#include <string_view>

namespace tailmark {

/// Names the sources that make a summary and its bytes. Only digests with this name are read: what others worked out, this
/// program may say otherwise.
std::string_view summaryVersion();

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
