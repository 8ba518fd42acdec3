// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that is shortened in the middle or at the end where the room ends; the tool tip has all of it. GUI
// thread.
#pragma once

#include <QWidget>

namespace tuneline::ui {

class ElidedLabel : public QWidget
{
    Q_OBJECT
public:
    explicit ElidedLabel(const QString &text = {}, Qt::TextElideMode mode = Qt::ElideMiddle, QWidget *parent = nullptr);

    void setText(const QString &text);
    [[nodiscard]] QString text() const { return m_text; }
    void setMuted(bool muted);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_text;
    Qt::TextElideMode m_mode;
    bool m_muted = false;
};

} // namespace tuneline::ui
