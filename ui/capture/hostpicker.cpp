// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/hostpicker.h"

#include "ui/widgets/preferences.h"

#include <QLineEdit>

namespace tuneline::ui {

HostPicker::HostPicker(QWidget *parent)
    : QComboBox(parent)
{
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setAccessibleName(tr("Machine"));
    addItem(tr("This machine"));
    const QStringList known = preferences::text("hosts").split(' ', Qt::SkipEmptyParts);
    addItems(known);
    lineEdit()->setPlaceholderText(tr("user@host, as ssh knows it"));
    lineEdit()->setToolTip(
        tr("This machine, or a host that `ssh HOST` reaches with a key and that has tuneline-cli in its PATH"));
    connect(this, &QComboBox::currentTextChanged, this, [this] { emit hostChanged(host()); });
}

QString HostPicker::host() const
{
    const QString text = currentText().trimmed();
    return text == itemText(0) ? QString() : text;
}

void HostPicker::setHost(const QString &host)
{
    if (host.isEmpty()) {
        setCurrentIndex(0);
        return;
    }
    if (findText(host) < 0) {
        addItem(host);
        QStringList known;
        for (int i = 1; i < count(); ++i)
            known << itemText(i);
        preferences::setText("hosts", known.join(' '));
    }
    setCurrentText(host);
}

} // namespace tuneline::ui
