// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>

namespace tailmark {

/// Pictures of one size as data URLs, made without an image library: PNG in four colours. All have the same
/// noise; their colours are their number's own, so that different numbers are different pictures and no cache
/// of images is hit by accident. Immutable; any thread.
class TestImages
{
public:
    TestImages(int widthPx, int heightPx);

    /// Adds "data:image/png;base64,…". Allocates nothing once `out` has grown.
    void append(std::string& out, std::uint64_t number) const;

private:
    std::string m_head; ///< up to the colours
    std::string m_tail; ///< from behind them
};

/// A picture from a file as a data URL. Errors: Io (cannot be read), BadInput (no PNG, JPEG, WebP or GIF, or
/// larger than 20 MB).
Result<std::string> imageFileUrl(const std::string& path);

} // namespace tailmark
