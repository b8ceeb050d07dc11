// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/request_entries.h"

#include "base/sha256.h"
#include "plan/request_extras.h"
#include "run/kept_traces.h"
#include "target/secrets.h"
#include "workload/prompt_file.h"
#include "workload/prompt_writer.h"
#include "workload/request_body.h"

#include <cmath>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

constexpr const char* kPrefix = "request.";
constexpr std::size_t kShortBytes = 100;
constexpr std::size_t kMostListed = 4;

std::string shownValue(const std::string& field, const nlohmann::json& value)
{
    nlohmann::json safe = {{field, value}};
    hideSecrets(safe);
    const nlohmann::json& shown = safe.at(field);
    const std::string text = shown.is_string() ? shown.get<std::string>()
                                               : shown.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (text.size() <= kShortBytes && text.find_first_of("\r\n") == std::string::npos)
        return text;
    Sha256 hash;
    hash.add(text);
    return std::string(shown.is_array()    ? "list of " + std::to_string(shown.size())
                       : shown.is_object() ? "object"
                                           : "text") +
           ", " + std::to_string(text.size()) + " bytes, sha256 " + hash.hex().substr(0, 12);
}

/// The values of one field and how much of the requests has each.
using Shares = std::vector<std::pair<std::string, double>>;

void add(Shares& shares, const std::string& value, double share)
{
    for (auto& [known, sum] : shares)
        if (known == value) {
            sum += share;
            return;
        }
    shares.emplace_back(value, share);
}

std::string sharesText(const Shares& shares)
{
    double given = 0;
    for (const auto& [value, share] : shares)
        given += share;
    if (shares.size() == 1 && given > 1 - 1e-9)
        return shares.front().first;
    std::string text;
    std::size_t listed = 0;
    for (const auto& [value, share] : shares)
        if (++listed <= kMostListed)
            text += (text.empty() ? "" : ", ") + value + " in " + std::to_string(std::lround(100 * share)) + " %";
    return shares.size() > kMostListed ? text + " and " + std::to_string(shares.size() - kMostListed) + " more" : text;
}

std::string imagesText(const Images& images)
{
    const std::string size =
        std::to_string(images.widthPx) + " x " + std::to_string(images.heightPx) + " pixels, made for each request";
    return std::to_string(images.count) + ", " + (images.file.empty() ? size : "each the same picture of a file");
}

} // namespace

std::map<std::string, std::string>
requestEntries(const Plan& plan, const BodyOptions& body,
               const std::function<const ReadLengths*(const PointPlan&)>& readFor)
{
    const Workload& workload = plan.matrix.workload;
    nlohmann::json own = nlohmann::json::object();
    if (!plan.points.empty())
        own = cacheFields(plan.points.front(), body);
    if (own.contains(body.saltField)) // it is drawn, and another one in each run
        own[body.saltField] = workload.cache == CachePolicy::Cold ? "of the run and the point" : "of the run";

    const std::vector<SentFields> kinds = sentFields(plan.matrix, body, own);
    double weights = 0;
    for (const SentFields& kind : kinds)
        weights += kind.weight;
    std::map<std::string, Shares> fields;
    for (const SentFields& kind : kinds) {
        const double share = kind.weight / weights;
        if (!kind.model.empty())
            add(fields["model"], kind.model, share);
        for (const auto& [field, value] : kind.fields.items())
            add(fields[field], shownValue(field, value), share);
        add(fields[body.maxTokensField], "as planned of each", share);
        if (kind.minTokens)
            add(fields["min_tokens"], "as planned of each", share);
    }

    std::map<std::string, std::string> entries;
    for (const auto& [field, shares] : fields)
        entries[kPrefix + field] = sharesText(shares);
    if (const Result<RequestExtras> extras = readExtras(workload.extras); extras && extras.value().hasImages)
        entries[std::string(kPrefix) + "images"] = imagesText(extras.value().images);
    for (const PointPlan& point : plan.points)
        if (const ReadLengths* read = readFor(point); read && read->source)
            if (const FilePrompts* prompts = read->source->prompts())
                for (const auto& [field, rows] : prompts->fieldsOfRows())
                    entries[std::string(kPrefix) + "rows." + field] =
                        "in " + std::to_string(rows) + " of " + std::to_string(prompts->size()) + " rows";
    return entries;
}

} // namespace tailmark
