// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tailmark {

/// A file read once from front to end through a window of memory, plain or gzip by its first bytes. One
/// thread.
class ByteSource
{
public:
    /// Where not even one record ends inside so much, the file is none of records.
    static constexpr std::size_t kMaxWindow = std::size_t{64} << 20;

    /// Errors: no such file, a folder, not readable. What is no regular file (a pipe) is read as its writer goes on;
    /// while it waits, `goOn` is asked now and then and ends it with false.
    static Result<ByteSource> open(const std::string& path, std::function<bool()> goOn = {});
    ByteSource(ByteSource&&) noexcept;
    ByteSource& operator=(ByteSource&&) noexcept;
    ~ByteSource();

    /// The bytes that are in memory and not consumed. `more` moves them.
    std::string_view window() const { return {m_buffer.get() + m_begin, m_end - m_begin}; }
    void consume(std::size_t bytes) { m_begin += bytes; }
    /// Reads on, behind the window. False at the end, on an error, or when the window is full.
    bool more();
    bool full() const { return m_end - m_begin >= kMaxWindow; }
    /// Why it could not be read to the end; empty where it could.
    const std::string& failure() const { return m_failure; }
    /// Of the whole file in bytes, 0 = not known; of a packed one about, by what was unpacked so far.
    std::uint64_t unpackedSize() const;
    /// Of the file on disk, 0..1.
    double fractionRead() const;

private:
    struct File;
    explicit ByteSource(std::unique_ptr<File> file);
    std::size_t readPlain(char* to, std::size_t room);
    std::size_t inflate(char* to, std::size_t room);

    std::unique_ptr<File> m_file;
    std::unique_ptr<char[]> m_buffer;
    std::size_t m_capacity = 0, m_begin = 0, m_end = 0;
    std::string m_failure;
};

} // namespace tailmark
