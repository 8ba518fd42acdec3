// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/svg.h"

#include "analysis/report/htmlpage.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tuneline::analysis {
namespace {

constexpr double kLetter = 6.2; // mean width of a letter at the style sheet's 11 px

// Two decimals; the point whatever the locale.
std::string number(double value)
{
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, std::round(value * 100) / 100);
    return error == std::errc() ? std::string(text, end) : "0";
}

std::string attribute(const char *name, double value)
{
    return std::string(" ") + name + "=\"" + number(value) + "\"";
}

// The first `count` characters, never half of one.
std::string_view cut(std::string_view text, std::size_t count)
{
    std::size_t at = 0;
    for (; at < text.size() && count > 0; --count) {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U)
            ++at;
    }
    return text.substr(0, at);
}

} // namespace

Svg::Svg(double width, double height, std::string_view title)
    : m_out("<svg viewBox=\"0 0 " + number(width) + " " + number(height) + "\" role=\"img\" aria-label=\""
            + htmlText(title) + "\">\n")
{ }

void Svg::rect(const SvgBox &box, std::string_view colour, std::string_view tip, double opacity)
{
    if (box.width <= 0 || box.height <= 0)
        return;
    m_out += "<rect" + attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width)
        + attribute("height", box.height) + " style=\"fill:var(--" + std::string(colour) + ")\"";
    if (opacity < 1)
        m_out += attribute("opacity", opacity);
    m_out += tip.empty() ? std::string("/>\n") : "><title>" + htmlText(tip) + "</title></rect>\n";
}

void Svg::label(const SvgBox &box, std::string_view text)
{
    const auto letters = static_cast<std::size_t>(std::max(0.0, (box.width - 8) / kLetter));
    if (letters < 4)
        return;
    const std::string_view part = cut(text, letters);
    m_out += "<text class=\"in\" pointer-events=\"none\"" + attribute("x", box.x + 4)
        + attribute("y", box.y + box.height / 2 + 4) + ">" + htmlText(part) + (part.size() < text.size() ? "…" : "")
        + "</text>\n";
}

void Svg::text(double x, double y, std::string_view text, std::string_view style)
{
    m_out += "<text" + attribute("x", x) + attribute("y", y)
        + (style.empty() ? std::string() : " class=\"" + std::string(style) + "\"") + ">" + htmlText(text)
        + "</text>\n";
}

void Svg::line(double x, double fromY, double toY)
{
    m_out += "<line" + attribute("x1", x) + attribute("x2", x) + attribute("y1", fromY) + attribute("y2", toY)
        + " style=\"stroke:var(--line)\"/>\n";
}

std::string Svg::take()
{
    return std::move(m_out) + "</svg>\n";
}

} // namespace tuneline::analysis
