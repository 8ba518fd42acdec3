// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/filelist.h"

#include "ui/widgets/elidedlabel.h"
#include "ui/widgets/pieces.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {

QString homeRelative(const QString &path)
{
    return path.startsWith(QDir::homePath() + '/') ? '~' + path.mid(QDir::homePath().size()) : path;
}

QString defaultNote(const QFileInfo &info)
{
    const QString size = info.isDir() ? FileList::tr("folder") : QLocale::c().formattedDataSize(info.size());
    return FileList::tr("%1 · %2 · %3")
        .arg(size, info.lastModified().toString("yyyy-MM-dd HH:mm"), homeRelative(info.absolutePath()));
}

QPushButton *makeRow(const FileEntry &entry)
{
    const QFileInfo info(entry.path);
    auto *button = new QPushButton;
    button->setProperty("role", "row");
    button->setFlat(true);
    auto *title = new ElidedLabel(entry.title.isEmpty() ? info.fileName() : entry.title);
    auto *note = new ElidedLabel(entry.note.isEmpty() ? defaultNote(info) : entry.note);
    note->setMuted(true);
    note->setFont(Theme::font(TextRole::Caption));
    for (QWidget *w : {static_cast<QWidget *>(title), static_cast<QWidget *>(note)})
        w->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto *layout = new QVBoxLayout(button);
    layout->setContentsMargins(kSpace, kSpace / 2, kSpace, kSpace / 2);
    layout->setSpacing(0);
    layout->addWidget(title);
    layout->addWidget(note);
    button->setFixedHeight(layout->sizeHint().height());
    button->setToolTip(entry.path);
    button->setAccessibleName(title->text());
    return button;
}

} // namespace

FileList::FileList(QWidget *parent)
    : QWidget(parent)
    , m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
}

void FileList::setEntries(const QList<FileEntry> &entries, const QString &emptyText)
{
    while (QLayoutItem *item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const FileEntry &entry : entries) {
        QPushButton *row = makeRow(entry);
        connect(row, &QPushButton::clicked, this, [this, path = entry.path] { emit activated(path); });
        m_rows->addWidget(row);
    }
    if (entries.isEmpty())
        m_rows->addWidget(makeWrapped(emptyText, TextRole::Body, "muted"));
}

} // namespace tuneline::ui
