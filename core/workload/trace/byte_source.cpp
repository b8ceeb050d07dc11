// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/trace/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace tailmark {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr int kAskEveryMs = 50;

} // namespace

struct ByteSource::File
{
    int handle = -1;
    std::uint64_t size = 0, read = 0;
    bool regular = true;
    std::function<bool()> goOn;
    bool gzip = false;
    bool streamEnded = false; ///< of the gzip member, with its checksum
    z_stream stream{};
    std::unique_ptr<char[]> packed;

    ~File()
    {
        if (gzip)
            inflateEnd(&stream);
        if (handle >= 0)
            ::close(handle);
    }
    /// Until there is something to read, or its end; false where it is not to go on.
    bool waitForWriter() const
    {
        pollfd waited = {handle, POLLIN, 0};
        while (::poll(&waited, 1, kAskEveryMs) <= 0)
            if (goOn && !goOn())
                return false;
        return true;
    }
    /// Bytes read, 0 at the end, −1 on an error.
    ssize_t get(char* to, std::size_t room)
    {
        ssize_t n;
        do {
            if (!regular && !waitForWriter()) {
                errno = ECANCELED;
                return -1;
            }
            n = ::read(handle, to, room);
        } while (n < 0 && (errno == EINTR || errno == EAGAIN));
        if (n > 0)
            read += static_cast<std::uint64_t>(n);
        return n;
    }
};

ByteSource::ByteSource(std::unique_ptr<File> file) : m_file(std::move(file)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::open(const std::string& path, std::function<bool()> goOn)
{
    const auto refuse = [&](const std::string& message) { return Error{ErrorCode::BadInput, path, message}; };
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec))
        return refuse("not_a_file: is a folder; must be a trace file");
    auto file = std::make_unique<File>();
    file->handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe opens without its writer
    if (file->handle < 0)
        return refuse(std::string("unreadable: cannot be opened: ") + std::strerror(errno));
    struct stat facts
    {
    };
    if (::fstat(file->handle, &facts) == 0) {
        file->regular = S_ISREG(facts.st_mode);
        if (facts.st_size > 0)
            file->size = static_cast<std::uint64_t>(facts.st_size);
    }
    file->goOn = std::move(goOn);
    ::posix_fadvise(file->handle, 0, 0, POSIX_FADV_SEQUENTIAL);
    ByteSource source(std::move(file));
    source.more();
    if (!source.m_failure.empty())
        return refuse(source.m_failure);
    if (!source.window().starts_with("\x1f\x8b"))
        return source;
    // Gzip: what was read is its packed begin.
    File& packed = *source.m_file;
    packed.packed = std::make_unique<char[]>(kChunk);
    std::memcpy(packed.packed.get(), source.window().data(), source.window().size());
    packed.stream.next_in = reinterpret_cast<Bytef*>(packed.packed.get());
    packed.stream.avail_in = static_cast<uInt>(source.window().size());
    if (inflateInit2(&packed.stream, 16 + MAX_WBITS) != Z_OK)
        return Error{ErrorCode::Internal, path, "no memory to unpack the file"};
    packed.gzip = true;
    source.m_begin = source.m_end = 0;
    source.more();
    if (source.window().empty() && !source.m_failure.empty())
        return refuse(source.m_failure);
    return source;
}

bool ByteSource::more()
{
    if (!m_failure.empty() || full())
        return false;
    if (m_capacity - m_end < kChunk) {
        const std::size_t kept = m_end - m_begin;
        if (m_capacity < kept + kChunk) {
            const std::size_t capacity = std::max(2 * kChunk, 2 * (kept + kChunk));
            std::unique_ptr<char[]> larger(new char[capacity]); // not zeroed: pages untouched take no memory
            std::copy_n(m_buffer.get() + m_begin, kept, larger.get());
            m_buffer = std::move(larger);
            m_capacity = capacity;
        } else {
            std::memmove(m_buffer.get(), m_buffer.get() + m_begin, kept);
        }
        m_begin = 0;
        m_end = kept;
    }
    char* to = m_buffer.get() + m_end;
    const std::size_t got = m_file->gzip ? inflate(to, kChunk) : readPlain(to, kChunk);
    m_end += got;
    return got > 0;
}

std::size_t ByteSource::readPlain(char* to, std::size_t room)
{
    const ssize_t n = m_file->get(to, room);
    if (n < 0)
        m_failure = std::string("unreadable: cannot be read to the end: ") + std::strerror(errno);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}

std::size_t ByteSource::inflate(char* to, std::size_t room)
{
    File& file = *m_file;
    z_stream& stream = file.stream;
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(room);
    while (stream.avail_out == room) {
        if (stream.avail_in == 0) {
            const ssize_t n = file.get(file.packed.get(), kChunk);
            if (n < 0)
                m_failure = std::string("unreadable: cannot be read to the end: ") + std::strerror(errno);
            else if (n == 0 && !file.streamEnded)
                m_failure = "unreadable: the gzip data end too early";
            if (n <= 0)
                return 0;
            stream.next_in = reinterpret_cast<Bytef*>(file.packed.get());
            stream.avail_in = static_cast<uInt>(n);
        }
        if (file.streamEnded) { // another member, as `cat a.gz b.gz` makes; zeros after the last are padding
            if (*stream.next_in == 0) {
                ++stream.next_in;
                --stream.avail_in;
                continue;
            }
            inflateReset(&stream);
            file.streamEnded = false;
        }
        const int code = ::inflate(&stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            file.streamEnded = true;
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            m_failure = "unreadable: the gzip data are damaged";
            break;
        }
    }
    return room - stream.avail_out;
}

std::uint64_t ByteSource::unpackedSize() const
{
    const z_stream& stream = m_file->stream;
    if (!m_file->gzip || stream.total_in == 0)
        return m_file->size;
    return static_cast<std::uint64_t>(static_cast<double>(m_file->size) * static_cast<double>(stream.total_out) /
                                      static_cast<double>(stream.total_in));
}

double ByteSource::fractionRead() const
{
    return m_file->size == 0 ? 0 : std::min(1.0, double(m_file->read) / double(m_file->size));
}

} // namespace tailmark
