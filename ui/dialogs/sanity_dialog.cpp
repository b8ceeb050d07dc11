// SPDX-License-Identifier: GPL-3.0-or-later
#include "dialogs/sanity_dialog.h"

#include "analysis/sanity.h"
#include "models/format.h"
#include "plan/bound_tables.h"
#include "style/elided_combo_box.h"
#include "style/theme.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

double numberOf(const QLineEdit* line)
{
    return parseNumber(line->text()).value_or(0);
}

/// "5/0.010, 7/0.02": tokens and seconds of each round. What is none is left out.
std::vector<Round> roundsOf(const QString& text)
{
    std::vector<Round> rounds;
    for (const QString& part : text.split(QRegularExpression(u"[;\\s]+|,(?=\\s|$)"_s), Qt::SkipEmptyParts)) {
        const QStringList two = part.split(u'/');
        if (two.size() != 2)
            continue;
        const auto tokens = parseNumber(two[0]);
        const auto seconds = parseNumber(two[1]);
        if (tokens && seconds && *tokens >= 0 && *seconds > 0)
            rounds.push_back({*tokens, *seconds});
    }
    return rounds;
}

QString sentence(const std::optional<SanityFinding>& finding, const QString& otherwise)
{
    return finding ? QString::fromStdString(finding->text) : otherwise;
}

} // namespace

SanityDialog::SanityDialog(const BoundInput& bound, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Sanity desk"));
    resize(860, 640);
    auto* tabs = new QTabWidget(this);
    tabs->addTab(makeClaim(bound), tr("A &claim"));
    tabs->addTab(makeCalculators(), tr("C&alculators"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tabs, 1);
    column->addWidget(buttons);
    checkTheClaim();
    calculate();
    m_claim->setFocus();
}

QWidget* SanityDialog::makeClaim(const BoundInput& bound)
{
    auto* page = new QWidget(this);
    auto* label = new QLabel(tr("The &figure, as it was written or said"), page);
    setRole(label, u"secondary"_s);
    m_claim = new QLineEdit(page);
    m_claim->setPlaceholderText(tr("8,400 tok/s at concurrency 96, 1024 in / 128 out, p99 TTFT 1 s"));
    m_claim->setAccessibleName(tr("The figure, as it was written or said"));
    m_claim->setClearButtonEnabled(true);
    label->setBuddy(m_claim);
    m_understood = new QLabel(page);
    m_understood->setWordWrap(true);
    setRole(m_understood, u"secondary"_s);

    const auto combo = [page](const QString& name, const QString& none) {
        auto* made = new ElidedComboBox(page);
        made->setAccessibleName(name);
        made->addItem(none, QString());
        return made;
    };
    m_accelerator = combo(tr("Accelerator"), tr("not known"));
    for (const Accelerator& each : accelerators())
        m_accelerator->addItem(QString::fromStdString(each.name), QString::fromStdString(each.id));
    m_model = combo(tr("Model"), tr("not known"));
    for (const ServedModel& each : servedModels())
        m_model->addItem(QString::fromStdString(each.name), QString::fromStdString(each.id));
    m_accelerator->setCurrentIndex(
        std::max(0, m_accelerator->findData(QString::fromStdString(bound.accelerator))));
    m_model->setCurrentIndex(std::max(0, m_model->findData(QString::fromStdString(bound.model))));
    const auto line = [page](const QString& name, const QString& help, const QString& placeholder,
                             double value) {
        auto* made = new QLineEdit(page);
        made->setAccessibleName(name);
        made->setToolTip(help);
        made->setPlaceholderText(placeholder);
        if (value > 0)
            made->setText(formatEditable(value));
        return made;
    };
    m_devices = line(tr("Devices"), tr("How many of them serve the model together"), tr("1"), bound.devices);
    m_bytes = line(tr("Bytes per parameter"), tr("2 for BF16, 1 for FP8, 0.56 for FP4"), tr("as published"),
                   bound.bytesPerParam);
    m_bandwidth = line(tr("Memory bandwidth, GB/s"), tr("Of one device, in place of the table"),
                       tr("of the table"), bound.bandwidthGbPerS);
    m_params = line(tr("Active parameters"), tr("That one token passes through, in place of the table"),
                    tr("of the table"), bound.activeParams);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(3);
    int column = 0;
    const auto place = [&](int row, QWidget* field, int span) {
        auto* name = new QLabel(field->accessibleName(), page);
        setRole(name, u"secondary"_s);
        name->setBuddy(field);
        grid->addWidget(name, 2 * row, column, 1, span);
        grid->addWidget(field, 2 * row + 1, column, 1, span);
        column += span;
    };
    place(0, m_accelerator, 2);
    place(0, m_devices, 1);
    place(0, m_bandwidth, 1);
    column = 0;
    place(1, m_model, 2);
    place(1, m_bytes, 1);
    place(1, m_params, 1);
    for (int i = 0; i < 4; ++i)
        grid->setColumnStretch(i, 1);

    m_findings = new QTextBrowser(page);
    m_findings->setAccessibleName(tr("What the figure implies"));
    m_findings->setOpenLinks(false);
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(12, 12, 12, 4);
    rows->setSpacing(8);
    rows->addWidget(label);
    rows->addWidget(m_claim);
    rows->addWidget(m_understood);
    rows->addLayout(grid);
    rows->addWidget(m_findings, 1);
    for (QLineEdit* each : {m_claim, m_devices, m_bytes, m_bandwidth, m_params})
        connect(each, &QLineEdit::textChanged, this, &SanityDialog::checkTheClaim);
    for (QComboBox* each : {m_accelerator, m_model})
        connect(each, &QComboBox::currentIndexChanged, this, &SanityDialog::checkTheClaim);
    return page;
}

BoundInput SanityDialog::boundInput() const
{
    BoundInput input;
    input.accelerator = m_accelerator->currentData().toString().toStdString();
    input.model = m_model->currentData().toString().toStdString();
    input.devices = numberOf(m_devices) > 0 ? numberOf(m_devices) : 1;
    input.bytesPerParam = numberOf(m_bytes);
    input.bandwidthGbPerS = numberOf(m_bandwidth);
    input.activeParams = numberOf(m_params);
    return input;
}

void SanityDialog::checkTheClaim()
{
    using Kind = SanityFinding::Kind;
    const Claim claim = parseClaim(m_claim->text().toStdString());
    const QString understood = QString::fromStdString(claimText(claim));
    const bool claimed = claim.doubts.empty() && (claim.tokensPerS || claim.requestsPerS);
    m_understood->setText(m_claim->text().trimmed().isEmpty()
                              ? tr("Say a throughput, and what is known of it.")
                          : !claim.doubts.empty() ? tr("Not certain: %1.").arg(QString::fromStdString(claim.doubts.front()))
                          : understood.isEmpty() ? tr("Nothing of this was understood.")
                          : claimed              ? tr("Understood: %1").arg(understood)
                                    : tr("Understood: %1. A throughput is missing.").arg(understood));
    QString html;
    if (claimed) {
        const ThemeColours& colours = themeColours(palette());
        const std::vector<SanityFinding> findings = checkClaim(claim, claimFigures(claim, boundInput()));
        const std::tuple<Kind, QString, QColor> parts[] = {
            {Kind::Impossible, tr("Cannot be"), colours.error},
            {Kind::Derived, tr("What it implies"), palette().color(QPalette::Text)},
            {Kind::Missing, tr("What it leaves out"), colours.warning},
            {Kind::Condition, tr("What would have to be true"), palette().color(QPalette::Text)}};
        for (const auto& [kind, title, colour] : parts) {
            QString items;
            for (const SanityFinding& finding : findings)
                if (finding.kind == kind)
                    items += u"<li style=\"margin-bottom:4px\">%1</li>"_s.arg(
                        QString::fromStdString(finding.text).toHtmlEscaped());
            if (!items.isEmpty())
                html +=
                    u"<p style=\"margin:10px 0 2px 0; color:%1\"><b>%2</b></p><ul style=\"margin:0\">%3</ul>"_s
                        .arg(colour.name(), title.toHtmlEscaped(), items);
        }
    }
    m_findings->setHtml(html);
}

QLineEdit* SanityDialog::addLine(QFormLayout* form, const QString& label, const QString& help,
                                 const QString& placeholder)
{
    auto* line = new QLineEdit(form->parentWidget());
    line->setPlaceholderText(placeholder);
    line->setToolTip(help);
    line->setAccessibleName(QString(label).remove(u'&'));
    form->addRow(label, line);
    connect(line, &QLineEdit::textChanged, this, &SanityDialog::calculate);
    return line;
}

QWidget* SanityDialog::makeCalculators()
{
    auto* page = new QWidget(this);
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(12, 12, 12, 4);
    rows->setSpacing(12);
    const auto group = [&](const QString& title, QLabel*& result) {
        auto* box = new QGroupBox(title, page);
        auto* form = new QFormLayout(box);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        result = new QLabel(box);
        result->setWordWrap(true);
        result->setTextInteractionFlags(Qt::TextSelectableByMouse);
        rows->addWidget(box);
        return form;
    };
    QFormLayout* loop = group(tr("Closed loop: users that wait for their answers"), m_loop);
    m_users = addLine(loop, tr("&Users"), tr("Workers, each with one request at a time"), u"32"_s);
    m_response = addLine(loop, tr("&Response, s"), tr("Mean time of an answer"), u"2.5"_s);
    m_think = addLine(loop, tr("&Think time, s"), tr("Pause before the next request"), u"0"_s);
    loop->addRow(m_loop);
    QFormLayout* backlog = group(tr("Open loop: arrivals past the capacity"), m_backlog);
    m_offered = addLine(backlog, tr("&Offered, /s"), tr("Requests that arrive per second"), u"24"_s);
    m_completed =
        addLine(backlog, tr("Co&mpleted, /s"), tr("Requests that the engine completes per second"), u"16"_s);
    m_seconds = addLine(backlog, tr("For, &s"), tr("How long it goes on"), u"60"_s);
    backlog->addRow(m_backlog);
    QFormLayout* rounds = group(tr("Rounds of work: rates have no mean"), m_rounds);
    m_before = addLine(rounds, tr("Rounds &before"), tr("tokens/seconds of each, with blanks between"),
                       u"5/0.010  7/0.020"_s);
    m_after = addLine(rounds, tr("Rounds a&fter a change"), tr("The same work; empty where there is none"),
                      u"5/0.008  7/0.016"_s);
    rounds->addRow(m_rounds);
    rows->addStretch(1);
    return page;
}

void SanityDialog::calculate()
{
    m_loop->setText(sentence(closedLoopRate(numberOf(m_users), numberOf(m_response), numberOf(m_think)),
                             tr("Requests per second = users / (response + think time).")));
    m_backlog->setText(
        sentence(backlogGrowth(numberOf(m_offered), numberOf(m_completed), numberOf(m_seconds)),
                 tr("Backlog = (offered − completed) × time; who comes then waits backlog / completed.")));
    const std::vector<Round> before = roundsOf(m_before->text());
    const std::vector<Round> after = roundsOf(m_after->text());
    QStringList lines{
        sentence(wallClockRate(before), tr("All tokens over the whole time, not the mean of the rates."))};
    if (!before.empty() && !after.empty())
        lines << sentence(throughputGained(before, after), {});
    m_rounds->setText(lines.join(u'\n'));
}

} // namespace tailmark::ui
