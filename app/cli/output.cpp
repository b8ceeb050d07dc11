// SPDX-License-Identifier: GPL-3.0-or-later
#include "output.h"

#include "analysis/text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

namespace tailmark::cli {

namespace {

/// Characters, not bytes: of each UTF-8 sequence the first byte only.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string dumped(const nlohmann::ordered_json& json)
{
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Error cannotBeWritten(const std::string& file)
{
    // A folder that is not there or not ours is what the user named.
    const bool named = errno == ENOENT || errno == ENOTDIR || errno == EISDIR || errno == EACCES || errno == EROFS;
    return {named ? ErrorCode::BadInput : ErrorCode::Io, file, std::string("cannot be written: ") + std::strerror(errno)};
}

/// A device or pipe cannot be replaced by a rename.
bool isPlain(const std::string& file)
{
    std::error_code ignored;
    return !std::filesystem::exists(file, ignored) || std::filesystem::is_regular_file(file, ignored);
}

/// Where the content goes until it is whole.
std::string partOf(const std::string& file)
{
    return file + ".part";
}

/// A name of hundreds of characters would push all other columns out of sight.
std::string cut(const std::string& text)
{
    constexpr std::size_t kMost = 60;
    if (width(text) <= kMost)
        return text;
    std::size_t bytes = 0;
    for (std::size_t characters = 0; characters < kMost; ++bytes)
        characters += (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80 ? 1 : 0;
    return text.substr(0, bytes - 1) + "…";
}

} // namespace

std::string oneLine(const std::string& text)
{
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte != 0x7f) {
            line += c;
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(byte));
        line += escaped;
    }
    return line;
}

Status flushOutput()
{
    std::cout.flush();
    return std::cout ? success()
                     : Status(Error{ErrorCode::Io, "standard output", "cannot be written in full"});
}

Status checkWritable(const std::string& file)
{
    if (file == "-" || !isPlain(file))
        return success();
    if (!std::ofstream(partOf(file), std::ios::binary | std::ios::app))
        return cannotBeWritten(file);
    std::remove(partOf(file).c_str());
    return success();
}

Status writeTo(const std::string& file, const std::function<Status(std::ostream&)>& write)
{
    if (file == "-") {
        const Status status = write(std::cout);
        const Status written = flushOutput();
        return written ? status : written;
    }
    const bool plain = isPlain(file);
    const std::string part = plain ? partOf(file) : file;
    std::ofstream out(part, std::ios::binary | std::ios::trunc);
    if (!out)
        return cannotBeWritten(file);
    Status status = write(out);
    out.close();
    if (!out)
        status = cannotBeWritten(file);
    if (plain && status && std::rename(part.c_str(), file.c_str()) != 0)
        status = cannotBeWritten(file);
    if (plain && !status)
        std::remove(part.c_str());
    return status;
}

Status writeJsonTo(const std::string& file, const nlohmann::ordered_json& json)
{
    return writeTo(file, [&](std::ostream& out) {
        out << dumped(json);
        return success();
    });
}

void printJson(const nlohmann::ordered_json& json)
{
    std::cout << dumped(json);
}

void Table::addRow(std::vector<std::string> cells)
{
    for (std::string& cell : cells)
        cell =
            &cell == &cells.back() ? oneLine(cell) : cut(oneLine(cell)); // nothing stands behind the last one
    m_rows.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const
{
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        std::size_t widest = width(m_columns[i].title);
        for (const auto& row : m_rows)
            widest = std::max(widest, width(row[i]));
        widths.push_back(widest);
    }
    const auto line = [&](const auto& cellOf) {
        std::string text;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const std::string& cell = cellOf(i);
            const std::string padding(widths[i] - width(cell), ' ');
            text += (i ? "  " : "") + (m_columns[i].number ? padding + cell : cell + padding);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out << text << '\n';
    };
    line([&](std::size_t i) -> const std::string& { return m_columns[i].title; });
    for (const auto& row : m_rows)
        line([&](std::size_t i) -> const std::string& { return row[i]; });
}

std::string figure(const std::optional<double>& value)
{
    return value ? figureText(*value) : "–";
}

std::string duration(double seconds)
{
    const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
    char text[64];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld s", whole);
    return text;
}

} // namespace tailmark::cli
