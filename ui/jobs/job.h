// SPDX-License-Identifier: GPL-3.0-or-later
// The one kind of background job. A Job runs one piece of work at a time on the global thread pool; starting another or
// calling cancel() bumps its generation, and what the older work still delivers is dropped. Lives in the GUI thread,
// owned by the widget that shows the result; the work itself may run on after the Job is gone, but reaches nobody.
#pragma once

#include "analysis/progress.h"
#include "analysis/result.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <mutex>

namespace tuneline::ui {

class Job : public QObject
{
    Q_OBJECT
public:
    explicit Job(QObject *parent = nullptr);
    ~Job() override;

    // `work` runs on a pool thread; `done` runs here, in the GUI thread, unless the job was cancelled or replaced
    // meanwhile.
    template <typename T>
    void start(std::function<analysis::Result<std::shared_ptr<const T>>(analysis::Progress &)> work,
               std::function<void(analysis::Result<std::shared_ptr<const T>>)> done)
    {
        run([work = std::move(work), done = std::move(done)](analysis::Progress &progress) -> std::function<void()> {
            auto result = std::make_shared<analysis::Result<std::shared_ptr<const T>>>(work(progress));
            return [result, done] { done(std::move(*result)); };
        });
    }
    void cancel();
    [[nodiscard]] bool running() const { return m_current != nullptr; }

signals:
    // At most every 50 ms, and only when something changed. `permille` is of the whole job.
    void progressed(int permille, tuneline::analysis::Stage stage);
    void runningChanged(bool running);

private:
    using Delivery = std::function<void()>; // made on the pool thread, called in the GUI thread
    // Shared with the pool thread: outlives the Job, so that the thread can find out that the Job has gone.
    struct Mailbox
    {
        std::mutex mutex;
        Job *receiver = nullptr; // guarded by mutex
        analysis::Progress progress;
    };

    void run(std::function<Delivery(analysis::Progress &)> work);
    void detach();
    void poll();
    void finished(const std::shared_ptr<Mailbox> &from, const Delivery &delivery);

    std::shared_ptr<Mailbox> m_current; // the generation token: only its holder may deliver
    QTimer m_poll;
    int m_lastPermille = -1;
    analysis::Stage m_lastStage = analysis::Stage::Reading;
};

} // namespace tuneline::ui
