// SPDX-License-Identifier: GPL-3.0-or-later
// Where to capture: this machine, or a host that ssh knows. GUI thread.
#pragma once

#include <QComboBox>

namespace tuneline::ui {

class HostPicker : public QComboBox
{
    Q_OBJECT
public:
    explicit HostPicker(QWidget *parent = nullptr);
    [[nodiscard]] QString host() const; // "" = this machine
    void setHost(const QString &host);

signals:
    void hostChanged(const QString &host);
};

} // namespace tuneline::ui
