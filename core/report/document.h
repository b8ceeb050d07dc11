// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/run_results.h"

#include <string>
#include <variant>
#include <vector>

namespace tailmark {

struct ComparedRuns;

// The report as data: what is said, in order. The HTML and Markdown writers only decide how it looks.

struct Paragraph
{
    enum class Kind { Plain, Claim, Warning };
    std::string text;
    Kind kind = Kind::Plain;
};

struct ReportTable
{
    struct Column
    {
        std::string title;
        std::string tooltip; ///< definition of the metric
        bool isNumber = true;
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows; ///< as many cells as columns; empty = absent
};

/// A vector chart, and what it shows in words.
struct Figure
{
    std::string svg;
    std::string caption;
};

/// Text to be taken as it is (a matrix file, a command).
struct Listing
{
    std::string title;
    std::string text;
};

using ReportBlock = std::variant<Paragraph, ReportTable, Figure, Listing>;

struct ReportSection
{
    std::string title;
    std::vector<ReportBlock> blocks;
};

struct ReportDocument
{
    std::string title;
    std::string subtitle;
    std::vector<ReportSection> sections;
};

ReportDocument makeReport(const RunResults& results);
ReportDocument makeComparisonReport(const ComparedRuns& compared);

std::string htmlOf(const ReportDocument& document);
std::string markdownOf(const ReportDocument& document);

// Parts of it, in files of their own; empty sections are left out.
ReportSection glanceSection(const RunResults& results); ///< the first page: all that identifies the run
std::vector<ReportSection> resultSections(const RunResults& results); ///< what was found
ReportSection lengthSection(const RunResults& results); ///< lengths asked and realised
/// Of each point the window that was measured, and the part in which its latency was steady.
ReportSection windowSection(const RunResults& results);
std::vector<ReportSection>
engineSections(const RunResults& results); ///< what engine and load generator tell of themselves
std::vector<ReportSection>
setupSections(const RunResults& results); ///< under what conditions, and how to do it again

} // namespace tailmark
