// SPDX-License-Identifier: GPL-3.0-or-later
// A message in its place: what is the matter, why, and what to do, with buttons for it. Errors are shown by this, never
// by a dialog box. GUI thread.
#pragma once

#include <QFrame>

class QLabel;
class QHBoxLayout;
class QPushButton;

namespace tuneline::ui {

enum class BannerKind { Info, Good, Warning, Error };

class Banner : public QFrame
{
    Q_OBJECT
public:
    explicit Banner(QWidget *parent = nullptr);

    void show(BannerKind kind, const QString &title, const QString &text);
    QPushButton *addAction(const QString &text); // to the right; the caller connects it
    void clearActions();
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString text() const;
    [[nodiscard]] BannerKind kind() const { return m_kind; }

private:
    BannerKind m_kind = BannerKind::Info;
    QLabel *m_icon;
    QLabel *m_title;
    QLabel *m_text;
    QHBoxLayout *m_actions;
};

} // namespace tuneline::ui
