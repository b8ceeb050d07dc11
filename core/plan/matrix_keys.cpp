// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan/matrix_keys.h"

#include "plan/bound_tables.h"
#include "plan/validate.h"

#include <algorithm>

namespace tailmark {

namespace {

constexpr std::string_view kEngines[] = {"auto",   "vllm",    "sglang", "llamacpp", "tgi",
                                         "trtllm", "triton",  "ollama", "lmdeploy", "litellm",
                                         "openai", "generic", "sim"};
constexpr std::string_view kSloMetrics[] = {
    "ttft_ms", "ttft_intended_ms", "tpot_ms",         "chunk_gap_ms",
    "itl_ms",  "e2e_ms",           "e2e_intended_ms", "output_tokens_per_s_user"};
constexpr std::string_view kTraceFormats[] = {"auto",    "azure",    "burstgpt", "vidur",    "mooncake",
                                              "bailian", "weka",     "sharegpt", "servegen", "vllm",
                                              "aiperf",  "guidellm", "generic"};

template <std::size_t N> bool isOneOf(std::string_view text, const std::string_view (&choices)[N])
{
    return std::find(std::begin(choices), std::end(choices), text) != std::end(choices);
}

std::string words(std::span<const std::string_view> choices)
{
    return keys::choiceText(choices.data(), choices.data() + choices.size());
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

} // namespace

std::span<const std::string_view> sloMetricIds()
{
    return kSloMetrics;
}

std::span<const std::string_view> traceFormatIds()
{
    return kTraceFormats;
}

namespace keys {

bool isHttpUrl(std::string_view text)
{
    std::string_view rest;
    if (text.starts_with("http://"))
        rest = text.substr(7);
    else if (text.starts_with("https://"))
        rest = text.substr(8);
    else
        return false;
    // A user, a query or a fragment may carry a key, and none of them survives the path that is put behind
    // the URL.
    if (text.find_first_of("@?#\\") != std::string_view::npos)
        return false;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f)
            return false;
    }
    const std::string_view authority = rest.substr(0, rest.find('/'));
    std::string_view port;
    if (authority.starts_with('[')) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos || close < 3)
            return false;
        port = authority.substr(close + 1);
    } else {
        const std::size_t colon = authority.find(':');
        if (authority.empty() || colon == 0)
            return false;
        port = colon == std::string_view::npos ? std::string_view() : authority.substr(colon);
    }
    if (port.empty())
        return true;
    if (port[0] != ':' || port.size() < 2 || port.size() > 6)
        return false;
    int number = 0;
    for (const char c : port.substr(1)) {
        if (!isDigit(c))
            return false;
        number = number * 10 + (c - '0');
    }
    return number >= 1 && number <= 65'535;
}

bool isUrlOrAuto(std::string_view text)
{
    return text.empty() || text == "auto" || text == "none" || isHttpUrl(text);
}

bool isProxyUrl(std::string_view text)
{
    if (text.empty())
        return true;
    if (!isHttpUrl(text) || !text.starts_with("http://"))
        return false;
    const std::string_view authority = text.substr(7);
    const std::size_t colon = authority.rfind(':');
    // libcurl's default port of a proxy is one that hardly any proxy has, so it must be said
    return authority.find('/') == std::string_view::npos && colon != std::string_view::npos &&
           authority.find(']', colon) == std::string_view::npos;
}

bool isEngineId(std::string_view text)
{
    return isOneOf(text, kEngines);
}

bool isVariableName(std::string_view text)
{
    if (text.empty())
        return true;
    return isLetter(text[0]) &&
           std::all_of(text.begin(), text.end(), [](char c) { return isLetter(c) || isDigit(c); });
}

bool isSloMetric(std::string_view text)
{
    return isOneOf(text, kSloMetrics);
}

bool isTraceFormat(std::string_view text)
{
    return isOneOf(text, kTraceFormats);
}

bool isAcceleratorId(std::string_view text)
{
    return text.empty() || findAccelerator(text);
}

bool isServedModelId(std::string_view text)
{
    return text.empty() || findServedModel(text);
}

bool isCacheSalt(std::string_view text)
{
    // what vLLM takes
    return text.size() <= 128 && text.find_first_of(std::string_view("@/\\\0", 4)) == std::string_view::npos;
}

bool isTraceHash(std::string_view text)
{
    return text.empty() || (text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos);
}

bool isPartName(std::string_view text)
{
    return !text.empty() && text.size() <= 60 && isOneLine(text);
}

bool isOneLine(std::string_view text)
{
    return text.size() <= 1000 && std::none_of(text.begin(), text.end(), [](char c) {
               return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
           });
}

bool isFileName(std::string_view text)
{
    return !text.empty() && isOneLine(text);
}

bool isArgument(std::string_view text)
{
    return text.size() <= 10'000 && text.find('\0') == std::string_view::npos;
}

std::string httpUrlWords()
{
    return "an http:// or https:// URL with a host and no user, query or fragment, like "
           "\"http://127.0.0.1:8000/v1\"";
}

std::string urlOrAutoWords()
{
    return "\"auto\", \"none\", or " + httpUrlWords();
}

std::string proxyUrlWords()
{
    return "empty (no proxy), or an http:// URL of a host with its port and no user or path, like "
           "\"http://127.0.0.1:3128\"";
}

std::string engineIdWords()
{
    return words(kEngines);
}

std::string variableNameWords()
{
    return "the name of an environment variable (letters, digits and _), never the key itself";
}

std::string sloMetricWords()
{
    return words(kSloMetrics);
}

std::string traceFormatWords()
{
    return words(kTraceFormats);
}

std::string acceleratorIdWords()
{
    return "empty (none), or " + words(acceleratorIds());
}

std::string servedModelIdWords()
{
    return "empty (none), or " + words(servedModelIds());
}

std::string cacheSaltWords()
{
    return "text of at most 128 characters without @, / and \\";
}

std::string traceHashWords()
{
    return "64 hex digits, as import-trace tells them, or empty (the file as it is)";
}

std::string partNameWords()
{
    return "one line of text, 1 to 60 characters";
}

std::string oneLineWords()
{
    return "one line of text, at most 1,000 characters";
}

std::string fileNameWords()
{
    return "the name of a file";
}

std::string logFileWords()
{
    return "the name of a file, or empty where hash names a log that is kept";
}

std::string argumentWords()
{
    return "text of at most 10,000 characters";
}

} // namespace keys

} // namespace tailmark
