// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace tailmark {

/// Lines of a text file one after another, of bounded length, whatever their ends (LF, CRLF) and with or
/// without a byte order mark and a last newline.
class LineReader
{
public:
    /// Longest line that is read; anything longer is no log of requests.
    static constexpr std::size_t kMaxLine = 64 * 1024;

    explicit LineReader(std::istream& stream) : m_stream(stream) {}

    /// The next line into `line`, without its end. False at the end of the file or when tooLong().
    bool next(std::string& line);
    /// Physical number of the line last read, from 1.
    std::int64_t number() const { return m_number; }
    bool tooLong() const { return m_tooLong; }

private:
    std::istream& m_stream;
    std::int64_t m_number = 0;
    bool m_tooLong = false;
};

} // namespace tailmark
