// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/comparechooser.h"

#include "ui/widgets/pieces.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace tuneline::ui {

CompareChooser::CompareChooser(const QStringList &recent, const QString &before, QWidget *parent)
    : QDialog(parent)
    , m_before(makeBox(recent, before, tr("Before")))
    , m_after(makeBox(recent, {}, tr("After")))
    , m_compare(makeButton(tr("Compare"), {}, "primary"))
{
    setWindowTitle(tr("Compare two captures"));
    setMinimumWidth(600);
    auto *form = new QFormLayout;
    form->setHorizontalSpacing(kSpace + 4);
    form->setVerticalSpacing(kSpace);
    form->addRow(tr("Before"), makeRow(m_before));
    form->addRow(tr("After"), makeRow(m_after));
    QPushButton *swap = makeButton(tr("Swap"));
    QPushButton *cancel = makeButton(tr("Cancel"));
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(swap);
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_compare);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(kSpace * 2, kSpace * 2, kSpace * 2, kSpace * 2);
    column->setSpacing(kSpace * 2);
    column->addWidget(
        makeWrapped(tr("Two captures of the same training, before and after one change."), TextRole::Body, "muted"));
    column->addLayout(form);
    column->addLayout(buttons);
    m_compare->setDefault(true);
    connect(swap, &QPushButton::clicked, this, [this] {
        const QString kept = m_before->currentText();
        m_before->setEditText(m_after->currentText());
        m_after->setEditText(kept);
    });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_compare, &QPushButton::clicked, this, &CompareChooser::submit);
    updateButton();
}

QComboBox *CompareChooser::makeBox(const QStringList &recent, const QString &text, const QString &name)
{
    auto *box = new QComboBox;
    box->setEditable(true);
    box->addItems(recent);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(40);
    box->setEditText(text);
    box->setAccessibleName(name);
    box->lineEdit()->setPlaceholderText(tr("capture or trace"));
    connect(box, &QComboBox::editTextChanged, this, &CompareChooser::updateButton);
    return box;
}

QWidget *CompareChooser::makeRow(QComboBox *box)
{
    QPushButton *browse = makeButton(tr("Browse…"));
    auto *row = new QWidget;
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpace / 2);
    layout->addWidget(box, 1);
    layout->addWidget(browse);
    connect(browse, &QPushButton::clicked, this, [this, box] {
        const QString file =
            QFileDialog::getOpenFileName(this, box->accessibleName(), QFileInfo(box->currentText()).absolutePath());
        if (!file.isEmpty())
            box->setEditText(file);
    });
    return row;
}

void CompareChooser::updateButton()
{
    if (m_compare) // the boxes are made first
        m_compare->setEnabled(QFileInfo::exists(m_before->currentText()) && QFileInfo::exists(m_after->currentText()));
}

void CompareChooser::submit()
{
    emit chosen(m_before->currentText(), m_after->currentText());
    accept();
}

} // namespace tuneline::ui
