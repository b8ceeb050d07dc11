// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/profile.h"

#include "base/bounded_json.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

namespace tailmark::sim {

using nlohmann::json;

namespace {

Error badInput(std::string where, std::string message)
{
    return {ErrorCode::BadInput, std::move(where), std::move(message)};
}

/// Takes the keys of one object and remembers the first fault, and at the end any key that nobody took.
class ObjectReader
{
public:
    ObjectReader(const json& object, std::string path) : m_object(object), m_path(std::move(path))
    {
        if (!object.is_object())
            fail("", "must be an object");
    }

    void take(const char* key, std::string& out)
    {
        const json* value = find(key);
        if (!value)
            return;
        if (!value->is_string())
            return fail(key, "must be a string");
        out = value->get<std::string>();
    }
    void take(const char* key, bool& out)
    {
        const json* value = find(key);
        if (!value)
            return;
        if (!value->is_boolean())
            return fail(key, "must be true or false");
        out = value->get<bool>();
    }
    void take(const char* key, double& out)
    {
        const json* value = find(key);
        if (!value)
            return;
        if (!value->is_number())
            return fail(key, "must be a number");
        out = value->get<double>();
    }
    template <typename Integer>
    requires std::is_integral_v<Integer>
    void take(const char* key, Integer& out)
    {
        const json* value = find(key);
        if (!value)
            return;
        const bool whole =
            value->is_number_integer() ||
            (value->is_number_float() && value->get<double>() == std::floor(value->get<double>()));
        if (!whole)
            return fail(key, "must be a whole number");
        const double number = value->get<double>();
        if (std::abs(number) > 2e9)
            return fail(key, "must lie between -2e9 and 2e9");
        out = static_cast<Integer>(number);
    }
    /// Null where the key is absent.
    const json* find(const char* key)
    {
        m_known.insert(key);
        if (!m_object.is_object())
            return nullptr;
        const auto it = m_object.find(key);
        return it == m_object.end() ? nullptr : &*it;
    }
    std::string path(const std::string& key) const { return m_path.empty() ? key : m_path + "." + key; }

    /// The first fault of all.
    std::optional<std::pair<std::string, std::string>> finish()
    {
        if (!m_fault && m_object.is_object())
            for (const auto& [key, value] : m_object.items())
                if (!m_known.contains(key)) {
                    std::string allowed;
                    for (const std::string& known : m_known)
                        allowed += (allowed.empty() ? "" : ", ") + known;
                    fail(key, "unknown key; allowed are " + allowed);
                    break;
                }
        return m_fault;
    }

private:
    void fail(const std::string& key, std::string message)
    {
        if (!m_fault)
            m_fault = {key.empty() ? m_path : path(key), std::move(message)};
    }

    const json& m_object;
    std::string m_path;
    std::set<std::string> m_known;
    std::optional<std::pair<std::string, std::string>> m_fault;
};

std::string keyPlace(const std::string& where, const std::string& key)
{
    return key.empty() ? where : where + ": " + key;
}

} // namespace

std::int64_t usableKvTokens(const Profile& profile)
{
    return profile.block > 0 ? profile.kvCapacityTokens / profile.block * profile.block : 0;
}

Status checkProfile(const Profile& profile, const std::string& where)
{
    struct Rule
    {
        const char* key;
        double value;
        double low;
        double high;
    };
    constexpr double kLarge = 1e9;
    const Rule rules[] = {
        {"weights_bytes", profile.weightsBytes, 0, 1e15},
        {"kv_bytes_per_token", profile.kvBytesPerToken, 0, 1e12},
        {"block", double(profile.block), 1, 1024},
        {"kv_capacity_tokens", double(profile.kvCapacityTokens), double(profile.block), kLarge},
        {"max_model_len", double(profile.maxModelLen), 2, double(usableKvTokens(profile))},
        {"max_num_seqs", double(profile.maxNumSeqs), 1, 65536},
        {"max_num_batched_tokens", double(profile.maxNumBatchedTokens), 1, 1e6},
        {"decode.c0", profile.decode.c0, 0, 1e6},
        {"decode.cB", profile.decode.cB, 0, 1e6},
        {"decode.cK", profile.decode.cK, 0, 1e6},
        {"prefill.p1", profile.prefill.p1, 0, 1e6},
        {"prefill.p2", profile.prefill.p2, 0, 1e6},
        {"step_overhead_ms", profile.stepOverheadMs, 0, 1e6},
        {"ingest_ms", profile.ingestMs, 0, 1e6},
        {"per_token_ms", profile.perTokenMs, 0, 1e6},
        {"jitter", profile.jitter, 0, 1},
        {"natural_output.mean", profile.naturalOutput.mean, 1, 1e6},
        {"natural_output.cv", profile.naturalOutput.cv, 0, 10},
        {"speculative.tokens", double(profile.speculative.tokens), 0, 64},
        {"speculative.acceptance", profile.speculative.acceptance, 0, 1},
        {"speculative.draft_ms", profile.speculative.draftMs, 0, 1e6},
    };
    for (const Rule& rule : rules)
        if (!(rule.value >= rule.low && rule.value <= rule.high)) {
            std::ostringstream text;
            text << "is " << rule.value << ", must lie between " << rule.low << " and " << rule.high;
            return badInput(keyPlace(where, rule.key), text.str());
        }
    if (profile.decode.c0 + profile.stepOverheadMs <= 0)
        return badInput(keyPlace(where, "decode.c0"),
                        "a step must take time: c0 or step_overhead_ms must be above 0");
    if (profile.model.empty())
        return badInput(keyPlace(where, "model"), "must not be empty");
    return success();
}

Result<Profile> parseProfile(std::string_view text, const std::string& where)
{
    if (isNestedTooDeep(text))
        return badInput(where, "is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    json root;
    try {
        root = json::parse(text);
    } catch (const json::parse_error& error) {
        return badInput(where, "not JSON (byte " + std::to_string(error.byte) + ")");
    }
    Profile p;
    ObjectReader top(root, "");
    top.take("name", p.name);
    top.take("description", p.description);
    top.take("model", p.model);
    top.take("accelerator", p.accelerator);
    top.take("weights_bytes", p.weightsBytes);
    top.take("kv_bytes_per_token", p.kvBytesPerToken);
    top.take("kv_capacity_tokens", p.kvCapacityTokens);
    top.take("block", p.block);
    p.maxModelLen = static_cast<int>(std::min<std::int64_t>(p.maxModelLen, usableKvTokens(p)));
    top.take("max_model_len", p.maxModelLen);
    top.take("max_num_seqs", p.maxNumSeqs);
    top.take("max_num_batched_tokens", p.maxNumBatchedTokens);
    top.take("prefix_cache", p.prefixCache);
    top.take("step_overhead_ms", p.stepOverheadMs);
    top.take("ingest_ms", p.ingestMs);
    top.take("per_token_ms", p.perTokenMs);
    top.take("jitter", p.jitter);
    std::vector<ObjectReader> parts;
    if (const json* value = top.find("decode")) {
        ObjectReader& part = parts.emplace_back(*value, "decode");
        part.take("c0", p.decode.c0);
        part.take("cB", p.decode.cB);
        part.take("cK", p.decode.cK);
    }
    if (const json* value = top.find("prefill")) {
        ObjectReader& part = parts.emplace_back(*value, "prefill");
        part.take("p1", p.prefill.p1);
        part.take("p2", p.prefill.p2);
    }
    if (const json* value = top.find("natural_output")) {
        ObjectReader& part = parts.emplace_back(*value, "natural_output");
        part.take("mean", p.naturalOutput.mean);
        part.take("cv", p.naturalOutput.cv);
    }
    if (const json* value = top.find("speculative")) {
        ObjectReader& part = parts.emplace_back(*value, "speculative");
        part.take("tokens", p.speculative.tokens);
        part.take("acceptance", p.speculative.acceptance);
        part.take("draft_ms", p.speculative.draftMs);
    }
    if (const auto fault = top.finish())
        return badInput(keyPlace(where, fault->first), fault->second);
    for (ObjectReader& part : parts)
        if (const auto fault = part.finish())
            return badInput(keyPlace(where, fault->first), fault->second);
    if (p.name.empty())
        return badInput(keyPlace(where, "name"), "is missing; a profile needs a name");
    if (const Status status = checkProfile(p, where); !status)
        return status.error();
    return p;
}

std::string profileJson(const Profile& p)
{
    const json root = {
        {"name", p.name},
        {"description", p.description},
        {"model", p.model},
        {"accelerator", p.accelerator},
        {"weights_bytes", p.weightsBytes},
        {"kv_bytes_per_token", p.kvBytesPerToken},
        {"kv_capacity_tokens", p.kvCapacityTokens},
        {"max_model_len", p.maxModelLen},
        {"block", p.block},
        {"max_num_seqs", p.maxNumSeqs},
        {"max_num_batched_tokens", p.maxNumBatchedTokens},
        {"prefix_cache", p.prefixCache},
        {"decode", {{"c0", p.decode.c0}, {"cB", p.decode.cB}, {"cK", p.decode.cK}}},
        {"prefill", {{"p1", p.prefill.p1}, {"p2", p.prefill.p2}}},
        {"step_overhead_ms", p.stepOverheadMs},
        {"ingest_ms", p.ingestMs},
        {"per_token_ms", p.perTokenMs},
        {"jitter", p.jitter},
        {"natural_output", {{"mean", p.naturalOutput.mean}, {"cv", p.naturalOutput.cv}}},
        {"speculative",
         {{"tokens", p.speculative.tokens},
          {"acceptance", p.speculative.acceptance},
          {"draft_ms", p.speculative.draftMs}}},
    };
    return root.dump();
}

namespace {

Result<Profile> readProfileFile(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        return badInput(file.string(), "cannot be read");
    std::ostringstream text;
    text << in.rdbuf();
    return parseProfile(text.str(), file.string());
}

} // namespace

Result<Profile> loadProfile(const std::string& nameOrFile, const std::vector<std::filesystem::path>& folders)
{
    if (nameOrFile.find('/') != std::string::npos || nameOrFile.ends_with(".json"))
        return readProfileFile(nameOrFile);
    std::error_code ignored;
    for (const auto& folder : folders) {
        const auto file = folder / (nameOrFile + ".json");
        if (std::filesystem::is_regular_file(file, ignored))
            return readProfileFile(file);
    }
    std::string known;
    for (const Profile& profile : listProfiles(folders))
        known += (known.empty() ? "" : ", ") + profile.name;
    return badInput(nameOrFile, known.empty() ? "no such profile, and none was found"
                                              : "no such profile; there are " + known + ", or give a file");
}

std::vector<Profile> listProfiles(const std::vector<std::filesystem::path>& folders)
{
    std::map<std::string, Profile> found;
    std::error_code ignored;
    for (const auto& folder : folders)
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
            if (entry.path().extension() == ".json")
                if (auto profile = readProfileFile(entry.path()))
                    found.try_emplace(entry.path().stem().string(), std::move(profile).value());
    std::vector<Profile> list;
    for (auto& [name, profile] : found)
        list.push_back(std::move(profile));
    return list;
}

} // namespace tailmark::sim
