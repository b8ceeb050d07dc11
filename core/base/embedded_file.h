// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace tailmark {

/// A text file that was built into the program (cmake/embed_files.cmake).
struct EmbeddedFile
{
    std::string_view name; ///< without folder and suffix
    std::string_view text;
};

} // namespace tailmark
