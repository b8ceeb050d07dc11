// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/claim_names.h"

#include "analysis/bound.h"
#include "plan/bound_tables.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace tailmark {

namespace {

std::vector<std::string> wordsOf(const std::string& name)
{
    std::istringstream in(name);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

std::regex pattern(const std::string& text)
{
    return std::regex(text, std::regex::icase | std::regex::ECMAScript);
}

std::string escaped(const std::string& word)
{
    std::string text;
    for (const char c : word)
        text += c == '.' ? "\\." : c == '-' ? "[\\s_-]*" : std::string(1, c);
    return text;
}

/// "80gb", "sxm": without blanks, in small letters.
std::string folded(const std::string& text)
{
    std::string result;
    for (const char c : text) {
        if (c != ' ' && c != '-')
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return result;
}

/// All devices of one name: "H100" has two.
struct DeviceName
{
    std::string name;
    std::regex pattern;
    std::vector<const Accelerator*> devices;
};

/// "NVIDIA GeForce RTX 4090 24 GB" -> "RTX 4090"; "NVIDIA A100 80 GB PCIe" -> "A100".
std::string shortName(const std::string& name)
{
    const std::vector<std::string> words = wordsOf(name);
    const auto isNumber = [](const std::string& word) {
        return std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    };
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i].find_first_of("0123456789") != std::string::npos)
            return isNumber(words[i]) ? words[i - 1] + " " + words[i] : words[i];
    }
    return name;
}

const std::vector<DeviceName>& deviceNames()
{
    static const std::vector<DeviceName> names = [] {
        std::vector<DeviceName> all;
        for (const Accelerator& device : accelerators()) {
            const std::string name = shortName(device.name);
            auto known = std::ranges::find(all, name, &DeviceName::name);
            if (known == all.end()) {
                std::string words;
                for (const std::string& word : wordsOf(name))
                    words += (words.empty() ? "" : "[\\s-]*") + escaped(word);
                all.push_back({name,
                               pattern("(?:\\b(?:nvidia|amd|geforce|instinct)[\\s-]+)*\\b" + words +
                                       "((?:[\\s-]*(?:\\d+\\s*gb\\b|pcie\\b|sxm\\d?\\b|nvl\\d*\\b))*)(s\\b|\\b)"),
                               {}});
                known = all.end() - 1;
            }
            known->devices.push_back(&device);
        }
        return all;
    }();
    return names;
}

/// Those that have what is said of memory and form.
std::vector<const Accelerator*> matching(const DeviceName& name, const std::string& said)
{
    static const std::regex kPart = pattern("(\\d+\\s*gb|pcie|sxm|nvl)(\\d*)");
    std::vector<const Accelerator*> devices = name.devices;
    for (std::sregex_iterator it(said.begin(), said.end(), kPart), end; it != end; ++it) {
        const std::string part = folded((*it)[1]);
        if (part == "nvl" && (*it)[2].length() > 0)
            continue; // a rack of them
        std::erase_if(devices,
                      [&](const Accelerator* d) { return folded(d->name).find(part) == std::string::npos; });
    }
    return devices;
}

void takeDevice(ClaimNames& found)
{
    std::string named;
    std::vector<const Accelerator*> devices;
    for (const DeviceName& name : deviceNames()) {
        std::smatch match;
        while (std::regex_search(found.text, match, name.pattern)) {
            if (!named.empty() && named != name.name) {
                found.doubts.push_back("two devices are named, " + named + " and " + name.name + "; say one");
                return;
            }
            devices = named.empty() ? matching(name, match[1]) : devices;
            named = name.name;
            found.text = match.prefix().str() + (match[2].length() > 0 ? "GPUs" : "GPU") + match.suffix().str();
        }
    }
    if (devices.empty())
        return;
    const Accelerator* fastest = *std::ranges::max_element(devices, {}, &Accelerator::bandwidthGbPerS);
    found.accelerator = fastest->id;
    if (devices.size() > 1)
        found.acceleratorRemark = named + " taken as the fastest of the " + std::to_string(devices.size()) +
                                  " of that name in the table";
}

/// "Llama 3.1 and 3.3 70B" stands for two names.
std::vector<std::string> namesOf(const ServedModel& model)
{
    std::vector<std::string> words = wordsOf(model.name);
    const auto both = std::ranges::find(words, "and");
    if (both == words.end() || both == words.begin() || both + 1 == words.end())
        return {model.name};
    std::vector<std::string> names(2);
    for (auto it = words.begin(); it != words.end(); ++it) {
        if (it == both)
            continue;
        if (it != both + 1)
            names[0] += (names[0].empty() ? "" : " ") + *it;
        if (it != both - 1)
            names[1] += (names[1].empty() ? "" : " ") + *it;
    }
    return names;
}

void takeModel(ClaimNames& found)
{
    for (const ServedModel& model : servedModels()) {
        for (const std::string& name : namesOf(model)) {
            std::string words;
            for (const std::string& word : wordsOf(name))
                words += (words.empty() ? "" : "[\\s_-]*") + escaped(word);
            const std::regex named =
                pattern("\\b" + words + "\\b(?!\\.\\d)(?![\\s_-]*distill)(?:[\\s_-]*(?:instruct|chat))?");
            std::smatch match;
            if (!std::regex_search(found.text, match, named))
                continue;
            if (!found.model.empty() && found.model != model.id) {
                found.doubts.push_back("two models are named, " + findServedModel(found.model)->name + " and " +
                                       model.name + "; say one");
                return;
            }
            found.model = model.id;
            found.text = match.prefix().str() + ";" + match.suffix().str();
        }
    }
}

/// Formats of several widths count as the narrowest, so that what they cannot do cannot be done.
std::optional<double> bytesOf(const std::string& format)
{
    if (const auto bytes = bytesPerParamOf(format))
        return bytes;
    return format.starts_with("8") ? 1 : 0.5;
}

void takeFormat(ClaimNames& found)
{
    static const std::regex kFormat =
        pattern("\\b(fp32|bf16|fp16|fp8|int8|w8a8|nvfp4|mxfp4|fp4|int4|w4a16|awq|gptq|[48][\\s-]?bit)\\b");
    std::smatch match;
    while (std::regex_search(found.text, match, kFormat)) {
        const std::string format = folded(match[1]);
        const auto bytes = bytesOf(format);
        if (!found.bytesPerParam || *bytes < *found.bytesPerParam)
            found.bytesPerParam = bytes;
        found.text = match.prefix().str() + ";" + match.suffix().str();
    }
}

} // namespace

ClaimNames takeNames(const std::string& text)
{
    static const std::regex kTimes = pattern("(\\d)\\s*(?:x|\u00d7)\\s*(?=[a-z])"); // "8xH100"
    ClaimNames found;
    found.text = std::regex_replace(text, kTimes, "$1 x ");
    takeDevice(found);
    takeModel(found);
    takeFormat(found);
    return found;
}

} // namespace tailmark
