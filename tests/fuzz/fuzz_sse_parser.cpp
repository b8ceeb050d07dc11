// SPDX-License-Identifier: GPL-3.0-or-later
// The bytes of an event stream: framed alike however the network cuts them.
#include "fuzz.h"
#include "target/sse_parser.h"

#include <string>
#include <utility>

using namespace tailmark;

namespace {

struct Framed
{
    std::vector<std::pair<std::string, bool>> events; ///< data, error
    bool unfinished = false;                          ///< the last one had no end
    bool foreignLine = false;
    bool operator==(const Framed&) const = default;
};

Framed frame(std::string_view bytes, fuzz::Cuts cuts)
{
    Framed framed;
    SseParser parser;
    SseEvent event;
    const auto keep = [&] {
        FUZZ_CHECK(!event.data.empty() || event.error);
        FUZZ_CHECK(event.data.empty() || (event.data.front() != ' ' && event.data.back() != ' '));
        FUZZ_CHECK(event.data.find('\r') == std::string_view::npos);
        framed.events.emplace_back(event.data, event.error);
    };
    fuzz::cut(bytes, cuts, [&](const char* data, std::size_t size) {
        parser.feed(data, size);
        while (parser.next(event))
            keep();
    });
    framed.unfinished = parser.takeUnfinished(event);
    if (framed.unfinished)
        keep();
    framed.foreignLine = parser.sawForeignLine();
    return framed;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    const auto cutShort = [&](std::uint64_t turn, std::size_t longest) {
        return frame(bytes, fuzz::Cuts(bytes, turn, longest));
    };
    const Framed bytewise = cutShort(0, 1);
    for (const std::size_t longest : {3, 40, 1000})
        FUZZ_CHECK(cutShort(longest, longest) == bytewise);
    return 0;
}
