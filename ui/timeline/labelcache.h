// SPDX-License-Identifier: GPL-3.0-or-later
// Laid-out event labels, shortened to the space there is. Laying text out is the dearest part of a frame
// (PERFORMANCE.md section 3), so each (name, length) is done once and kept. GUI thread only.
#pragma once

#include "analysis/trace/trace.h"

#include <QFont>
#include <QFontMetrics>
#include <QStaticText>
#include <unordered_map>

namespace tuneline::ui {

class LabelCache
{
public:
    void reset(analysis::TracePtr trace, const QFont &font); // also after a change of font
    // The longest form of the name that fits; nullptr if nothing useful does.
    const QStaticText *label(analysis::StringId name, int width);
    [[nodiscard]] const QFont &font() const { return m_font; }

private:
    struct Entry
    {
        QStaticText text;
        int width = 0;
    };
    const Entry &entry(analysis::StringId name, qsizetype characters); // of the short name
    const QString &shortText(analysis::StringId name);

    analysis::TracePtr m_trace;
    QFont m_font;
    std::unordered_map<std::uint64_t, Entry> m_entries;
    std::unordered_map<std::uint32_t, QString> m_names;
};

} // namespace tuneline::ui
