// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/compareloader.h"

namespace tuneline::ui {

using analysis::ComparedRun;
using analysis::Progress;
using analysis::Result;

namespace {

Result<std::shared_ptr<const ComparisonResult>> compareNow(const Document &before, const Document &after)
{
    auto result = std::make_shared<ComparisonResult>();
    result->comparison =
        analysis::compare({ComparedRun{before.analysis, before.advice}}, {ComparedRun{after.analysis, after.advice}});
    result->alignment = analysis::alignSteps(*before.analysis, *after.analysis);
    return std::shared_ptr<const ComparisonResult>(std::move(result));
}

} // namespace

CompareLoader::CompareLoader(QObject *parent)
    : QObject(parent)
{
    connectSide(m_before, 0, tr("before"));
    connectSide(m_after, 500, tr("after"));
    connect(&m_before, &Loader::analysed, this, [this] {
        m_document.before = m_before.document();
        m_after.open(m_afterFiles);
    });
    connect(&m_after, &Loader::analysed, this, [this] {
        m_document.after = m_after.document();
        onSideReady();
    });
}

// Opening is the first half of a side, its analysis the second; each side is half of the whole.
void CompareLoader::connectSide(Loader &loader, int base, const QString &name)
{
    connect(&loader, &Loader::progressed, this, [this, &loader, base, name](int permille, const QString &stage) {
        const int done = loader.document().trace ? 250 : 0;
        emit progressed(base + done + permille / 4, tr("%1: %2").arg(name, stage));
    });
    connect(&loader, &Loader::failed, this,
            [this, &loader](const analysis::Error &error) { emit failed(loader.document().files, error); });
}

void CompareLoader::open(const QStringList &before, const QStringList &after)
{
    cancel();
    m_document = {};
    m_afterFiles = after;
    m_before.open(before);
}

void CompareLoader::compare(const Document &before, const Document &after)
{
    cancel();
    m_document = {before, after, {}};
    onSideReady();
}

void CompareLoader::cancel()
{
    m_before.cancel();
    m_after.cancel();
    m_job.cancel();
}

bool CompareLoader::running() const
{
    return m_before.running() || m_after.running() || m_job.running();
}

void CompareLoader::onSideReady()
{
    m_job.start<ComparisonResult>(
        [before = m_document.before, after = m_document.after](Progress &) { return compareNow(before, after); },
        [this](const Result<std::shared_ptr<const ComparisonResult>> &result) {
            m_document.result = *result;
            emit finished();
        });
}

} // namespace tuneline::ui
