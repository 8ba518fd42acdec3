// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonwindows.h"

#include "analysis/import/jsonscan.h"

namespace tuneline::analysis::json {
namespace {

constexpr std::size_t kAhead = 8; // inflated windows that may wait
// How much of the text behind a border is looked at to tell an event from an object inside one.
constexpr std::size_t kBorderLook = std::size_t{1} << 17U;
constexpr std::uint64_t kReadingPermille = 600; // of the whole import

} // namespace

TextWindows::TextWindows(std::string_view text, std::size_t from, const MappedFile *file, Progress &progress)
    : m_text(text)
    , m_at(from)
    , m_file(file)
    , m_progress(progress)
{ }

void TextWindows::done(const Window &window)
{
    if (m_file != nullptr)
        m_file->release(window.offset, window.offset + window.text.size());
}

bool TextWindows::next(Window &window)
{
    const std::lock_guard lock(m_mutex);
    if (m_at >= m_text.size() || m_progress.cancelled())
        return false;
    const std::size_t border =
        m_text.size() - m_at > kWindowBytes + kBorderLook ? nextEvent(m_text, m_at + kWindowBytes) : kNowhere;
    const std::size_t end = border == kNowhere ? m_text.size() : border;
    window.text = m_text.substr(m_at, end - m_at);
    window.offset = m_at;
    window.index = m_index++;
    window.last = end == m_text.size();
    m_at = end;
    m_progress.permille = static_cast<std::uint32_t>(kReadingPermille * m_at / m_text.size());
    return true;
}

GzipWindows::GzipWindows(std::string_view compressed, Progress &progress)
    : m_compressed(compressed)
    , m_stream(compressed)
    , m_progress(progress)
    , m_thread([this] { inflate(); })
{ }

GzipWindows::~GzipWindows()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

void GzipWindows::inflate()
{
    std::string text;
    std::uint64_t offset = 0;
    std::size_t wanted = kWindowBytes + kBorderLook;
    bool more = true;
    while (more && !m_progress.cancelled()) {
        std::size_t used = text.size();
        text.resize(wanted);
        used += m_stream.read(std::span(text).subspan(used));
        more = used == wanted;
        text.resize(used);
        const std::size_t border = more ? nextEvent(text, kWindowBytes) : kNowhere;
        if (more && border == kNowhere) {
            wanted *= 2; // one very large event, or a large header
            continue;
        }
        std::string rest = more ? text.substr(border) : std::string();
        text.resize(more ? border : used);
        const std::size_t bytes = text.size();
        if (!push(std::move(text), offset, !more))
            break;
        offset += bytes;
        text = std::move(rest);
        wanted = kWindowBytes + kBorderLook;
        m_progress.permille = static_cast<std::uint32_t>(kReadingPermille * m_stream.consumed() / m_compressed.size());
    }
    const std::lock_guard lock(m_mutex);
    m_finished = true;
    m_changed.notify_all();
}

bool GzipWindows::push(std::string text, std::uint64_t offset, bool last)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ready.size() < kAhead || m_stop; });
    if (m_stop)
        return false;
    Window window;
    window.owned = std::move(text);
    window.offset = offset;
    window.index = m_index++;
    window.last = last;
    m_ready.push_back(std::move(window));
    m_changed.notify_all();
    return true;
}

bool GzipWindows::next(Window &window)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_ready.empty() || m_finished; });
    if (m_ready.empty() || m_progress.cancelled())
        return false;
    window = std::move(m_ready.front());
    window.text = window.owned;
    m_ready.pop_front();
    m_changed.notify_all();
    return true;
}

} // namespace tuneline::analysis::json
