// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/job.h"

#include <QThreadPool>

namespace tuneline::ui {

namespace {
constexpr int kPollMs = 50;
}

Job::Job(QObject *parent)
    : QObject(parent)
{
    m_poll.setInterval(kPollMs);
    connect(&m_poll, &QTimer::timeout, this, &Job::poll);
}

Job::~Job()
{
    detach();
}

void Job::run(std::function<Delivery(analysis::Progress &)> work)
{
    detach();
    auto box = std::make_shared<Mailbox>();
    box->receiver = this;
    m_current = box;
    m_lastPermille = -1;
    m_poll.start();
    emit runningChanged(true);
    QThreadPool::globalInstance()->start([box, work = std::move(work)] {
        Delivery delivery = work(box->progress);
        const std::lock_guard lock(box->mutex);
        if (!box->receiver)
            return;
        // Posted under the lock: the receiver can't be destroyed in between, and Qt drops the call if it is destroyed
        // later.
        QMetaObject::invokeMethod(
            box->receiver, [job = box->receiver, box, delivery] { job->finished(box, delivery); },
            Qt::QueuedConnection);
    });
}

void Job::cancel()
{
    if (!m_current)
        return;
    detach();
    emit runningChanged(false);
}

void Job::detach()
{
    m_poll.stop();
    if (!m_current)
        return;
    const std::shared_ptr<Mailbox> box = std::move(m_current); // keeps the mutex alive while it is held
    m_current = nullptr;
    box->progress.cancel.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(box->mutex);
    box->receiver = nullptr;
}

void Job::poll()
{
    if (!m_current)
        return;
    const int permille = static_cast<int>(m_current->progress.permille.load(std::memory_order_relaxed));
    const auto stage = m_current->progress.stage.load(std::memory_order_relaxed);
    if (permille == m_lastPermille && stage == m_lastStage)
        return;
    m_lastPermille = permille;
    m_lastStage = stage;
    emit progressed(permille, stage);
}

void Job::finished(const std::shared_ptr<Mailbox> &from, const Delivery &delivery)
{
    if (from != m_current)
        return; // cancelled or replaced after it was posted
    m_poll.stop();
    m_current.reset();
    emit runningChanged(false);
    delivery();
}

} // namespace tuneline::ui
