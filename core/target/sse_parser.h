// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tailmark {

/// One event of a server-sent event stream. `data` is valid until the next call of the parser.
struct SseEvent
{
    std::string_view data; ///< its data lines joined by line feeds, without the spaces around each
    bool error =
        false; ///< "event: error", or a field named "error" (older llama.cpp servers send `error: {…}`)
};

/// Frames a server-sent event stream (WHATWG HTML, "Server-sent events") from network reads cut anywhere,
/// inside a character or between CR and LF included. Lines end with LF, CRLF or CR; a BOM, comments, `id:`,
/// `retry:`, unknown fields and events without data are passed over. Beyond the standard: all spaces around
/// data are stripped, since engines pad, and errors are marked. An event that lies whole in one read is not
/// copied, and nothing is allocated once the buffers have grown. One thread at a time.
///
///     parser.feed(data, size);
///     while (parser.next(event)) …
class SseParser
{
public:
    /// Longest line and longest event kept; what is longer is cut there, so it will not be valid JSON.
    static constexpr std::size_t kMaxEventBytes = 16u << 20;

    void reset();
    /// Hands over one network read; `data` must stay valid until next() has returned false.
    void feed(const char* data, std::size_t size);
    /// The next event with data that is complete; false when the read is used up.
    bool next(SseEvent& event);
    /// A line that is neither a field nor a comment has come. Harmless beside events; alone it tells that
    /// this is no event stream.
    bool sawForeignLine() const { return m_foreignLine; }
    /// At the end of the stream, after next() returned false: an event whose end (blank line) never came.
    bool takeUnfinished(SseEvent& event);

private:
    void takeLine(std::string_view line, bool inRead);
    void takeAnyLine(std::string_view line);
    bool dispatch(SseEvent& event);

    const char* m_at = nullptr;
    const char* m_end = nullptr;
    std::string m_line;      ///< beginning of a line that earlier reads brought
    std::string m_joined;    ///< data that had to be copied
    std::string_view m_data; ///< data of the event so far: into the read or into m_joined
    bool m_dataInRead = false;
    bool m_hasData = false;
    bool m_error = false;
    bool m_skipLf = false; ///< the line before ended with CR, an LF right behind it belongs to it
    bool m_firstLine = true;
    bool m_foreignLine = false;
};

} // namespace tailmark
