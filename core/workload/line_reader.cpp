// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/line_reader.h"

namespace tailmark {

bool LineReader::next(std::string& line)
{
    line.clear();
    if (m_tooLong)
        return false;
    std::streambuf& buffer = *m_stream.rdbuf();
    bool any = false;
    for (;;) {
        const int c = buffer.sbumpc();
        if (c == std::char_traits<char>::eof())
            break;
        any = true;
        if (c == '\n')
            break;
        if (line.size() == kMaxLine) {
            m_tooLong = true;
            return false;
        }
        line += static_cast<char>(c);
    }
    if (!any)
        return false;
    if (!line.empty() && line.back() == '\r')
        line.pop_back();
    if (++m_number == 1 && line.starts_with("\xEF\xBB\xBF"))
        line.erase(0, 3);
    return true;
}

} // namespace tailmark
