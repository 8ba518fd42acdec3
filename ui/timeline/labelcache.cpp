// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/labelcache.h"

#include "ui/models/eventtext.h"

namespace tuneline::ui {

namespace {

constexpr std::size_t kMaxEntries = 4000; // some hundred bytes each; a screen shows a few hundred
constexpr qsizetype kMinCharacters = 3;
constexpr qsizetype kMaxCharacters = 200;

} // namespace

void LabelCache::reset(analysis::TracePtr trace, const QFont &font)
{
    m_trace = std::move(trace);
    m_font = font;
    m_entries.clear();
    m_names.clear();
}

const QStaticText *LabelCache::label(analysis::StringId name, int width)
{
    const qsizetype length = shortText(name).size();
    if (length == 0)
        return nullptr;
    if (m_entries.size() > kMaxEntries)
        m_entries.clear();
    const Entry &full = entry(name, length);
    if (full.width <= width)
        return &full.text;
    qsizetype fitting = length * width / full.width - 1; // one for the ellipsis
    for (; fitting >= kMinCharacters; --fitting) {
        const Entry &shortened = entry(name, fitting);
        if (shortened.width <= width)
            return &shortened.text;
    }
    return nullptr;
}

const LabelCache::Entry &LabelCache::entry(analysis::StringId name, qsizetype characters)
{
    const std::uint64_t key = (std::uint64_t{name.value} << 32) | static_cast<std::uint64_t>(characters);
    const auto [it, isNew] = m_entries.try_emplace(key);
    if (!isNew)
        return it->second;
    const QString &full = shortText(name);
    Entry &made = it->second;
    made.text.setTextFormat(Qt::PlainText);
    made.text.setPerformanceHint(QStaticText::AggressiveCaching);
    made.text.setText(characters >= full.size() ? full : full.left(characters) + QChar(0x2026));
    made.text.prepare({}, m_font);
    made.width = static_cast<int>(std::ceil(made.text.size().width()));
    return made;
}

const QString &LabelCache::shortText(analysis::StringId name)
{
    const auto [it, isNew] = m_names.try_emplace(name.value);
    if (isNew)
        it->second =
            shortName(m_trace->strings.view(name)).left(kMaxCharacters).replace(QLatin1Char('\n'), QLatin1Char(' '));
    return it->second;
}

} // namespace tuneline::ui
