// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icons.h"

#include "ui/widgets/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace tuneline::ui {

namespace {

QColor toneColour(IconTone tone)
{
    const ThemeColours &c = Theme::instance().colours();
    switch (tone) {
    case IconTone::Muted:
        return c.muted;
    case IconTone::Accent:
        return c.accent;
    case IconTone::Good:
        return c.good;
    case IconTone::Warn:
        return c.warn;
    case IconTone::Bad:
        return c.bad;
    case IconTone::Text:
        break;
    }
    return c.text;
}

QPixmap render(const QString &name, const QColor &colour, QSize pixels)
{
    const QString key = QString("icon:%1:%2:%3x%4").arg(name, colour.name()).arg(pixels.width()).arg(pixels.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    QFile file(":/icons/" + name + ".svg");
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QByteArray svg = file.readAll();
    svg.replace("#000", colour.name().toLatin1());
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(svg).render(&painter);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class LineIconEngine : public QIconEngine
{
public:
    LineIconEngine(QString name, IconTone tone)
        : m_name(std::move(name))
        , m_tone(tone)
    { }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state) override
    {
        const qreal ratio = painter->device()->devicePixelRatioF();
        QPixmap p = pixmap(rect.size() * ratio, mode, state);
        p.setDevicePixelRatio(ratio);
        painter->drawPixmap(rect, p);
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State) override
    {
        return render(m_name, mode == QIcon::Disabled ? Theme::instance().colours().faint : toneColour(m_tone), size);
    }
    QIconEngine *clone() const override { return new LineIconEngine(m_name, m_tone); }

private:
    QString m_name;
    IconTone m_tone;
};

} // namespace

QIcon icon(const QString &name, IconTone tone)
{
    return QIcon(new LineIconEngine(name, tone));
}

QPixmap iconPixmap(const QString &name, IconTone tone, int size, double devicePixelRatio)
{
    const int pixels = qRound(size * devicePixelRatio);
    QPixmap p = render(name, toneColour(tone), QSize(pixels, pixels));
    p.setDevicePixelRatio(devicePixelRatio);
    return p;
}

} // namespace tuneline::ui
