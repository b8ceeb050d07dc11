// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/results_header.h"

#include "analysis/foreign_summary.h"
#include "models/format.h"
#include "models/run_library_model.h"
#include "models/run_text.h"

#include "pages/elided_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace tailmark::ui {

namespace {

ElidedLabel* line(QWidget* parent)
{
    auto* label = new ElidedLabel(parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setProperty("role", QStringLiteral("secondary"));
    return label;
}

void setLine(ElidedLabel* label, const QString& words)
{
    label->setWords(words);
    label->setVisible(!words.isEmpty());
}

} // namespace

RunHeader::RunHeader(QWidget* parent)
    : QWidget(parent), m_name(new QLabel(this)), m_state(new QLabel(this)), m_system(line(this)),
      m_workload(line(this)), m_note(line(this))
{
    QFont large = m_name->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setWeight(QFont::DemiBold);
    m_name->setFont(large);
    m_name->setTextFormat(Qt::PlainText);
    m_name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_state->setProperty("role", QStringLiteral("chip"));
    m_system->setProperty("role", {});
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_name);
    row->addWidget(m_state);
    row->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(row);
    for (ElidedLabel* label : {m_system, m_workload, m_note})
        column->addWidget(label);
}

void RunHeader::setRun(const StoredRun& run)
{
    QStringList system{systemLine(run.card), text(run.plan.matrix.target.baseUrl),
                       formatInstant(run.info.startedAt)};
    const bool foreign = !run.info.foreign.empty(); // its file tells neither target nor workload
    if (foreign)
        system.removeAt(1);
    setLine(m_system, system.join(QStringLiteral(" · ")));
    setLine(m_workload, foreign ? tr("measured by %1, of which only its result files are known")
                                      .arg(text(toolTitle(run.info.foreign)))
                                : workloadLine(run.plan.matrix));
    setInfo(run.info);
}

void RunHeader::setInfo(const RunInfo& info)
{
    m_name->setText(text(info.name));
    m_state->setText(runStateName(info.state));
    QStringList words;
    for (const std::string& tag : info.tags)
        words << QLatin1Char('#') + text(tag);
    if (!info.note.empty())
        words << text(info.note).simplified();
    setLine(m_note, words.join(QStringLiteral("  ")));
}

} // namespace tailmark::ui
