// SPDX-License-Identifier: GPL-3.0-or-later
// A whole response: read alike however the network cuts it. The first byte may choose another response than a
// stream that ended well; all that follows is the body.
#include "fuzz.h"
#include "target/response_reader.h"

#include <string>

using namespace tailmark;

namespace {

struct Response
{
    bool streaming = true;
    int status = 200;
    std::string_view contentType = "text/event-stream";
    bool transportOk = true;
    std::string_view body;
};

Response responseOf(std::string_view bytes)
{
    Response r;
    r.body = bytes;
    const auto chosen = [&] {
        switch (bytes.empty() ? ' ' : bytes.front()) {
        case 'b': // broke off
            r.transportOk = false;
            return true;
        case 'j': // JSON where a stream was asked for
            r.contentType = "application/json";
            return true;
        case 'w': // whole, as asked
            r.streaming = false;
            r.contentType = "application/json";
            return true;
        case 'x':
            r.streaming = r.transportOk = false;
            return true;
        case '3':
            r.status = 307;
            return true;
        case '4':
            r.status = 400;
            return true;
        case '5':
            r.status = 500;
            return true;
        case 'o':
            r.status = 503;
            return true;
        default:
            return false;
        }
    };
    if (chosen())
        r.body.remove_prefix(1);
    return r;
}

struct Reading : TokenSink
{
    RequestRecord record;
    std::vector<TokenEvent> events;
    std::string error;

    void onTokenEvent(const TokenEvent& event) override { events.push_back(event); }
};

constexpr Nanoseconds kOrigin{1000};

/// `step`: how much later each piece comes than the one before.
Reading read(ResponseReader& reader, const Response& response, fuzz::Cuts cuts, Nanoseconds step)
{
    Reading r;
    reader.reset(response.streaming, kOrigin, &r.record, &r);
    reader.onHeaders(response.status, response.contentType);
    Nanoseconds now = kOrigin;
    fuzz::cut(response.body, cuts, [&](const char* data, std::size_t size) {
        reader.feed(data, size, now);
        now += step;
    });
    reader.finish(response.transportOk);
    r.error = reader.errorText();
    return r;
}

/// All but the times.
void checkSameFindings(const Reading& a, const Reading& b)
{
    const RequestRecord &x = a.record, &y = b.record;
    FUZZ_CHECK(x.outcome == y.outcome);
    FUZZ_CHECK(a.error == b.error);
    FUZZ_CHECK(x.finishReason == y.finishReason);
    FUZZ_CHECK(x.doneSeen == y.doneSeen);
    FUZZ_CHECK(x.promptTokens == y.promptTokens && x.outputTokens == y.outputTokens);
    FUZZ_CHECK(x.cachedTokens == y.cachedTokens && x.firstEventTokens == y.firstEventTokens);
    FUZZ_CHECK(x.tokenEvents == y.tokenEvents && x.malformedEvents == y.malformedEvents);
    FUZZ_CHECK(a.events.size() == b.events.size());
    for (std::size_t i = 0; i < a.events.size(); ++i)
        FUZZ_CHECK(a.events[i].tokens == b.events[i].tokens && a.events[i].answer == b.events[i].answer);
}

void checkSound(const Reading& r)
{
    const RequestRecord& x = r.record;
    FUZZ_CHECK(x.tokenEvents == static_cast<std::int32_t>(r.events.size()));
    FUZZ_CHECK(x.coalescedEvents <= x.tokenEvents);
    FUZZ_CHECK(x.outputTokens >= kUnknownCount && x.promptTokens >= kUnknownCount);
    FUZZ_CHECK(r.error.empty() == (x.outcome == Outcome::Completed));
    FUZZ_CHECK(r.error.size() <= 300);
    for (const char c : r.error)
        FUZZ_CHECK(static_cast<unsigned char>(c) >= 0x20);
    FUZZ_CHECK(isPresent(x.firstToken) == (x.tokenEvents > 0));
    if (isPresent(x.firstToken))
        FUZZ_CHECK(x.firstEvent <= x.firstToken && x.firstToken <= x.lastToken);
    if (isPresent(x.firstAnswerToken))
        FUZZ_CHECK(x.firstToken <= x.firstAnswerToken && x.firstAnswerToken <= x.lastToken);
    for (const TokenEvent& event : r.events)
        FUZZ_CHECK(event.tokens == kUnknownCount || event.tokens > 0);
}

/// The same events with one that says nothing between each two, so that none is like the one before it.
std::string spaced(std::string_view body)
{
    std::string text;
    SseParser parser;
    SseEvent event;
    const auto write = [&] {
        if (event.error)
            text += "event: error\n";
        std::string_view data = event.data;
        for (std::size_t end = data.empty() ? std::string_view::npos : 0; end != std::string_view::npos;) {
            end = data.find('\n');
            text += "data: " + std::string(data.substr(0, end)) + '\n';
            if (end != std::string_view::npos)
                data.remove_prefix(end + 1); // the last line may be an empty one
        }
        text += '\n';
    };
    parser.feed(body.data(), body.size());
    while (parser.next(event)) {
        write();
        text += "data: {}\n\n";
    }
    if (parser.takeUnfinished(event)) {
        write();
        text.pop_back();
    }
    return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes = fuzz::textOf(data, size);
    Response response = responseOf(bytes);
    ResponseReader reader; // one for all, as in use
    const Reading whole = read(reader, response, fuzz::Cuts(bytes, 0, bytes.size() + 1), Nanoseconds(0));
    checkSound(whole);
    for (const std::size_t longest : {1, 3, 40, 1000}) {
        const fuzz::Cuts cuts(bytes, longest, longest);
        const Reading atOnce = read(reader, response, cuts, Nanoseconds(0));
        checkSameFindings(whole, atOnce);
        FUZZ_CHECK(whole.record.coalescedEvents == atOnce.record.coalescedEvents);
        const Reading late = read(reader, response, cuts, Nanoseconds(500));
        checkSameFindings(whole, late);
        checkSound(late);
    }
    if (response.status == 200 && response.streaming && isPresent(whole.record.firstEvent)) {
        const std::string text = spaced(response.body);
        response.body = text;
        checkSameFindings(whole, read(reader, response, fuzz::Cuts(text, 7, 40), Nanoseconds(0)));
    }
    return 0;
}
