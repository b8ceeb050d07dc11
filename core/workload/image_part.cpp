// SPDX-License-Identifier: GPL-3.0-or-later
// PNG: ISO/IEC 15948; zlib's stored blocks: RFC 1950 and 1951.
#include "workload/image_part.h"

#include "base/rng.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include <boost/crc.hpp>

namespace tailmark {

namespace {

constexpr std::size_t kMaxFileBytes = 20'000'000;
constexpr std::size_t kColourBytes = 12; ///< four colours of three bytes
constexpr std::size_t kColourChunkBytes = 12 + kColourBytes;

void appendBase64(std::string& out, std::string_view bytes)
{
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto at = [&](std::size_t i) -> std::uint32_t {
        return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        const char four[] = {digits[three >> 18], digits[three >> 12 & 63],
                             i + 1 < bytes.size() ? digits[three >> 6 & 63] : '=',
                             i + 2 < bytes.size() ? digits[three & 63] : '='};
        out.append(four, sizeof four);
    }
}

void putBigEndian(char* out, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *out++ = static_cast<char>(value >> shift & 0xff);
}

void appendBigEndian(std::string& out, std::uint32_t value)
{
    char bytes[4];
    putBigEndian(bytes, value);
    out.append(bytes, sizeof bytes);
}

std::uint32_t crcOf(std::string_view typeAndData)
{
    boost::crc_32_type crc;
    crc.process_bytes(typeAndData.data(), typeAndData.size());
    return crc.checksum();
}

void appendChunk(std::string& out, std::string_view type, std::string_view data)
{
    appendBigEndian(out, static_cast<std::uint32_t>(data.size()));
    const std::string typeAndData = std::string(type) + std::string(data);
    out += typeAndData;
    appendBigEndian(out, crcOf(typeAndData));
}

/// The data as a zlib stream that stores it as it is.
std::string stored(std::string_view data)
{
    constexpr std::size_t block = 65'535;
    std::string out("\x78\x01", 2);
    std::uint32_t a = 1, b = 0; // Adler-32
    for (std::size_t at = 0; at < data.size(); at += block) {
        const std::string_view part = data.substr(at, block);
        const auto size = static_cast<std::uint16_t>(part.size());
        out += at + block >= data.size() ? '\x01' : '\x00';
        for (const std::uint16_t n : {size, static_cast<std::uint16_t>(~size)}) {
            out += static_cast<char>(n & 0xff);
            out += static_cast<char>(n >> 8);
        }
        out += part;
        for (const char byte : part) {
            a = (a + static_cast<unsigned char>(byte)) % 65'521;
            b = (b + a) % 65'521;
        }
    }
    appendBigEndian(out, b << 16 | a);
    return out;
}

/// Two bits a pixel; each row begins with the byte that says "no filter".
std::string noise(int width, int height)
{
    const std::size_t rowBytes = (static_cast<std::size_t>(width) + 3) / 4;
    std::string rows;
    rows.reserve((rowBytes + 1) * static_cast<std::size_t>(height));
    std::uint64_t number = 0;
    for (int y = 0; y < height; ++y) {
        rows += '\0';
        for (std::size_t x = 0; x < rowBytes; ++x)
            rows += static_cast<char>(mixBits(++number) & 0xff);
    }
    return rows;
}

std::string_view typeOf(std::string_view bytes)
{
    if (bytes.starts_with("\x89PNG\r\n\x1a\n"))
        return "image/png";
    if (bytes.starts_with("\xff\xd8\xff"))
        return "image/jpeg";
    if (bytes.starts_with("GIF8"))
        return "image/gif";
    if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP"))
        return "image/webp";
    return {};
}

} // namespace

TestImages::TestImages(int widthPx, int heightPx)
{
    std::string head("\x89PNG\r\n\x1a\n", 8);
    std::string size;
    appendBigEndian(size, static_cast<std::uint32_t>(widthPx));
    appendBigEndian(size, static_cast<std::uint32_t>(heightPx));
    appendChunk(head, "IHDR", size + std::string("\x02\x03\x00\x00\x00", 5)); // 2 bits of a palette
    std::string tail;
    appendChunk(tail, "IDAT", stored(noise(widthPx, heightPx)));
    appendChunk(tail, "IEND", {});
    // 33 bytes before the colours and 24 of them: base64 takes three at a time, so that the parts fit
    // together
    m_head = "data:image/png;base64,";
    appendBase64(m_head, head);
    appendBase64(m_tail, tail);
}

void TestImages::append(std::string& out, std::uint64_t number) const
{
    std::array<char, kColourChunkBytes> chunk;
    putBigEndian(chunk.data(), kColourBytes);
    std::memcpy(&chunk[4], "PLTE", 4);
    putBigEndian(&chunk[8], static_cast<std::uint32_t>(number >> 32));
    putBigEndian(&chunk[12], static_cast<std::uint32_t>(number));
    putBigEndian(&chunk[16], static_cast<std::uint32_t>(mixBits(number)));
    putBigEndian(&chunk[20], crcOf({&chunk[4], 4 + kColourBytes}));
    out += m_head;
    appendBase64(out, {chunk.data(), chunk.size()});
    out += m_tail;
}

Result<std::string> imageFileUrl(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string bytes(kMaxFileBytes + 1, '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.eof() && !file)
        return Error{ErrorCode::BadInput, path, std::string("cannot be read: ") + std::strerror(errno)};
    bytes.resize(static_cast<std::size_t>(file.gcount()));
    const std::string_view type = typeOf(bytes);
    if (bytes.size() > kMaxFileBytes)
        return Error{ErrorCode::BadInput, path, "is larger than 20 MB"};
    if (type.empty())
        return Error{ErrorCode::BadInput, path, "is no PNG, JPEG, WebP or GIF picture"};
    std::string url = "data:" + std::string(type) + ";base64,";
    appendBase64(url, bytes);
    return url;
}

} // namespace tailmark
