// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/raster.h"

#include <algorithm>

namespace tuneline::ui {

Raster::Raster(QImage &image)
    : m_bits(reinterpret_cast<QRgb *>(image.bits()))
    , m_stride(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb)))
    , m_width(image.width())
    , m_height(image.height())
    , m_bottom(image.height())
{
    Q_ASSERT(image.format() == QImage::Format_RGB32);
}

void Raster::fill(int left, int top, int right, int bottom, QRgb colour)
{
    left = std::max(left, 0);
    right = std::min(right, m_width);
    top = std::max(top, m_top);
    bottom = std::min(bottom, m_bottom);
    if (left >= right)
        return;
    for (int y = top; y < bottom; ++y) {
        QRgb *line = m_bits + y * m_stride;
        std::fill(line + left, line + right, colour);
    }
}

void Raster::clear(QRgb colour)
{
    for (int y = 0; y < m_height; ++y)
        std::fill_n(m_bits + y * m_stride, m_width, colour);
}

void Raster::clipRows(int top, int bottom)
{
    m_top = std::max(top, 0);
    m_bottom = std::min(bottom, m_height);
}

} // namespace tuneline::ui
