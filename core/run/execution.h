// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/error_counts.h"
#include "analysis/summary.h"
#include "run/cache_preparation.h"
#include "run/cold_start.h"
#include "run/endpoint.h"
#include "run/kept_traces.h"
#include "run/length_facts.h"
#include "run/point_execution.h"
#include "run/run_steps.h"
#include "target/counter_scraper.h"
#include "target/http_client.h"
#include "target/probe.h"
#include "target/refused_field.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

/// A run as it goes on, on one thread. What comes before the load (files, probe, prompts, cache) is in
/// execution_preparation.cpp, the load and what is told of it in execution.cpp.
class Execution final : public RunSteps
{
public:
    Execution(const Plan& plan, Store& store, const RunOptions& options, RunControl& control,
              std::function<void(const RunEvent&)> onEvent)
        : m_plan(plan), m_store(store), m_options(options), m_control(control), m_notify(std::move(onEvent))
    {
    }

    Result<RunReport> run();

    Status prepare() override;
    std::string salt() const override { return m_body.runSalt; }
    void setSalt(const std::string& salt) override;
    Result<RunId> create() override;
    const Plan& plan() const override { return m_plan; }
    Status setUp(double estimatedS) override;
    const PromptFit& fit() const override { return m_body.fit; }
    Status setFit(const PromptFit& fit) override;
    Result<bool> measurePoint(const PointPlan& point, double restS) override;
    Status settle(const PointPlan& point) override;
    Status warn(const std::string& text) override;
    RunReport finish(const std::optional<Error>& failure) override;

private:
    Status bringUp();
    Status measureCold();
    Status readLengths();
    Status fitLengths(const ProbeResult& target);
    const ReadLengths* readFor(const PointPlan& point) const;
    std::shared_ptr<const LengthSource> lengthsOf(const PointPlan& point) const;
    Result<std::shared_ptr<const RequestSource>> requestsOf(const PointPlan& point) const;
    void noteFields();
    Status noteRequests();
    void setUpPreparation(const ProbeResult& target);
    Status measure();
    Status refine();
    Status findCounters();
    Status waitForIdleEngine();
    int generatorThreads() const;
    Status fitPrompts();
    Status prepareCache(const PointPlan& point);
    Status noteCache();
    Status conclude(const PointPlan& point, const PointMeasurement& measured);
    Status noteStamps(const RecordBatch& batch);
    std::shared_ptr<const RequestSource> withoutRefused(const PointPlan& point, std::string_view refusal);
    Status noteNeighbours();
    Status notePrompts(const PromptFit& fit);
    void tellOperatingPoints();
    void coolDown(const PointPlan& point) const;
    double secondsAfter(const PointPlan& point) const;

    Plan m_plan; ///< with the hashes of the files that were read, and the levels that were added
    Store& m_store;
    const RunOptions m_options;
    RunControl& m_control;
    const std::function<void(const RunEvent&)> m_notify;

    ProbeResult m_target;
    std::vector<ReadLengths> m_lengths;        ///< the different ones
    std::vector<StatedLengths> m_statedLengths; ///< the same before they were cut to the target's context
    std::vector<std::string> m_lengthRemarks;
    int m_longestPrompt = 0; ///< of requests that hang together
    Endpoint m_endpoint;
    std::string m_engine;                     ///< profile of the target
    std::optional<CounterScraper> m_counters; ///< where the server tells any
    std::vector<std::string> m_secrets;
    BodyOptions m_body;
    std::optional<FieldDropper> m_fields; ///< until the target has taken a request
    const EngineProfile* m_profile = nullptr;
    std::unique_ptr<HttpClient> m_http; ///< for what is asked between the points
    std::unique_ptr<CachePreparation> m_cache;
    std::optional<ColdStart> m_coldStart; ///< of a plan that has one, to the end of the run
    std::unique_ptr<LoadGenerator> m_generator;
    CacheFacts m_cacheFacts; ///< of the point that comes
    RunCard m_card;
    nlohmann::json m_environment;
    std::set<std::string> m_warned;
    std::set<std::string> m_stamps;
    std::vector<PointSummary> m_summaries;
    std::map<std::string, std::string> m_operatingPoints; ///< what was last told of each test
    ErrorCounts m_errors;
    RunReport m_report;
};

} // namespace tailmark
