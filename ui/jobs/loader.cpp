// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobs/loader.h"

#include "analysis/import/open.h"

#include <QDir>
#include <QFileInfo>

namespace tuneline::ui {

using analysis::Error;
using analysis::Progress;
using analysis::Result;
using analysis::Stage;

QString titleOf(const QStringList &files)
{
    if (files.isEmpty())
        return {};
    const QFileInfo first(files.front());
    if (files.size() == 1)
        return first.fileName();
    return Loader::tr("%1 files from %2").arg(files.size()).arg(first.absoluteDir().dirName());
}

QString Document::title() const
{
    return titleOf(files);
}

QString stageText(Stage stage)
{
    switch (stage) {
    case Stage::Reading:
        return Loader::tr("Reading");
    case Stage::Sorting:
        return Loader::tr("Sorting events into lanes");
    case Stage::Linking:
        return Loader::tr("Linking launches with device work");
    case Stage::Analysing:
        return Loader::tr("Finding steps, idle causes and bottlenecks");
    case Stage::Done:
        break;
    }
    return Loader::tr("Finishing");
}

Loader::Loader(QObject *parent)
    : QObject(parent)
{
    const auto forward = [this](int permille, Stage stage) { emit progressed(permille, stageText(stage)); };
    connect(&m_open, &Job::progressed, this, forward);
    connect(&m_analyse, &Job::progressed, this, forward);
}

void Loader::open(const QStringList &files)
{
    m_analyse.cancel();
    m_document = {};
    m_document.files = files;
    m_open.start<Opened>([files](Progress &progress) { return openNow(files, progress); },
                         [this](const Result<std::shared_ptr<const Opened>> &result) { onOpened(result); });
}

void Loader::cancel()
{
    const bool was = running();
    m_open.cancel();
    m_analyse.cancel();
    if (was)
        emit cancelled();
}

Result<std::shared_ptr<const Loader::Opened>> Loader::openNow(const QStringList &files, Progress &progress)
{
    std::vector<std::filesystem::path> paths;
    for (const QString &file : files)
        paths.emplace_back(QFile::encodeName(file).toStdString());
    auto trace = analysis::openTrace(paths, progress);
    if (!trace)
        return tl::make_unexpected(trace.error());
    auto lod = analysis::Lod::build(**trace, progress);
    if (!lod)
        return tl::make_unexpected(lod.error());
    return std::make_shared<const Opened>(Opened{*trace, *lod});
}

Result<std::shared_ptr<const Loader::Analysed>>
Loader::analyseNow(const analysis::TracePtr &trace, analysis::StringId stepsStartWith, Progress &progress)
{
    progress.stage.store(Stage::Analysing);
    analysis::AnalysisOptions options;
    options.steps.startsWith = stepsStartWith;
    auto analysis = analysis::analyse(trace, options, progress);
    if (!analysis)
        return tl::make_unexpected(analysis.error());
    ChartDataPtr charts = buildChartData(*trace, analysis->get(), progress);
    if (!charts || progress.cancelled())
        return analysis::fail(Error::Code::Cancelled, "cancelled");
    progress.permille.store(900);
    auto advice = std::make_shared<const analysis::Advice>(analysis::advise(**analysis));
    return std::make_shared<const Analysed>(Analysed{*analysis, std::move(charts), std::move(advice)});
}

void Loader::onOpened(const Result<std::shared_ptr<const Opened>> &result)
{
    if (!result) {
        emit failed(result.error());
        return;
    }
    m_document.trace = (*result)->trace;
    m_document.lod = (*result)->lod;
    emit opened();
    startAnalysis(analysis::StringId{0U});
}

void Loader::reanalyse(analysis::StringId stepsStartWith)
{
    if (!m_document.trace)
        return;
    m_analyse.cancel();
    startAnalysis(stepsStartWith);
}

void Loader::startAnalysis(analysis::StringId stepsStartWith)
{
    m_analyse.start<Analysed>([trace = m_document.trace, stepsStartWith](
                                  Progress &progress) { return analyseNow(trace, stepsStartWith, progress); },
                              [this](const Result<std::shared_ptr<const Analysed>> &done) { onAnalysed(done); });
}

void Loader::onAnalysed(const Result<std::shared_ptr<const Analysed>> &result)
{
    if (!result) {
        emit failed(result.error());
        return;
    }
    m_document.analysis = (*result)->analysis;
    m_document.charts = (*result)->charts;
    m_document.advice = (*result)->advice;
    emit analysed();
}

} // namespace tuneline::ui
