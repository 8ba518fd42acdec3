// SPDX-License-Identifier: GPL-3.0-or-later
// Fills rectangles straight into the bits of an RGB32 image: 8 ms for 100,000 of them, a fifth of what QPainter takes
// (PERFORMANCE.md section 3). One writer at a time; coordinates are device pixels and clipped.
#pragma once

#include <QImage>

namespace tuneline::ui {

class Raster
{
public:
    explicit Raster(QImage &image); // Format_RGB32; must outlive the raster
    void fill(int left, int top, int right, int bottom, QRgb colour); // right and bottom are past the end
    void clear(QRgb colour);
    // Later fills stay inside rows [top, bottom).
    void clipRows(int top, int bottom);

private:
    QRgb *m_bits;
    qsizetype m_stride; // in pixels
    int m_width, m_height;
    int m_top = 0, m_bottom = 0;
};

} // namespace tuneline::ui
