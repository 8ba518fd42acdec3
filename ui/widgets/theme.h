// SPDX-License-Identifier: GPL-3.0-or-later
// The look of the whole application: two palettes (resources/themes/*.json) and one style sheet whose @names they fill.
// One object per process, GUI thread.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>

namespace tuneline::ui {

enum class ThemeMode { System, Light, Dark };

// Named by their role, the same names as in the JSON files and as @names in tuneline.qss.
struct ThemeColours
{
    QColor window, surface, raised, sunken, alternate;
    QColor text, muted, faint, border, strongBorder;
    QColor accent, accentText, accentSoft, hover;
    QColor good, goodSoft, warn, warnSoft, bad, badSoft;
    QColor busy, exposed, code;
};

// Sizes follow the application's font, so that a user's larger system font scales the whole window.
enum class TextRole { Body, Caption, Strong, Heading, Title, Figure, Mono };

class Theme : public QObject
{
    Q_OBJECT
public:
    static Theme &instance();

    void apply(ThemeMode mode);
    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    [[nodiscard]] bool dark() const { return m_dark; }
    [[nodiscard]] const ThemeColours &colours() const { return m_colours; }
    [[nodiscard]] static QFont font(TextRole role);

signals:
    void changed(); // after palette and style sheet are in place

private:
    Theme();
    [[nodiscard]] bool systemIsDark() const { return m_systemDark; }
    void load(const QString &file);

    ThemeMode m_mode = ThemeMode::System;
    bool m_dark = false;
    bool m_systemDark = false;
    ThemeColours m_colours;
};

[[nodiscard]] ThemeMode themeModeFromName(const QString &name); // "light", "dark", anything else: System
[[nodiscard]] QString themeModeName(ThemeMode mode);

} // namespace tuneline::ui
