// SPDX-License-Identifier: GPL-3.0-or-later
// Which two captures to compare: paths, recent files, swap. GUI thread.
#pragma once

#include <QDialog>

class QComboBox;
class QPushButton;

namespace tuneline::ui {

class CompareChooser : public QDialog
{
    Q_OBJECT
public:
    CompareChooser(const QStringList &recent, const QString &before, QWidget *parent = nullptr);

signals:
    void chosen(const QString &before, const QString &after);

private:
    [[nodiscard]] QComboBox *makeBox(const QStringList &recent, const QString &text, const QString &name);
    [[nodiscard]] QWidget *makeRow(QComboBox *box);
    void updateButton();
    void submit();

    QComboBox *m_before = nullptr;
    QComboBox *m_after = nullptr;
    QPushButton *m_compare = nullptr;
};

} // namespace tuneline::ui
