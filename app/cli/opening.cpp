// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/opening.h"

#include "analysis/analysis.h"
#include "analysis/findings/advice.h"
#include "app/cli/progressline.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

namespace tuneline::cli {

namespace {

const char *stageName(analysis::Stage stage)
{
    switch (stage) {
    case analysis::Stage::Reading:
        return "reading";
    case analysis::Stage::Sorting:
        return "sorting";
    case analysis::Stage::Linking:
        return "linking launches";
    case analysis::Stage::Analysing:
        return "analysing";
    case analysis::Stage::Done:
        break;
    }
    return "done";
}

// Shows the progress of a job from a thread of its own, until it is destroyed.
class ProgressWatcher
{
public:
    explicit ProgressWatcher(const analysis::Progress &progress)
        : m_thread([this, &progress] { run(progress); })
    { }
    ~ProgressWatcher()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_wake.notify_one();
        m_thread.join();
    }
    ProgressWatcher(const ProgressWatcher &) = delete;
    ProgressWatcher &operator=(const ProgressWatcher &) = delete;

private:
    void run(const analysis::Progress &progress)
    {
        ProgressLine line;
        std::unique_lock lock(m_mutex);
        while (!m_wake.wait_for(lock, std::chrono::milliseconds(200), [this] { return m_done; }))
            line.show(std::string(stageName(progress.stage.load())) + " … "
                      + std::to_string(progress.permille.load() / 10) + " %");
    }

    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_done = false;
    std::thread m_thread; // last: it uses what stands above
};

} // namespace

analysis::Result<analysis::TracePtr> openWithProgress(const std::vector<std::string> &files)
{
    analysis::Progress progress;
    const ProgressWatcher watcher(progress);
    return analysis::openTrace(std::vector<std::filesystem::path>(files.begin(), files.end()), progress);
}

analysis::Result<analysis::AnalysisPtr> openAnalysed(const std::vector<std::string> &files)
{
    auto trace = openWithProgress(files);
    if (!trace)
        return tl::make_unexpected(trace.error());
    analysis::Progress progress;
    return analysis::analyse(std::move(*trace), {}, progress);
}

analysis::Result<analysis::ComparedRun> openRun(const std::string &file)
{
    auto analysis = openAnalysed({file});
    if (!analysis)
        return tl::make_unexpected(analysis.error());
    auto advice = std::make_shared<const analysis::Advice>(analysis::advise(**analysis));
    return analysis::ComparedRun{*analysis, std::move(advice)};
}

} // namespace tuneline::cli
