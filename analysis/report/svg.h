// SPDX-License-Identifier: GPL-3.0-or-later
// An inline SVG picture, built shape by shape. Colours are names of the page's style sheet, texts are made safe here.
#pragma once

#include <string>
#include <string_view>

namespace tuneline::analysis {

struct SvgBox
{
    double x = 0, y = 0, width = 0, height = 0;
};

class Svg
{
public:
    Svg(double width, double height, std::string_view title); // the title is what a screen reader says
    void rect(const SvgBox &box, std::string_view colour, std::string_view tip, double opacity = 1);
    void label(const SvgBox &box, std::string_view text); // inside the box, if enough of it fits
    void text(double x, double y, std::string_view text, std::string_view style = {});
    void line(double x, double fromY, double toY);
    [[nodiscard]] std::string take(); // the whole element

private:
    std::string m_out;
};

} // namespace tuneline::analysis
