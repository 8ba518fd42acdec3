// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/preferences.h"

#include <QFileInfo>
#include <QSettings>

namespace tuneline::ui::preferences {

ThemeMode themeMode()
{
    return themeModeFromName(text("theme"));
}

void setThemeMode(ThemeMode mode)
{
    setText("theme", themeModeName(mode));
}

QStringList recentFiles()
{
    QStringList files = QSettings().value("recentFiles").toStringList();
    files.removeIf([](const QString &file) { return !QFileInfo::exists(file); });
    return files;
}

void addRecentFile(const QString &file)
{
    const QString path = QFileInfo(file).absoluteFilePath();
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    QSettings().setValue("recentFiles", files.mid(0, kMaxRecent));
}

void clearRecentFiles()
{
    QSettings().remove("recentFiles");
}

QByteArray bytes(const QString &key)
{
    return QSettings().value(key).toByteArray();
}

void setBytes(const QString &key, const QByteArray &value)
{
    QSettings().setValue(key, value);
}

QString text(const QString &key, const QString &fallback)
{
    return QSettings().value(key, fallback).toString();
}

void setText(const QString &key, const QString &value)
{
    QSettings().setValue(key, value);
}

} // namespace tuneline::ui::preferences
