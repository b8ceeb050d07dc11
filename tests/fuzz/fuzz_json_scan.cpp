// SPDX-License-Identifier: GPL-3.0-or-later
// The scanner of events against a full JSON parser: it takes what is JSON and refuses what is none.
#include "fuzz.h"
#include "target/response_event.h"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

using Json = nlohmann::json;

/// Only checks; tells how deep the text is nested, and whether it is refused for what the scanner does not look
/// at: a number beyond the range of double, half a surrogate pair.
struct Check : nlohmann::json_sax<Json>
{
    int depth = 0, deepest = 0;
    bool outsideScan = false;

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return enter(); }
    bool key(string_t&) override { return true; }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t, const std::string&, const Json::exception& e) override
    {
        outsideScan = e.id == 406 || std::string_view(e.what()).find("surrogate") != std::string_view::npos;
        return false;
    }

private:
    bool enter()
    {
        deepest = std::max(deepest, ++depth);
        return true;
    }
    bool leave()
    {
        --depth;
        return true;
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::vector<char> block(data, data + size);
    const std::string_view text(block.data(), block.size());
    ResponseEvent event;
    const bool taken = scanResponseEvent(text, event);
    for (const std::string_view part : {event.text, event.badFinish})
        FUZZ_CHECK(part.empty() || (part.data() >= text.data() && part.data() + part.size() <= text.data() + text.size()));
    FUZZ_CHECK(event.ids >= 0 && event.logprobs >= 0);

    // the scanner lets bytes beyond ASCII inside strings pass as they are
    std::string ascii(text);
    std::replace_if(ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
    Check check;
    const bool isJson = Json::sax_parse(ascii, &check);
    // the parser takes a NUL as the end of the text
    if (isJson && check.deepest < 100 && text.find('\0') == std::string_view::npos)
        FUZZ_CHECK(taken);
    if (taken)
        FUZZ_CHECK(isJson || check.outsideScan);
    return 0;
}
