// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace tailmark {

/// A number as somebody wrote it: "8,400", "8 400", "8.4k", "1.2 million".
struct WrittenNumber
{
    double value = 0;
    std::string written;
    std::string doubt; ///< why it cannot be read with certainty, in a sentence; empty: it can
};

/// A text in which "#0#", "#1#", … stand for its numbers. A number that is part of a word ("p99", "v0.6") stays.
struct NumberedText
{
    std::string text;
    std::vector<WrittenNumber> numbers;
};

/// Groups of three digits may be set apart by commas, blanks of any width, apostrophes or underscores, decimals by a
/// point; points and a comma the other way round where both occur. What has two readings gets a doubt.
NumberedText takeNumbers(const std::string& text);

} // namespace tailmark
