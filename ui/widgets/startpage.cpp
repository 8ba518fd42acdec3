// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/startpage.h"

#include "ui/capture/attachpanel.h"
#include "ui/capture/launchform.h"
#include "ui/jobs/document.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/filelist.h"
#include "ui/widgets/pieces.h"
#include "ui/widgets/preferences.h"

#include <QCoreApplication>
#include <QDir>
#include <QHBoxLayout>
#include <QIcon>
#include <QScrollArea>
#include <QStandardPaths>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {

constexpr int kPageWidth = 1120; // px, at most
constexpr int kLoopWidth = 170; // px, at least, of a station of the loop

// What to do about an error that opening can end with.
QString adviceFor(analysis::Error::Code code)
{
    using Code = analysis::Error::Code;
    switch (code) {
    case Code::CannotOpen:
        return StartPage::tr("Check the path and that you may read the file.");
    case Code::Damaged:
        return StartPage::tr("Record it again; if another viewer opens it, keep the file for a bug report.");
    case Code::Unsupported:
        return StartPage::tr("It was written by a newer or different version of its tool; export it again as JSON.");
    default:
        return {};
    }
}

} // namespace

QStringList sampleFiles()
{
    QStringList folders = QStandardPaths::locateAll(QStandardPaths::GenericDataLocation, "tuneline/samples",
                                                    QStandardPaths::LocateDirectory);
    // Of a build tree, build/<preset>/bin, and of an installed or unpacked bundle.
    for (const char *relative : {"../../../resources/samples", "../share/tuneline/samples"})
        folders << QDir(QCoreApplication::applicationDirPath()).filePath(relative);
    QStringList files;
    for (const QString &folder : folders) {
        const QDir dir(folder);
        const QFileInfoList entries = dir.entryInfoList({"*.tlc", "*.tlc.gz", "*.json", "*.json.gz", "*.sqlite"},
                                                        QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        for (const QFileInfo &entry : entries) {
            if (!files.contains(entry.canonicalFilePath()))
                files << entry.canonicalFilePath();
        }
    }
    return files;
}

StartPage::StartPage(QWidget *parent)
    : QWidget(parent)
    , m_problem(new Banner)
    , m_tabs(new QTabWidget)
    , m_launch(new LaunchForm)
    , m_attach(new AttachPanel)
    , m_recent(new FileList)
    , m_samples(new FileList)
{
    auto *cards = new QHBoxLayout;
    cards->setSpacing(kSpace * 2);
    cards->addWidget(makeCaptureCard(), 3, Qt::AlignTop);
    cards->addWidget(makeFilesCard(), 2, Qt::AlignTop);
    auto *column = new QVBoxLayout;
    column->setSpacing(kSpace * 2);
    column->addWidget(makeHead());
    column->addWidget(m_problem);
    column->addLayout(cards);
    column->addWidget(makeLoop());
    column->addStretch();
    auto *middle = new QWidget;
    middle->setLayout(column);
    middle->setMaximumWidth(kPageWidth);
    auto *body = new QWidget;
    auto *row = new QHBoxLayout(body);
    row->setContentsMargins(kSpace * 3, kSpace * 2, kSpace * 3, kSpace);
    row->addStretch(1);
    row->addWidget(middle, 100);
    row->addStretch(1);
    auto *scroll = new QScrollArea;
    scroll->setWidget(body);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setProperty("role", "page");
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    connect(m_launch, &LaunchForm::launchRequested, this, &StartPage::captureRequested);
    connect(m_attach, &AttachPanel::attachRequested, this, &StartPage::captureRequested);
    for (FileList *list : {m_recent, m_samples})
        connect(list, &FileList::activated, this, [this](const QString &file) { emit openRequested({file}); });
    refresh();
}

QWidget *StartPage::makeHead()
{
    auto *head = new QWidget;
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kSpace * 2 - 4);
    auto *logo = new QLabel;
    logo->setPixmap(QIcon(":/icons/tuneline.svg").pixmap(44, 44));
    auto *texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(makeLabel(tr("Tuneline"), TextRole::Title));
    texts->addWidget(makeLabel(tr("See where a training step goes, change one thing, and know whether it helped."),
                               TextRole::Body, "muted"));
    row->addWidget(logo);
    row->addLayout(texts, 1);
    return head;
}

QWidget *StartPage::makeCaptureCard()
{
    const auto page = [](QWidget *content) {
        auto *box = new QWidget;
        auto *column = new QVBoxLayout(box);
        column->setContentsMargins(kSpace * 2, kSpace * 2 - 4, kSpace * 2, kSpace * 2 - 4);
        column->addWidget(content);
        return box;
    };
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->addTab(page(m_launch), tr("Launch a training run"));
    m_tabs->addTab(page(m_attach), tr("Attach to a running one"));
    auto *column = new QVBoxLayout;
    column->addWidget(m_tabs);
    return makeFrame("card", column, 1);
}

QWidget *StartPage::makeFilesCard()
{
    QPushButton *open = makeButton(tr("Open a trace…"), "open");
    QPushButton *compare = makeButton(tr("Compare two…"), "compare");
    connect(open, &QPushButton::clicked, this, &StartPage::browseRequested);
    connect(compare, &QPushButton::clicked, this, &StartPage::compareRequested);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(kSpace);
    buttons->addWidget(open, 1);
    buttons->addWidget(compare, 1);
    auto *column = new QVBoxLayout;
    column->setSpacing(kSpace);
    column->addLayout(buttons);
    column->addWidget(makeWrapped(tr("Captures, PyTorch profiler traces and Nsight Systems exports. Drop files "
                                     "anywhere; several are the ranks of one run."),
                                  TextRole::Caption, "muted"));
    column->addSpacing(kSpace / 2);
    column->addWidget(makeLabel(tr("Recent"), TextRole::Strong));
    column->addWidget(m_recent);
    column->addSpacing(kSpace / 2);
    column->addWidget(makeLabel(tr("Samples"), TextRole::Strong));
    column->addWidget(m_samples);
    return makeFrame("card", column, kSpace * 2);
}

// The whole product in one line, for who sees it for the first time.
QWidget *StartPage::makeLoop()
{
    const std::pair<QString, QString> steps[] = {
        {tr("Capture"), tr("a few steps after warm-up, here or over ssh")},
        {tr("Look"), tr("CPU, copies and kernels on one axis, idle time by cause")},
        {tr("Advise"), tr("each bottleneck with evidence, fix and gain as a range")},
        {tr("Change"), tr("one thing, and capture again")},
        {tr("Compare"), tr("step by step, with a verdict and the reason for it")},
    };
    auto *row = new QHBoxLayout;
    row->setSpacing(kSpace * 2);
    int number = 1;
    for (const auto &[title, text] : steps) {
        auto *column = new QVBoxLayout;
        column->setSpacing(2);
        column->addWidget(makeLabel(QString("%1  %2").arg(number++).arg(title), TextRole::Strong));
        QLabel *label = makeWrapped(text, TextRole::Caption, "muted");
        label->setMinimumWidth(kLoopWidth);
        column->addWidget(label);
        column->addStretch();
        row->addLayout(column, 1);
    }
    QFrame *card = makeFrame("card", row, kSpace * 2);
    card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum); // the room below belongs to nobody
    return card;
}

void StartPage::refresh()
{
    QList<FileEntry> recent;
    for (const QString &file : preferences::recentFiles().mid(0, 6))
        recent.append({file, {}, {}});
    m_recent->setEntries(recent, tr("Nothing has been opened yet."));
    QList<FileEntry> samples;
    for (const QString &file : sampleFiles().mid(0, 6))
        samples.append({file, {}, {}});
    m_samples->setEntries(samples,
                          tr("None are installed. Launch tuneline-train at the left to record one in half a minute, or "
                             "run packaging/demo.sh."));
}

void StartPage::showError(const QStringList &files, const analysis::Error &error)
{
    QString text = QString::fromStdString(error.message);
    if (!error.where.empty())
        text += " (" + QString::fromStdString(error.where) + ")";
    const QString advice = adviceFor(error.code);
    m_problem->show(BannerKind::Error, tr("%1 can't be opened").arg(titleOf(files)),
                    advice.isEmpty() ? text : text + '\n' + advice);
    m_problem->clearActions();
    connect(m_problem->addAction(tr("Try again")), &QPushButton::clicked, this,
            [this, files] { emit openRequested(files); });
    connect(m_problem->addAction(tr("Dismiss")), &QPushButton::clicked, this, &StartPage::clearError);
}

void StartPage::clearError()
{
    m_problem->setVisible(false);
}

void StartPage::showLaunch()
{
    m_tabs->setCurrentIndex(0);
}

} // namespace tuneline::ui
