// SPDX-License-Identifier: GPL-3.0-or-later
// Opens two runs one after the other and compares them, in the background. A side that is already open can be handed
// over. GUI thread; owned by the window.
#pragma once

#include "ui/compare/comparedocument.h"
#include "ui/jobs/loader.h"

namespace tuneline::ui {

class CompareLoader : public QObject
{
    Q_OBJECT
public:
    explicit CompareLoader(QObject *parent = nullptr);

    void open(const QStringList &before, const QStringList &after);
    void compare(const Document &before, const Document &after); // both analysed
    void cancel();
    [[nodiscard]] bool running() const;
    [[nodiscard]] const CompareDocument &document() const { return m_document; }

signals:
    void progressed(int permille, const QString &stage);
    void finished();
    void failed(const QStringList &files, const tuneline::analysis::Error &error);

private:
    void connectSide(Loader &loader, int base, const QString &name);
    void onSideReady();

    Loader m_before;
    Loader m_after;
    Job m_job;
    QStringList m_afterFiles;
    CompareDocument m_document;
};

} // namespace tuneline::ui
