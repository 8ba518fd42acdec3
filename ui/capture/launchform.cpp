// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/launchform.h"

#include "ui/capture/hostpicker.h"
#include "ui/capture/windowform.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pieces.h"
#include "ui/widgets/preferences.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QStandardPaths>
#include <QVBoxLayout>

namespace tuneline::ui {

namespace {

QLineEdit *makeEdit(const QString &placeholder, const QString &name)
{
    auto *edit = new QLineEdit;
    edit->setPlaceholderText(placeholder);
    edit->setAccessibleName(name);
    return edit;
}

} // namespace

LaunchForm::LaunchForm(QWidget *parent)
    : QWidget(parent)
    , m_host(new HostPicker)
    , m_program(makeEdit(tr("./train, python3, torchrun, tuneline-train …"), tr("Program")))
    , m_browse(makeButton(tr("Browse…")))
    , m_arguments(makeEdit(tr("--batch-size 64 --workers 0"), tr("Arguments")))
    , m_folder(makeEdit(tr("where the program runs; empty: the captures folder"), tr("Folder")))
    , m_environment(new QPlainTextEdit)
    , m_window(new WindowForm)
    , m_stopAfter(new QCheckBox(tr("End the program when the capture is complete")))
    , m_problem(new Banner)
    , m_launch(makeButton(tr("Launch and capture"), {}, "primary"))
{
    m_environment->setPlaceholderText(tr("NAME=value, one a line"));
    m_environment->setAccessibleName(tr("Environment"));
    m_environment->setTabChangesFocus(true);
    m_environment->setFixedHeight(m_environment->fontMetrics().lineSpacing() * 2 + 14);

    auto *form = new QFormLayout;
    form->setHorizontalSpacing(kSpace + 4);
    form->setVerticalSpacing(kSpace - 2);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(tr("Machine"), m_host);
    form->addRow(tr("Program"), makeProgramRow());
    form->addRow(tr("Arguments"), m_arguments);
    form->addRow(tr("Folder"), m_folder);
    form->addRow(tr("Environment"), m_environment);
    form->addRow(tr("Window"), m_window);
    form->addRow(QString(), m_stopAfter);

    auto *buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_launch);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpace);
    column->addLayout(form);
    column->addWidget(m_problem);
    column->addLayout(buttons);

    connect(m_program, &QLineEdit::textChanged, this, &LaunchForm::updateButton);
    connect(m_program, &QLineEdit::returnPressed, this, &LaunchForm::submit);
    connect(m_arguments, &QLineEdit::returnPressed, this, &LaunchForm::submit);
    connect(m_launch, &QPushButton::clicked, this, &LaunchForm::submit);
    connect(m_browse, &QPushButton::clicked, this, &LaunchForm::browse);
    connect(m_host, &HostPicker::hostChanged, this,
            [this](const QString &host) { m_browse->setEnabled(host.isEmpty()); });
    setRequest(fromStored(preferences::bytes("lastLaunch")));
    updateButton();
}

QWidget *LaunchForm::makeProgramRow()
{
    auto *row = new QWidget;
    row->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto *layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpace / 2);
    layout->addWidget(m_program, 1);
    layout->addWidget(m_browse);
    return row;
}

CaptureRequest LaunchForm::request() const
{
    CaptureRequest request;
    request.host = m_host->host();
    QStringList words = QProcess::splitCommand(m_program->text());
    if (!words.isEmpty())
        request.program = words.takeFirst();
    request.arguments = words + QProcess::splitCommand(m_arguments->text());
    request.folder = m_folder->text().trimmed();
    request.environment = m_environment->toPlainText().split('\n', Qt::SkipEmptyParts);
    request.window = m_window->window();
    request.stopAfter = m_stopAfter->isChecked();
    return request;
}

void LaunchForm::setRequest(const CaptureRequest &request)
{
    m_host->setHost(request.host);
    m_program->setText(joinArguments(request.program.isEmpty() ? QStringList() : QStringList{request.program}));
    m_arguments->setText(joinArguments(request.arguments));
    m_folder->setText(request.folder);
    m_environment->setPlainText(request.environment.join('\n'));
    m_window->setWindow(request.window);
    m_stopAfter->setChecked(request.stopAfter);
}

void LaunchForm::showProblem(const QString &title, const QString &text)
{
    m_problem->show(BannerKind::Error, title, text);
}

void LaunchForm::showHint(const QString &title, const QString &text)
{
    m_problem->show(BannerKind::Info, title, text);
}

void LaunchForm::updateButton()
{
    m_launch->setEnabled(!m_program->text().trimmed().isEmpty());
}

void LaunchForm::browse()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Program to launch"));
    if (file.isEmpty())
        return;
    m_program->setText(joinArguments({file}));
    if (m_folder->text().isEmpty())
        m_folder->setText(QFileInfo(file).absolutePath());
}

void LaunchForm::submit()
{
    const CaptureRequest wanted = request();
    if (wanted.program.isEmpty())
        return;
    for (const QString &line : wanted.environment) {
        if (!line.contains('=')) {
            showProblem(tr("The environment line “%1” has no =").arg(line), tr("Write one NAME=value a line."));
            return;
        }
    }
    m_problem->setVisible(false);
    preferences::setBytes("lastLaunch", toStored(wanted));
    emit launchRequested(wanted);
}

} // namespace tuneline::ui
