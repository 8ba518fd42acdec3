// SPDX-License-Identifier: GPL-3.0-or-later
// Clickable rows of files: name in one line, folder and size muted below. For recent files and samples. GUI thread.
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace tuneline::ui {

struct FileEntry
{
    QString path;
    QString title; // "" = the file's name
    QString note; // "" = folder, size and age
};

class FileList : public QWidget
{
    Q_OBJECT
public:
    explicit FileList(QWidget *parent = nullptr);
    void setEntries(const QList<FileEntry> &entries, const QString &emptyText);

signals:
    void activated(const QString &path);

private:
    QVBoxLayout *m_rows;
};

} // namespace tuneline::ui
