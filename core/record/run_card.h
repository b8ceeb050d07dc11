// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark {

/// Where an entry of the card comes from. Sent: it is a field of the run's own requests.
enum class CardOrigin { Unknown, Typed, Read, Sent };

struct CardEntry
{
    std::string value;
    CardOrigin origin = CardOrigin::Unknown;
    std::string source = {};   ///< where a read value was found ("/version"); may be empty
    std::string standard = {}; ///< of a flag: the engine's default, where known and another value
    bool operator==(const CardEntry&) const = default;
};

/// All that identifies a run. Entries by the keys of the matrix's `card` object (engine, engine_version, model,
/// model_revision, quantization, tokenizer, chat_template, accelerator, accelerator_count, parallelism, notes),
/// `flags.<name>`, and `request.<field>` of what the run sends; every fixed key is always present, "unknown" where
/// neither typed nor read.
class RunCard
{
public:
    RunCard();

    const std::map<std::string, CardEntry>& entries() const { return m_entries; }
    CardEntry entry(const std::string& key) const;
    /// Typed values win over nothing, read values over both; an empty value changes nothing.
    void type(const std::string& key, const std::string& value);
    void read(const std::string& key, const std::string& value, const std::string& source = {});
    /// Takes the place of all that was said to be sent before.
    void setSent(const std::map<std::string, std::string>& entries);
    /// Keeps the engine's default of a flag where the flag has another value.
    void setStandard(const std::string& key, const std::string& standard);

    /// The fixed keys in the order in which they are shown.
    static const std::vector<std::string>& fixedKeys();

    bool operator==(const RunCard&) const = default;

private:
    std::map<std::string, CardEntry> m_entries;
};

/// {"engine": {"value": "vllm", "origin": "read", "source": "/version"}, …}; `source` and `default` only where there is one.
nlohmann::json cardToJson(const RunCard& card);
RunCard cardFromJson(const nlohmann::json& json);

} // namespace tailmark
