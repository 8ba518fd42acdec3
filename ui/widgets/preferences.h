// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers between runs, in QSettings (the program sets organisation and application name). GUI
// thread.
#pragma once

#include "ui/widgets/theme.h"

#include <QByteArray>
#include <QStringList>

namespace tuneline::ui::preferences {

inline constexpr int kMaxRecent = 10;

[[nodiscard]] ThemeMode themeMode();
void setThemeMode(ThemeMode mode);

[[nodiscard]] QStringList recentFiles(); // newest first; files that are gone are left out
void addRecentFile(const QString &file);
void clearRecentFiles();

// Anything by name: splitter states, the last launch.
[[nodiscard]] QByteArray bytes(const QString &key);
void setBytes(const QString &key, const QByteArray &value);
[[nodiscard]] QString text(const QString &key, const QString &fallback = {});
void setText(const QString &key, const QString &value);

} // namespace tuneline::ui::preferences
