// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/jsonwindows.h"

#include "analysis/import/jsonscan.h"

#include <algorithm>

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

void TextWindows::done(Window &window)
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
    std::vector<char> text = buffer();
    std::uint64_t offset = 0;
    std::size_t used = 0, wanted = kWindowBytes + kBorderLook;
    bool more = true;
    while (more && !m_progress.cancelled()) {
        if (text.size() < wanted)
            text.resize(wanted);
        used += m_stream.read(std::span(text).subspan(used, wanted - used));
        more = used == wanted;
        const std::string_view got(text.data(), used);
        const std::size_t border = more ? nextEvent(got, kWindowBytes) : used;
        if (border == kNowhere) {
            wanted *= 2; // one very large event, or a large header
            continue;
        }
        std::vector<char> rest = buffer();
        if (rest.size() < used - border)
            rest.resize(used - border);
        std::copy(got.begin() + static_cast<std::ptrdiff_t>(border), got.end(), rest.begin());
        if (!push(std::move(text), border, offset, !more))
            break;
        offset += border;
        used -= border;
        text = std::move(rest);
        wanted = kWindowBytes + kBorderLook;
        m_progress.permille = static_cast<std::uint32_t>(kReadingPermille * m_stream.consumed() / m_compressed.size());
    }
    const std::lock_guard lock(m_mutex);
    m_finished = true;
    m_changed.notify_all();
}

bool GzipWindows::push(std::vector<char> text, std::size_t size, std::uint64_t offset, bool last)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ready.size() < kAhead || m_stop; });
    if (m_stop)
        return false;
    Window window;
    window.owned = std::move(text);
    window.text = {window.owned.data(), size};
    window.offset = offset;
    window.index = m_index++;
    window.last = last;
    m_ready.push_back(std::move(window));
    m_changed.notify_all();
    return true;
}

std::vector<char> GzipWindows::buffer()
{
    const std::lock_guard lock(m_mutex);
    if (m_spare.empty())
        return {};
    std::vector<char> text = std::move(m_spare.back());
    m_spare.pop_back();
    return text;
}

void GzipWindows::done(Window &window)
{
    constexpr std::size_t kLarge = 4 * kWindowBytes; // of a huge event: not to be kept
    const std::lock_guard lock(m_mutex);
    if (window.owned.size() < kLarge)
        m_spare.push_back(std::move(window.owned));
}

bool GzipWindows::next(Window &window)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_ready.empty() || m_finished; });
    if (m_ready.empty() || m_progress.cancelled())
        return false;
    window = std::move(m_ready.front()); // the vector's data stay where they are, and so does the view
    m_ready.pop_front();
    m_changed.notify_all();
    return true;
}

} // namespace tuneline::analysis::json
