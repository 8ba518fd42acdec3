// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts a JSON trace into windows of about a megabyte at event borders, for several reader threads: from a mapped file
// without a copy, or from a gzip stream that a thread of its own inflates a bounded distance ahead.
#pragma once

#include "analysis/import/gzipstream.h"
#include "analysis/import/mappedfile.h"
#include "analysis/progress.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tuneline::analysis::json {

inline constexpr std::size_t kWindowBytes = std::size_t{1} << 20U;

struct Window
{
    std::string_view text; // of the mapped file, or of `owned`
    std::vector<char> owned;
    std::uint64_t offset = 0; // in the (inflated) file
    std::size_t index = 0;
    bool last = false;
};

class WindowSource
{
public:
    WindowSource() = default;
    WindowSource(const WindowSource &) = delete;
    WindowSource &operator=(const WindowSource &) = delete;
    virtual ~WindowSource() = default;
    virtual bool next(Window &window) = 0; // any thread; false: no more
    virtual void done(Window &) { } // its text is not needed any more
};

// Of text that is in memory as a whole; it must outlive this. Of a mapped file, pages that were read are given back.
class TextWindows : public WindowSource
{
public:
    TextWindows(std::string_view text, std::size_t from, const MappedFile *file, Progress &progress);
    bool next(Window &window) override;
    void done(Window &window) override;

private:
    std::mutex m_mutex;
    std::string_view m_text;
    std::size_t m_at;
    std::size_t m_index = 0;
    const MappedFile *m_file;
    Progress &m_progress;
};

class GzipWindows : public WindowSource
{
public:
    GzipWindows(std::string_view compressed, Progress &progress);
    ~GzipWindows() override;
    bool next(Window &window) override;
    void done(Window &window) override;
    [[nodiscard]] const std::string &problem() const { return m_stream.problem(); } // once next() was false
    [[nodiscard]] bool endsEarly() const { return m_stream.endsEarly(); }

private:
    void inflate();
    bool push(std::vector<char> text, std::size_t size, std::uint64_t offset, bool last);
    [[nodiscard]] std::vector<char> buffer();

    std::string_view m_compressed;
    GzipStream m_stream;
    Progress &m_progress;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Window> m_ready; // at most kAhead
    std::vector<std::vector<char>> m_spare; // buffers that were used: fresh pages cost as much as inflating
    std::size_t m_index = 0;
    bool m_finished = false, m_stop = false;
    std::thread m_thread;
};

} // namespace tuneline::analysis::json
