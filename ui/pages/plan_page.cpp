// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_page.h"

#include "bridge/target_prober.h"
#include "bridge/workload_preview.h"
#include "models/format.h"
#include "pages/plan_bound_section.h"
#include "pages/plan_card_section.h"
#include "pages/plan_fields.h"
#include "pages/plan_findings_panel.h"
#include "pages/plan_policy_sections.h"
#include "pages/plan_slo_section.h"
#include "pages/plan_target_section.h"
#include "pages/plan_tests_panel.h"
#include "pages/plan_workload_section.h"
#include "plan/plan.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QApplication>
#include <QDataStream>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <initializer_list>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMargin = 16;

} // namespace

PlanPage::PlanPage(PlanDocument& document, TargetProber& prober, QWidget* parent)
    : QWidget(parent), m_document(document), m_prober(prober), m_preview(new WorkloadPreview(this)),
      m_splitter(new QSplitter(Qt::Horizontal, this)), m_tests(new PlanTestsPanel(document, this)),
      m_findings(new PlanFindingsPanel(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());

    auto* left = new QWidget(m_splitter);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(kMargin, 8, 0, 8);
    leftColumn->addWidget(m_tests);
    m_splitter->addWidget(left);
    m_splitter->addWidget(makeSections());
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    left->setMinimumWidth(440);
    m_splitter->setSizes({580, 520});
    column->addWidget(m_splitter, 1);
    column->addWidget(makeFoot());

    connect(m_tests, &PlanTestsPanel::recommendedRequested, this, &PlanPage::recommendedRequested);
    connect(m_findings, &PlanFindingsPanel::chosen, this, &PlanPage::focusField);
    connect(m_preview, &WorkloadPreview::changed, this, [this] {
        const auto& summary = m_preview->summary();
        m_tests->setMeanTokens(summary && summary->stats.prompt.n > 0 ? std::optional(summary->meanTokens())
                                                                      : std::nullopt);
        m_tests->setLog(m_preview->summary() ? m_preview->summary()->times : nullptr);
        refresh();
    });
    connect(&document, &PlanDocument::changed, this, &PlanPage::refresh);
    // To the document: the focus also changes while this page is taken down, when it is no page any more.
    connect(qApp, &QApplication::focusChanged, &document, &PlanDocument::endMerge);
    m_preview->setLengths(document.matrix().workload.lengths);
    document.announce();
}

QWidget* PlanPage::makeHead()
{
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(kMargin, 12, kMargin, 8);
    row->setSpacing(12);

    m_name = new PlanLineEdit(head);
    QFont large = m_name->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setWeight(QFont::DemiBold);
    m_name->setFont(large);
    m_name->setPlaceholderText(tr("Name of this matrix"));
    m_name->setAccessibleName(tr("Name of this matrix"));
    m_name->setMaxLength(200);
    m_name->setMaximumWidth(480);
    connect(m_name, &QLineEdit::textEdited, this, [this](const QString& text) {
        m_document.edit(tr("Name"), "name",
                        [&](Matrix& matrix) { matrix.name = text.trimmed().toStdString(); });
    });
    connect(&m_document, &PlanDocument::changed, m_name, [this] {
        const QString name = QString::fromStdString(m_document.matrix().name);
        if (m_name->text().trimmed() != name)
            m_name->setText(name);
    });

    m_reason = new QLabel(head);
    m_reason->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_reason->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_reason->setWordWrap(true);
    m_estimate = new QLabel(head);
    m_estimate->setToolTip(tr("Warm-up, window and cool-down of all points of the enabled tests"));
    m_run = new QPushButton(icon(u"run"_s, Tint::OnAccent), tr("Start &run"), head);
    m_run->setProperty("primary", true);
    connect(m_run, &QPushButton::clicked, this, &PlanPage::runRequested);

    row->addWidget(m_name, 3);
    row->addWidget(m_reason, 4);
    row->addWidget(m_estimate);
    row->addWidget(m_run);
    return head;
}

QWidget* PlanPage::makeSections()
{
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(4, 8, kMargin, 8);
    column->setSpacing(8);
    m_target = new PlanTargetSection(m_document, m_prober, Side::A, content);
    auto* second = new PlanTargetSection(m_document, *new TargetProber(this), Side::B, content);
    m_workload = new PlanWorkloadSection(m_document, *m_preview, content);
    auto* slo = new PlanSloSection(m_document, content);
    PlanSection* measurement = makeMeasurementSection(m_document, content);
    PlanSection* limits = makeLimitsSection(m_document, content);
    auto* card = new PlanCardSection(m_document, m_prober, content);
    auto* bound = new PlanBoundSection(m_document, content);
    m_sections = {m_target, second, m_workload, slo, measurement, limits, card, bound};
    for (PlanSection* section : m_sections)
        column->addWidget(section);
    for (PlanSection* folded : std::initializer_list<PlanSection*>{second, limits, card, bound})
        folded->setExpanded(false);
    column->addStretch(1);

    auto* scroll = new QScrollArea(m_splitter);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

QWidget* PlanPage::makeFoot()
{
    auto* foot = new QWidget(this);
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* line = new QFrame(foot);
    setRole(line, u"line"_s);
    column->addWidget(line);
    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(kMargin, 8, kMargin, 8);
    inner->setSpacing(4);
    m_statement = new QLabel(foot);
    m_statement->setWordWrap(true);
    m_statement->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_statement->setToolTip(tr("What every result of this matrix must be read with"));
    inner->addWidget(m_statement);
    inner->addWidget(m_findings);
    column->addLayout(inner);
    return foot;
}

QString PlanPage::whyNotRunnable() const
{
    if (!m_blocked.isEmpty())
        return m_blocked;
    if (!m_document.runnable())
        return m_document.whyNotRunnable();
    if (!m_preview->error().isEmpty())
        return m_preview->error();
    return {};
}

void PlanPage::setBlocked(const QString& reason)
{
    if (m_blocked == reason)
        return;
    m_blocked = reason;
    refresh();
}

bool PlanPage::focusField(const QString& path)
{
    const std::string key = path.toStdString();
    if (key == "name") {
        m_name->setFocus(Qt::OtherFocusReason);
        return true;
    }
    if (m_tests->focusField(key))
        return true;
    for (PlanSection* section : m_sections)
        if (section->focusField(key))
            return true;
    return false;
}

void PlanPage::probe()
{
    m_target->setExpanded(true);
    m_target->probe();
}

void PlanPage::setDatabase(const QString& path)
{
    m_preview->setDatabase(path);
}

void PlanPage::importTrace(const QString& path)
{
    m_workload->setExpanded(true);
    if (path.isEmpty())
        m_workload->browse();
    else
        m_workload->importTrace(path);
}

QString PlanPage::statement() const
{
    const Matrix& matrix = m_document.matrix();
    const QString cache = matrix.workload.cache == CachePolicy::Cold   ? tr("cold")
                          : matrix.workload.cache == CachePolicy::Warm ? tr("warm")
                                                                       : tr("as it is found");
    const QString output =
        matrix.workload.output == OutputPolicy::Forced ? tr("at the planned length") : tr("naturally");
    const QString denominator = matrix.measurement.failureDenominator == FailureDenominator::Attempted
                                    ? tr("all attempted requests")
                                    : tr("accepted requests");
    return tr("Prefix cache: <b>%1</b> &nbsp;·&nbsp; Output ends: <b>%2</b> &nbsp;·&nbsp; Failures counted "
              "against: <b>%3</b>")
        .arg(cache, output, denominator);
}

void PlanPage::refresh()
{
    m_statement->setText(statement());
    m_findings->setFindings(m_document.findings());
    const QString reason = whyNotRunnable();
    m_run->setEnabled(reason.isEmpty());
    m_run->setToolTip(reason.isEmpty() ? tr("Start the run (Ctrl+R)") : reason);
    m_reason->setText(reason);
    setRole(m_reason, m_blocked.isEmpty() ? u"error"_s : u"secondary"_s);
    const Result<Plan> plan = expand(m_document.matrix());
    if (plan.ok()) {
        const bool paired = m_document.matrix().pairedWith.has_value();
        const int points = static_cast<int>(plan.value().points.size());
        const QString time = formatDuration(estimatedSeconds(plan.value()) * (paired ? 2 : 1));
        m_estimate->setText(
            paired ? tr("%n point(s) on each of two targets, about %1", nullptr, points).arg(time)
                   : tr("%n point(s), about %1", nullptr, points).arg(time));
    } else {
        m_estimate->setText({});
    }
    emit runnableChanged();
}

QByteArray PlanPage::saveState() const
{
    QByteArray state;
    QDataStream stream(&state, QIODevice::WriteOnly);
    stream << m_splitter->saveState() << m_findings->isExpanded();
    for (const PlanSection* section : m_sections)
        stream << section->isExpanded();
    return state;
}

void PlanPage::restoreState(const QByteArray& state)
{
    QDataStream stream(state);
    QByteArray splitter;
    bool expanded = false;
    stream >> splitter >> expanded;
    if (stream.status() != QDataStream::Ok)
        return;
    m_splitter->restoreState(splitter);
    m_findings->setExpanded(expanded);
    for (PlanSection* section : m_sections) {
        stream >> expanded;
        if (stream.status() == QDataStream::Ok)
            section->setExpanded(expanded);
    }
}

} // namespace tailmark::ui
