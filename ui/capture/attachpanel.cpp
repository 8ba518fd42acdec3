// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/capture/attachpanel.h"

#include "analysis/detaillevels.h"
#include "ui/capture/hostpicker.h"
#include "ui/capture/processmodel.h"
#include "ui/capture/windowform.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/pieces.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QVBoxLayout>

namespace tuneline::ui {

AttachPanel::AttachPanel(QWidget *parent)
    : QWidget(parent)
    , m_host(new HostPicker)
    , m_refresh(makeButton(tr("Refresh"), "refresh"))
    , m_model(new ProcessModel(this))
    , m_table(new QTableView)
    , m_empty(makeWrapped(
          tr("No process that uses LibTorch, CUDA or Python was found.\nStart your training, then refresh."),
          TextRole::Body, "muted"))
    , m_problem(new Banner)
    , m_window(new WindowForm)
    , m_attach(makeButton(tr("Attach and capture"), {}, "primary"))
{
    m_table->setModel(m_model);
    m_table->setProperty("role", "framed");
    m_table->setAccessibleName(tr("Processes"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + kSpace);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setColumnWidth(ProcessModel::Pid, 70);
    m_table->setColumnWidth(ProcessModel::Program, 230);
    m_table->setColumnWidth(ProcessModel::Uses, 120);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->hide();

    auto *top = new QHBoxLayout;
    top->setSpacing(kSpace);
    top->addWidget(makeLabel(tr("Machine")));
    top->addWidget(m_host, 1);
    top->addWidget(m_refresh);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(m_attach);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kSpace);
    column->addLayout(top);
    column->addWidget(m_problem);
    column->addWidget(m_table, 1);
    column->addWidget(m_empty, 1);
    column->addWidget(m_window);
    column->addWidget(makeWrapped(QString::fromUtf8(analysis::kLateAttachLimits.data(),
                                                    static_cast<qsizetype>(analysis::kLateAttachLimits.size())),
                                  TextRole::Caption, "muted"));
    column->addLayout(buttons);

    connect(m_refresh, &QPushButton::clicked, this, &AttachPanel::refresh);
    connect(m_host->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        m_client.reset();
        refresh();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &AttachPanel::updateButton);
    connect(m_table, &QTableView::doubleClicked, this, &AttachPanel::submit);
    connect(m_attach, &QPushButton::clicked, this, &AttachPanel::submit);
    updateButton();
}

void AttachPanel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refresh();
}

void AttachPanel::connectToHost()
{
    if (m_client && m_client->isRunning())
        return;
    m_client = std::make_unique<ServeClient>();
    m_client->start(m_command.program.isEmpty() ? serveCommand(m_host->host()) : m_command);
}

void AttachPanel::refresh()
{
    connectToHost();
    m_refresh->setEnabled(false);
    m_client->call(
        "list", {}, [this](const QJsonObject &result) { showProcesses(result); },
        [this](const ServeError &error) { showError(error); });
}

void AttachPanel::showProcesses(const QJsonObject &result)
{
    m_refresh->setEnabled(true);
    m_problem->setVisible(false);
    m_model->setRows(processRows(result["processes"].toArray()));
    const bool empty = m_model->rowCount() == 0;
    m_table->setVisible(!empty);
    m_empty->setVisible(empty);
    updateButton();
}

void AttachPanel::showError(const ServeError &error)
{
    m_refresh->setEnabled(true);
    m_problem->show(BannerKind::Error, error.message, error.advice);
    m_model->setRows({});
    m_table->setVisible(true);
    m_empty->setVisible(false);
    updateButton();
}

void AttachPanel::updateButton()
{
    const ProcessRow *row = m_model->at(m_table->currentIndex());
    m_attach->setEnabled(row && row->capturable);
}

void AttachPanel::submit()
{
    const ProcessRow *row = m_model->at(m_table->currentIndex());
    if (!row || !row->capturable)
        return;
    CaptureRequest request;
    request.host = m_host->host();
    request.pid = row->pid;
    request.processName = row->name;
    request.window = m_window->window();
    emit attachRequested(request);
}

} // namespace tuneline::ui
