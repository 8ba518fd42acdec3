// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>
#include <QStyleFactory>

#include <algorithm>

// Q_INIT_RESOURCE has to be called outside of any namespace.
static void initTunelineResources()
{
    Q_INIT_RESOURCE(tuneline);
}

namespace tuneline::ui {

namespace {

struct NamedColour
{
    const char *name;
    QColor ThemeColours::*member;
};

constexpr NamedColour kNamed[] = {
    {"window", &ThemeColours::window},
    {"surface", &ThemeColours::surface},
    {"raised", &ThemeColours::raised},
    {"sunken", &ThemeColours::sunken},
    {"alternate", &ThemeColours::alternate},
    {"text", &ThemeColours::text},
    {"muted", &ThemeColours::muted},
    {"faint", &ThemeColours::faint},
    {"border", &ThemeColours::border},
    {"strongBorder", &ThemeColours::strongBorder},
    {"accent", &ThemeColours::accent},
    {"accentText", &ThemeColours::accentText},
    {"accentSoft", &ThemeColours::accentSoft},
    {"hover", &ThemeColours::hover},
    {"good", &ThemeColours::good},
    {"goodSoft", &ThemeColours::goodSoft},
    {"warn", &ThemeColours::warn},
    {"warnSoft", &ThemeColours::warnSoft},
    {"bad", &ThemeColours::bad},
    {"badSoft", &ThemeColours::badSoft},
    {"busy", &ThemeColours::busy},
    {"exposed", &ThemeColours::exposed},
    {"code", &ThemeColours::code},
};

QByteArray readResource(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("resource %s is missing: this build is broken", qPrintable(path));
    return file.readAll();
}

QPalette paletteOf(const ThemeColours &c)
{
    QPalette p;
    p.setColor(QPalette::Window, c.window);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.surface);
    p.setColor(QPalette::AlternateBase, c.alternate);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::PlaceholderText, c.muted);
    p.setColor(QPalette::Button, c.raised);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.bad);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.accentText);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::ToolTipBase, c.raised);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::Light, c.raised);
    p.setColor(QPalette::Midlight, c.hover);
    p.setColor(QPalette::Mid, c.border);
    p.setColor(QPalette::Dark, c.strongBorder);
    p.setColor(QPalette::Shadow, c.strongBorder);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, c.faint);
    return p;
}

QString styleSheetOf(const ThemeColours &colours, bool dark)
{
    QString sheet = QString::fromUtf8(readResource(":/themes/tuneline.qss"));
    std::vector<NamedColour> byLength(std::begin(kNamed), std::end(kNamed));
    // Longest first: @accentSoft must not be read as @accent + "Soft".
    std::sort(byLength.begin(), byLength.end(),
              [](const NamedColour &a, const NamedColour &b) { return qstrlen(a.name) > qstrlen(b.name); });
    for (const NamedColour &named : byLength)
        sheet.replace(QLatin1Char('@') + QLatin1String(named.name), (colours.*named.member).name());
    sheet.replace("@theme", dark ? "dark" : "light"); // pictures can't be coloured from a style sheet
    return sheet;
}

} // namespace

Theme::Theme()
{
    initTunelineResources();
    m_systemDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
}

Theme &Theme::instance()
{
    static Theme theme;
    return theme;
}

void Theme::load(const QString &file)
{
    const QJsonObject json = QJsonDocument::fromJson(readResource(file)).object();
    for (const NamedColour &named : kNamed)
        m_colours.*named.member = QColor(json.value(QLatin1String(named.name)).toString());
}

void Theme::apply(ThemeMode mode)
{
    m_mode = mode;
    m_dark = mode == ThemeMode::Dark || (mode == ThemeMode::System && systemIsDark());
    load(m_dark ? ":/themes/dark.json" : ":/themes/light.json");
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(paletteOf(m_colours));
    qApp->setStyleSheet(styleSheetOf(m_colours, m_dark));
    emit changed();
}

QFont Theme::font(TextRole role)
{
    QFont font = role == TextRole::Mono ? QFontDatabase::systemFont(QFontDatabase::FixedFont) : QApplication::font();
    const double base = QApplication::font().pointSizeF();
    switch (role) {
    case TextRole::Body:
        break;
    case TextRole::Caption:
        font.setPointSizeF(base * 0.9);
        break;
    case TextRole::Strong:
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Heading:
        font.setPointSizeF(base * 1.15);
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Title:
        font.setPointSizeF(base * 1.7);
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Figure:
        font.setPointSizeF(base * 1.45);
        font.setWeight(QFont::DemiBold);
        break;
    case TextRole::Mono:
        font.setPointSizeF(base * 0.95);
        break;
    }
    return font;
}

ThemeMode themeModeFromName(const QString &name)
{
    if (name == "light")
        return ThemeMode::Light;
    return name == "dark" ? ThemeMode::Dark : ThemeMode::System;
}

QString themeModeName(ThemeMode mode)
{
    switch (mode) {
    case ThemeMode::Light:
        return "light";
    case ThemeMode::Dark:
        return "dark";
    case ThemeMode::System:
        break;
    }
    return "system";
}

} // namespace tuneline::ui
