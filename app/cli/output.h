// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tailmark::cli {

/// Names and texts of a foreign file or server may hold line ends and codes that steer a terminal: shown as
/// \x0a.
std::string oneLine(const std::string& text);

/// An error where anything that went to standard output so far could not be written.
Status flushOutput();
/// Whether a file can be made there at all, for what takes long to have its content.
Status checkWritable(const std::string& file);
/// Writes to a file, or to standard output for "-". A file that cannot be written whole is an error and is
/// not left behind half-written under its name.
Status writeTo(const std::string& file, const std::function<Status(std::ostream&)>& write);
Status writeJsonTo(const std::string& file, const nlohmann::ordered_json& json);
void printJson(const nlohmann::ordered_json& json); ///< to standard output

/// A table of text, columns aligned; those of numbers to the right.
class Table
{
public:
    struct Column
    {
        std::string title;
        bool number = true;
    };
    explicit Table(std::vector<Column> columns) : m_columns(std::move(columns)) {}
    void addRow(std::vector<std::string> cells); ///< a very long cell is cut
    bool empty() const { return m_rows.empty(); }
    void print(std::ostream& out) const;

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

/// A figure as in all texts of the engine, "–" when it is absent.
std::string figure(const std::optional<double>& value);
/// "4 min 05 s".
std::string duration(double seconds);

} // namespace tailmark::cli
