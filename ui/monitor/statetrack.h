// SPDX-License-Identifier: GPL-3.0-or-later
// The stations of a capture in a row, the present one marked: start, warm-up, before, recording, after, done. GUI
// thread.
#pragma once

#include "ui/capture/capturesession.h"

#include <QWidget>

namespace tuneline::ui {

class StateTrack : public QWidget
{
    Q_OBJECT
public:
    explicit StateTrack(QWidget *parent = nullptr);
    void setState(CaptureState state);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    int m_reached = 0; // index of the present station
    bool m_failed = false;
};

} // namespace tuneline::ui
