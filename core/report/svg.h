// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tailmark {

/// Text as it may stand in HTML, XML and their attributes.
std::string escapeMarkup(std::string_view text);

/// Writes an SVG element by element. Coordinates in user units; every colour is a class of the page's style
/// sheet.
class SvgWriter
{
public:
    SvgWriter(double width, double height, std::string_view title);

    void line(double x1, double y1, double x2, double y2, std::string_view cssClass);
    void rect(double x, double y, double width, double height, std::string_view cssClass);
    void path(const std::vector<std::pair<double, double>>& points, std::string_view cssClass);
    void circle(double x, double y, double radius, std::string_view cssClass, std::string_view tooltip);
    /// `anchor`: "start", "middle" or "end".
    void text(double x, double y, std::string_view anchor, std::string_view cssClass,
              std::string_view content);
    /// Reads upwards, its middle at (x, y).
    void upwardText(double x, double y, std::string_view cssClass, std::string_view content);

    std::string finish();

private:
    std::string m_svg;
};

/// A linear or logarithmic axis from values to coordinates, with its ticks.
class SvgAxis
{
public:
    /// Values [low, high], which need not be in order or different; `logarithmic` wants them above 0.
    SvgAxis(double low, double high, bool logarithmic, double from, double to);

    double at(double value) const;
    bool holds(double value) const { return value >= m_low && value <= m_high; }
    std::vector<double> ticks() const; ///< at most twelve, at 1, 2 and 5 times powers of ten

private:
    double m_low, m_high;
    bool m_logarithmic;
    double m_from, m_to;
};

} // namespace tailmark
