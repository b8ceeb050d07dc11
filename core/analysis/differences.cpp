// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/comparison.h"
#include "analysis/text.h"
#include "plan/plan_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace tailmark {

namespace {

using Entries =
    std::vector<std::pair<std::string, std::string>>; ///< key path and value, in the order of the file

constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kQuantization = "card.quantization";
constexpr std::string_view kEngine = "card.engine";
constexpr std::string_view kAccelerator = "card.accelerator";
constexpr std::string_view kWorkload = "workload"; ///< all of it: neither run tells any

void flatten(const nlohmann::ordered_json& json, const std::string& path, Entries& entries)
{
    if (json.is_object() && !json.empty()) {
        for (const auto& [key, value] : json.items())
            flatten(value, path + "." + key, entries);
    } else {
        entries.emplace_back(path, json.is_string() ? json.get<std::string>() : json.dump());
    }
}

/// What a test asks for, without its name and its levels.
void flattenTests(const Matrix& matrix, const nlohmann::ordered_json& tests,
                  const std::set<std::string>& shared, Entries& entries)
{
    const std::vector<std::string> names = testNames(matrix.tests);
    for (std::size_t i = 0; i < names.size() && i < tests.size(); ++i) {
        if (!shared.contains(names[i]))
            continue;
        nlohmann::ordered_json test = tests[i];
        for (const char* key : {"name", "enabled", "levels", "rates_per_s"})
            test.erase(key);
        flatten(test, "tests." + names[i], entries);
    }
}

std::set<std::string> sharedTests(const Matrix& a, const Matrix& b)
{
    const std::vector<std::string> namesA = testNames(a.tests);
    const std::vector<std::string> namesB = testNames(b.tests);
    std::set<std::string> shared;
    for (const std::string& name : namesA) {
        if (std::find(namesB.begin(), namesB.end(), name) != namesB.end())
            shared.insert(name);
    }
    return shared;
}

Entries matrixEntries(const Matrix& matrix, const std::set<std::string>& tests)
{
    nlohmann::ordered_json json = matrixToJson(matrix);
    Entries entries;
    if (matrix.workload.lengths.kind == LengthsKind::Mix)
        for (nlohmann::ordered_json& part : json["workload"]["lengths"]["parts"])
            if (nlohmann::ordered_json& lengths = part["lengths"]; lengths.value("hash", "") != "")
                for (const char* ofTheFile : {"file", "format"})
                    lengths.erase(ofTheFile);
    for (const char* part : {"workload", "measurement", "limits"})
        flatten(json.at(part), part, entries);
    for (const char* key : {"api", "http_version", "proxy", "extra_body"})
        flatten(json.at("target").at(key), std::string("target.") + key, entries);
    flattenTests(matrix, json.at("tests"), tests, entries);
    return entries;
}

std::string valueOf(const Entries& entries, const std::string& key)
{
    const auto it =
        std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.first == key; });
    return it == entries.end() ? "none" : it->second;
}

/// Other kinds of lengths have other keys: they are one difference. Where both runs name their log by its hash,
/// the name of its file says nothing more.
void settleLengths(const Lengths& a, const Lengths& b, std::vector<Difference>& out)
{
    constexpr std::string_view kind = "workload.lengths.kind";
    if (a.kind != b.kind)
        for (Difference& d : out)
            if (d.key != kind && d.key.starts_with("workload.lengths."))
                d.partOf = kind;
    if (a.hash.empty() || b.hash.empty())
        return;
    const auto ofTheFile = [](const Difference& d) {
        return d.key == "workload.lengths.file" || d.key == "workload.lengths.format";
    };
    if (a.hash == b.hash)
        std::erase_if(out, ofTheFile);
    for (Difference& d : out)
        if (ofTheFile(d))
            d.partOf = "workload.lengths.hash";
}

void matrixDifferences(const Matrix& a, const Matrix& b, std::vector<Difference>& out)
{
    const std::set<std::string> tests = sharedTests(a, b);
    const Entries entriesA = matrixEntries(a, tests);
    const Entries entriesB = matrixEntries(b, tests);
    for (const auto& [key, value] : entriesA) {
        if (const std::string other = valueOf(entriesB, key); other != value)
            out.push_back({key, value, other, false, {}});
    }
    for (const auto& [key, value] : entriesB) {
        if (valueOf(entriesA, key) == "none" && value != "none")
            out.push_back({key, "none", value, false, {}});
    }
    settleLengths(a.workload.lengths, b.workload.lengths, out);
}

void knownDifferences(const RunFacts& a, const RunFacts& b, std::vector<Difference>& out)
{
    matrixDifferences(a.matrix, b.matrix, out);
    const auto orNone = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    if (a.extrasOfRows != b.extrasOfRows) // of the file, whose hash differs for them
        out.push_back({"workload.lengths.extras", orNone(a.extrasOfRows), orNone(b.extrasOfRows), false,
                       a.matrix.workload.lengths.kind == b.matrix.workload.lengths.kind ? "workload.lengths.hash"
                                                                                       : "workload.lengths.kind"});
}

/// One of the two runs has a matrix: each of its entries may differ.
void oneMatrix(const RunFacts& a, const RunFacts& b, std::vector<Difference>& out)
{
    const Matrix& known = a.matrixUnknown ? b.matrix : a.matrix;
    const std::vector<std::string> names = testNames(known.tests);
    for (const auto& [key, value] : matrixEntries(known, {names.begin(), names.end()})) {
        const std::string unknown(kUnknown);
        out.push_back({key, a.matrixUnknown ? unknown : value, b.matrixUnknown ? unknown : value, true, {}});
    }
}

bool isKnown(const CardEntry& entry)
{
    return entry.origin != CardOrigin::Unknown;
}

std::vector<std::string> cardKeys(const RunCard& a, const RunCard& b)
{
    std::vector<std::string> keys = RunCard::fixedKeys();
    std::set<std::string> others;
    for (const RunCard* card : {&a, &b}) {
        for (const auto& [key, entry] : card->entries())
            others.insert(key);
    }
    for (const std::string& key : keys)
        others.erase(key);
    keys.insert(keys.end(), others.begin(), others.end());
    std::erase(keys, "notes");
    std::erase(keys, "cache"); // stated in the workload; whether an engine can tell makes no other condition
    // What is sent follows from workload and target, whose entries are compared themselves.
    std::erase_if(keys, [](const std::string& key) { return key.starts_with("request."); });
    return keys;
}

bool knownToDiffer(const RunCard& a, const RunCard& b, const std::string& key)
{
    const CardEntry entryA = a.entry(key);
    const CardEntry entryB = b.entry(key);
    return isKnown(entryA) && isKnown(entryB) && entryA.value != entryB.value;
}

/// What engines tell among their flags that they derive from the accelerator: how many tokens its memory leaves room for,
/// and of the simulated engine how fast it is.
bool isOfTheAccelerator(const std::string& key)
{
    constexpr std::array<std::string_view, 5> kKeys = {"flags.num_gpu_blocks", "flags.max_total_num_tokens",
                                                       "flags.kv_capacity_tokens", "flags.profile", "flags.step_time"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

void cardDifferences(const RunCard& a, const RunCard& b, std::vector<Difference>& out)
{
    const bool otherEngine = knownToDiffer(a, b, "engine");
    const bool otherAccelerator = knownToDiffer(a, b, "accelerator");
    for (const std::string& key : cardKeys(a, b)) {
        const CardEntry entryA = a.entry(key);
        const CardEntry entryB = b.entry(key);
        const bool bothKnown = isKnown(entryA) && isKnown(entryB);
        if (bothKnown && entryA.value == entryB.value)
            continue;
        Difference d;
        d.key = "card." + key;
        d.a = isKnown(entryA) ? entryA.value : kUnknown;
        d.b = isKnown(entryB) ? entryB.value : kUnknown;
        d.unknown = !bothKnown;
        const bool ofTheEngine = key == "engine_version" || (key.starts_with("flags.") && !bothKnown);
        if (otherEngine && ofTheEngine)
            d.partOf = kEngine;
        else if (otherAccelerator && isOfTheAccelerator(key))
            d.partOf = kAccelerator;
        out.push_back(std::move(d));
    }
}

bool isUnknownOnBothSides(const Difference& d)
{
    return d.unknown && d.a == d.b;
}

bool counts(const Difference& d)
{
    return d.partOf.empty() && !isUnknownOnBothSides(d);
}

std::string shortKey(const std::string& key)
{
    return key.starts_with("card.") ? key.substr(5) : key;
}

std::string listed(const Difference& d)
{
    return shortKey(d.key) + " (" + d.a + " / " + d.b + ")";
}

template <typename Select> std::string listOf(std::span<const Difference> differences, Select&& select)
{
    constexpr std::size_t kMostListed = 12; // of a run of another tool nearly nothing is known
    std::string text;
    std::size_t n = 0;
    for (const Difference& d : differences) {
        if (select(d) && ++n <= kMostListed)
            text += (text.empty() ? "" : ", ") + listed(d);
    }
    return n > kMostListed ? text + " and " + countText(n - kMostListed) + " more" : text;
}

} // namespace

std::vector<Difference> differences(const RunFacts& a, const RunFacts& b)
{
    std::vector<Difference> all;
    cardDifferences(a.card, b.card, all);
    if (!a.matrixUnknown && !b.matrixUnknown)
        knownDifferences(a, b, all);
    else if (!a.matrixUnknown || !b.matrixUnknown)
        oneMatrix(a, b, all);
    else
        for (const std::string_view part : {kWorkload, std::string_view("measurement"), std::string_view("limits")})
            all.push_back({std::string(part), std::string(kUnknown), std::string(kUnknown), true, {}});
    const auto rank = [](const Difference& d) {
        if (isUnknownOnBothSides(d))
            return 2;
        return d.key == kQuantization ? 0 : 1;
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Difference& x, const Difference& y) { return rank(x) < rank(y); });
    return all;
}

bool isControlled(std::span<const Difference> differences)
{
    const auto known = std::count_if(differences.begin(), differences.end(),
                                     [](const Difference& d) { return counts(d) && !d.unknown; });
    const bool mayDiffer = std::any_of(differences.begin(), differences.end(),
                                       [](const Difference& d) { return counts(d) && d.unknown; });
    return known == 1 && !mayDiffer;
}

std::string comparisonSentence(std::span<const Difference> differences)
{
    const auto count = [&](auto select) {
        return static_cast<std::size_t>(std::count_if(differences.begin(), differences.end(), select));
    };
    const auto isKnownDifference = [](const Difference& d) { return counts(d) && !d.unknown; };
    const auto mayDiffer = [](const Difference& d) { return counts(d) && d.unknown; };
    const std::size_t known = count(isKnownDifference);
    const std::size_t possible = count(mayDiffer);
    const std::size_t parts = count([](const Difference& d) { return !d.partOf.empty(); });
    const std::size_t unknown = count(isUnknownOnBothSides);

    std::string text;
    if (isControlled(differences)) {
        const auto it = std::find_if(differences.begin(), differences.end(), isKnownDifference);
        text = "Controlled: only " + shortKey(it->key) + " differs (" + it->a + " / " + it->b + ")";
        if (parts > 0)
            text +=
                ", with " + countText(parts) + (parts == 1 ? " entry" : " entries") + " that belong to it";
    } else if (known == 0 && possible == 0) {
        const bool workloadUnknown =
            std::any_of(differences.begin(), differences.end(), [](const Difference& d) { return d.key == kWorkload; });
        text = workloadUnknown ? "Nothing that is known differs"
                               : "Nothing that is known differs: a repeat under the same conditions";
    } else {
        text = "Uncontrolled: ";
        if (known > 0)
            text += countText(known) + (known == 1 ? " thing differs: " : " things differ: ") +
                    listOf(differences, isKnownDifference);
        if (possible > 0)
            text += (known > 0 ? "; " : "") + countText(possible) +
                    " may differ, known in one run only: " + listOf(differences, mayDiffer);
    }
    if (unknown > 0)
        text += "; " + countText(unknown) + (unknown == 1 ? " entry is" : " entries are") +
                " unknown in both runs";
    return text;
}

} // namespace tailmark
