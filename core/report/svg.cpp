// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/svg.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tailmark {

namespace {

std::string coordinate(double value)
{
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 1).ptr;
    return {buffer, end};
}

std::string attribute(std::string_view name, double value)
{
    return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}

std::string classAttribute(std::string_view cssClass)
{
    return " class=\"" + escapeMarkup(cssClass) + "\"";
}

constexpr std::array kMantissas = {1.0, 2.0, 5.0};
constexpr std::size_t kMostTicks = 12;

} // namespace

std::string escapeMarkup(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            // Control characters are not allowed in XML at all.
            out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
        }
    }
    return out;
}

SvgWriter::SvgWriter(double width, double height, std::string_view title)
{
    m_svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + coordinate(width) +
            " " + coordinate(height) + "\"><title>" + escapeMarkup(title) + "</title>";
}

void SvgWriter::line(double x1, double y1, double x2, double y2, std::string_view cssClass)
{
    m_svg += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
             classAttribute(cssClass) + "/>";
}

void SvgWriter::rect(double x, double y, double width, double height, std::string_view cssClass)
{
    m_svg += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
             attribute("height", height) + classAttribute(cssClass) + "/>";
}

void SvgWriter::path(const std::vector<std::pair<double, double>>& points, std::string_view cssClass)
{
    m_svg += "<polyline points=\"";
    for (const auto& [x, y] : points)
        m_svg += coordinate(x) + "," + coordinate(y) + " ";
    m_svg += "\"" + classAttribute(cssClass) + "/>";
}

void SvgWriter::circle(double x, double y, double radius, std::string_view cssClass, std::string_view tooltip)
{
    m_svg += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
             classAttribute(cssClass) + "><title>" + escapeMarkup(tooltip) + "</title></circle>";
}

void SvgWriter::text(double x, double y, std::string_view anchor, std::string_view cssClass,
                     std::string_view content)
{
    m_svg += "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + std::string(anchor) +
             "\"" + classAttribute(cssClass) + ">" + escapeMarkup(content) + "</text>";
}

void SvgWriter::upwardText(double x, double y, std::string_view cssClass, std::string_view content)
{
    m_svg += "<text transform=\"translate(" + coordinate(x) + " " + coordinate(y) + ") rotate(-90)\"" +
             " text-anchor=\"middle\"" + classAttribute(cssClass) + ">" + escapeMarkup(content) + "</text>";
}

std::string SvgWriter::finish()
{
    return m_svg + "</svg>";
}

SvgAxis::SvgAxis(double low, double high, bool logarithmic, double from, double to)
    : m_low(std::min(low, high)), m_high(std::max(low, high)), m_logarithmic(logarithmic), m_from(from),
      m_to(to)
{
    if (m_high > m_low)
        return;
    // One value only: it stands in the middle.
    const double margin = m_low == 0 ? 1 : std::fabs(m_low) / 2;
    m_low = logarithmic ? m_low / 3 : m_low - margin;
    m_high = logarithmic ? m_high * 3 : m_high + margin;
}

double SvgAxis::at(double value) const
{
    const double share = m_logarithmic ? std::log(value / m_low) / std::log(m_high / m_low)
                                       : (value - m_low) / (m_high - m_low);
    return m_from + (m_to - m_from) * share;
}

std::vector<double> SvgAxis::ticks() const
{
    std::vector<double> ticks;
    if (m_logarithmic) {
        const int first = static_cast<int>(std::floor(std::log10(m_low)));
        const int last = static_cast<int>(std::ceil(std::log10(m_high)));
        for (int power = first; power <= last; ++power) {
            for (const double mantissa : kMantissas) {
                const double tick = mantissa * std::pow(10, power);
                if (holds(tick) && (mantissa == 1 || last - first <= 3))
                    ticks.push_back(tick);
            }
        }
        ticks.resize(std::min(ticks.size(), kMostTicks));
        return ticks;
    }
    const double power = std::pow(10, std::floor(std::log10((m_high - m_low) / 5)));
    double step = power;
    for (const double mantissa : kMantissas) {
        if ((m_high - m_low) / step > 8)
            step = mantissa * power;
    }
    if ((m_high - m_low) / step > 8)
        step = 10 * power;
    for (double tick = std::ceil(m_low / step) * step; tick <= m_high && ticks.size() < kMostTicks;
         tick += step)
        ticks.push_back(std::fabs(tick) < step / 1000 ? 0 : tick);
    return ticks;
}

} // namespace tailmark
