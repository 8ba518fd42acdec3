// SPDX-License-Identifier: GPL-3.0-or-later
// Opens files in the background: opened() with what the timeline needs, then analysed() with the rest. A second open()
// replaces the first. GUI thread; owned by the page that shows the document.
#pragma once

#include "ui/jobs/document.h"
#include "ui/jobs/job.h"

namespace tuneline::ui {

class Loader : public QObject
{
    Q_OBJECT
public:
    explicit Loader(QObject *parent = nullptr);

    void open(const QStringList &files);
    void cancel(); // emits cancelled() if something was running
    [[nodiscard]] bool running() const { return m_open.running() || m_analyse.running(); }
    // Analyses the open trace again with steps that begin at each event of that name; "" = find them.
    void reanalyse(analysis::StringId stepsStartWith);
    [[nodiscard]] const Document &document() const { return m_document; }

signals:
    // Of opening until opened(), then of the analysis: what is going on, in words.
    void progressed(int permille, const QString &stage);
    void opened();
    void analysed();
    void failed(const tuneline::analysis::Error &error);
    void cancelled();

private:
    struct Opened
    {
        analysis::TracePtr trace;
        analysis::LodPtr lod;
    };
    struct Analysed
    {
        analysis::AnalysisPtr analysis;
        ChartDataPtr charts;
        AdvicePtr advice;
    };
    [[nodiscard]] static analysis::Result<std::shared_ptr<const Opened>> openNow(const QStringList &files,
                                                                                 analysis::Progress &progress);
    [[nodiscard]] static analysis::Result<std::shared_ptr<const Analysed>>
    analyseNow(const analysis::TracePtr &trace, analysis::StringId stepsStartWith, analysis::Progress &progress);
    void startAnalysis(analysis::StringId stepsStartWith);
    void onOpened(const analysis::Result<std::shared_ptr<const Opened>> &result);
    void onAnalysed(const analysis::Result<std::shared_ptr<const Analysed>> &result);

    Document m_document;
    Job m_open;
    Job m_analyse;
};

[[nodiscard]] QString stageText(analysis::Stage stage);

} // namespace tuneline::ui
