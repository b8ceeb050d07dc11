// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_target_section.h"

#include "bridge/target_prober.h"
#include "models/format.h"
#include "pages/plan_json_field.h"
#include "pages/remove_button.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

struct Engine
{
    const char* id;
    const char* title;
};
constexpr Engine kEngines[] = {
    {"auto", QT_TRANSLATE_NOOP("tailmark::ui::PlanTargetSection", "Recognise it")},
    {"vllm", "vLLM"},
    {"sglang", "SGLang"},
    {"llamacpp", "llama.cpp"},
    {"tgi", "TGI"},
    {"trtllm", "TensorRT-LLM"},
    {"triton", "Triton"},
    {"ollama", "Ollama"},
    {"lmdeploy", "LMDeploy"},
    {"litellm", "LiteLLM"},
    {"openai", "OpenAI"},
    {"sim", QT_TRANSLATE_NOOP("tailmark::ui::PlanTargetSection", "Simulated engine")},
    {"generic", QT_TRANSLATE_NOOP("tailmark::ui::PlanTargetSection", "Any other")},
};

} // namespace

PlanTargetSection::PlanTargetSection(PlanDocument& document, TargetProber& prober, Side side, QWidget* parent)
    : PlanSection(side == Side::A ? tr("Target") : tr("Second target"), document, parent),
      m_prober(prober), m_side{side}, m_probe(new QPushButton(label(tr("&Probe")), this)),
      m_state(new QLabel(this)), m_card(new QFrame(this)), m_cardGrid(new QGridLayout(m_card))
{
    if (side == Side::B)
        beginSecond();
    addFields();
    addProbe();
    addFoldedFields();
    if (side == Side::B)
        for (QWidget* field : m_part->findChildren<QWidget*>())
            if (const QString name = field->accessibleName();
                !name.isEmpty() && !qobject_cast<QToolButton*>(field))
                field->setAccessibleName(tr("%1 of the second target").arg(name));

    connect(&prober, &TargetProber::changed, this, &PlanTargetSection::showProbe);
    connect(&document, &PlanDocument::changed, this, &PlanTargetSection::fit);
    setSummary([which = m_side](const Matrix& matrix) {
        if (!which.exists(matrix))
            return tr("none");
        const Target& target = which.target(matrix);
        return QString::fromStdString(which.side == Side::A ? target.model : target.baseUrl);
    });
    fit();
    showProbe();
}

/// A label without its mnemonic in the second target's fields: the first ones have them.
QString PlanTargetSection::label(const QString& text) const
{
    return m_side.side == Side::A ? text : QString(text).remove(u'&');
}

void PlanTargetSection::beginSecond()
{
    m_add = new QPushButton(icon(u"add"_s), tr("Add a second target"), this);
    m_add->setToolTip(
        tr("Measure two targets with this matrix, point by point in turn, for a paired comparison"));
    connect(m_add, &QPushButton::clicked, this, [this] {
        document().edit(m_add->text(), {}, [](Matrix& matrix) {
            matrix.pairedWith = PairedTarget{matrix.target, {}}; // asked as the first, at a place of its own
            matrix.pairedWith->target.baseUrl.clear();
        });
        focusField("paired_with.target.base_url");
    });
    body()->addWidget(m_add, 0, Qt::AlignLeft);
    m_part = new QWidget(this);
    beginPart(m_part);

    auto* order =
        new QLabel(tr("Both are measured by the same points in turn, in A-B-B-A order: a drift falls on both "
                      "alike. Target is A, this one is B."),
                   m_part);
    order->setWordWrap(true);
    setRole(order, u"secondary"_s);
    auto* remove = removeButton(m_part, tr("Remove the second target"));
    connect(remove, &QToolButton::clicked, this, [this] {
        document().edit(tr("Remove the second target"), {},
                        [](Matrix& matrix) { matrix.pairedWith.reset(); });
        m_add->setFocus(Qt::OtherFocusReason);
    });
    auto* row = new QHBoxLayout;
    row->addWidget(order, 1);
    row->addWidget(remove, 0, Qt::AlignTop);
    body()->addLayout(row);
}

void PlanTargetSection::addFields()
{
    const MatrixSide which = m_side;
    PlanForm* form = addForm(4);
    form->setExists([which](const Matrix& matrix) { return which.exists(matrix); });
    form->setPathPrefix(which.path("target"));
    PlanLineEdit* url = form->addString(
        "base_url", label(tr("&URL")), [which](auto& m) -> auto& { return which.target(m).baseUrl; },
        tr("Where the OpenAI-compatible API begins, with its version: http://host:8000/v1"), 3);
    url->setInputMethodHints(Qt::ImhUrlCharactersOnly);
    form->addChoice(
        "api", tr("API"),
        {{tr("Chat"), tr("/chat/completions: messages, the engine's chat template around them")},
         {tr("Completions"), tr("/completions: the prompt as it is")}},
        [which](auto& m) -> auto& { return which.target(m).api; });
    m_model = form->addEditableChoice(
        "model", label(tr("&Model")),
        [which](const Matrix& m) { return QString::fromStdString(which.target(m).model); },
        [which](Matrix& m, const QString& text) {
            which.target(m).model = text.trimmed().toStdString();
            return QString();
        },
        tr("Name under which the target serves the model; empty asks for the only one that it lists"), 2);
    m_model->lineEdit()->setPlaceholderText(tr("the only one listed"));
    PlanLineEdit* key = form->addString(
        "api_key_env", label(tr("&Key from environment variable")),
        [which](auto& m) -> auto& { return which.target(m).apiKeyEnv; },
        tr("Name of the variable that holds the API key, for example OPENAI_API_KEY. The key itself is never "
           "stored."),
        2);
    key->setPlaceholderText(tr("no key"));
}

void PlanTargetSection::addProbe()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_probe->setToolTip(
        tr("Ask the target who it is, with one short request. Fills the run card with what it says."));
    connect(m_probe, &QPushButton::clicked, this, [this] {
        if (m_prober.state() == TargetProber::State::Probing)
            m_prober.cancel();
        else
            probe();
    });
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_probe, 0, Qt::AlignTop);
    row->addWidget(m_state, 1);
    body()->addLayout(row);

    m_cardGrid->setContentsMargins(0, 0, 0, 0);
    m_cardGrid->setHorizontalSpacing(12);
    m_cardGrid->setVerticalSpacing(2);
    m_cardGrid->setColumnStretch(1, 1);
    body()->addWidget(m_card);
}

void PlanTargetSection::addFoldedFields()
{
    const MatrixSide which = m_side;
    PlanForm* more = addFoldedForm(tr("Engine, headers, TLS, proxy"), 4);
    more->setExists([which](const Matrix& matrix) { return which.exists(matrix); });
    more->setPathPrefix(which.path("target"));
    std::vector<IdChoice> engines;
    for (const Engine& each : kEngines)
        engines.push_back({each.id, tr(each.title), {}});
    more->addIdChoice(
        "engine", tr("Engine"), engines, [which](auto& m) -> auto& { return which.target(m).engine; },
        tr("Which request fields and info endpoints are tried"), 2);
    more->addString(
        "metrics_url", tr("Server metrics"), [which](auto& m) -> auto& { return which.target(m).metricsUrl; },
        tr("URL of the engine's Prometheus metrics; auto tries /metrics beside the API; empty asks for none"),
        2);
    addHeadersField(
        *more, "headers", tr("Extra headers"), [which](auto& m) -> auto& { return which.target(m).headers; });
    addJsonField(
        *more, "extra_body",
        tr("Extra request fields"), [which](auto& m) -> auto& { return which.target(m).extraBody; });
    more->addCheck(
        "tls.verify",
        tr("Verify TLS certificate"), [which](auto& m) -> auto& { return which.target(m).tls.verify; },
        tr("Off only for a test server with a certificate of its own"), 2);
    more->addString(
        "tls.ca_file",
        tr("CA certificate file"), [which](auto& m) -> auto& { return which.target(m).tls.caFile; },
        tr("PEM file to verify with; empty uses the system's"), 2);
    more->addChoice(
        "http_version", tr("HTTP"),
        {{tr("1.1"), tr("A connection for each request in flight")},
         {tr("2"), tr("Many requests on one connection: agreed on by TLS, without TLS taken for granted")}},
        [which](auto& m) -> auto& { return which.target(m).httpVersion; }, {}, 2);
    more->addString(
            "proxy", tr("Proxy"), [which](auto& m) -> auto& { return which.target(m).proxy; },
            tr("http://host:port; empty uses none, whatever the environment says"), 2)
        ->setPlaceholderText(tr("none"));
    if (which.side == Side::A)
        return;
    PlanForm* card = addFoldedForm(tr("Run card of the second target"), 2);
    card->setExists([which](const Matrix& matrix) { return which.exists(matrix); });
    card->setPathPrefix(which.path("card"));
    m_cardFields = addCardFields(*card, which);
}

void PlanTargetSection::fit()
{
    const Matrix& matrix = document().matrix();
    const bool exists = m_side.exists(matrix);
    if (m_side.side == Side::B) {
        m_add->setVisible(!exists);
        m_part->setVisible(exists);
    }
    if (exists)
        m_prober.setTarget(m_side.target(matrix));
    else if (m_prober.state() != TargetProber::State::Unknown)
        m_prober.forget();
    enableProbe();
}

void PlanTargetSection::probe()
{
    const Matrix& matrix = document().matrix();
    m_prober.start(m_side.target(matrix), m_side.card(matrix), matrix.limits);
}

/// A target with a value that is wrong cannot be asked.
void PlanTargetSection::enableProbe()
{
    const std::string place = m_side.path("target") + ".";
    const bool wrong =
        std::any_of(document().findings().begin(), document().findings().end(), [&](const Finding& finding) {
            return finding.severity == Finding::Severity::Error && finding.path.starts_with(place);
        });
    m_probe->setEnabled(m_prober.state() == TargetProber::State::Probing || !wrong);
}

void PlanTargetSection::showProbe()
{
    const bool probing = m_prober.state() == TargetProber::State::Probing;
    m_probe->setText(label(probing ? tr("&Cancel") : tr("&Probe")));
    QString role = u"secondary"_s;
    switch (m_prober.state()) {
    case TargetProber::State::Unknown:
        m_state->setText(tr("Not probed yet. A run probes by itself before its first point."));
        break;
    case TargetProber::State::Probing:
        m_state->setText(tr("Asking the target…"));
        break;
    case TargetProber::State::Reachable:
        if (const Status one = needOneModel(*m_prober.result()); !one.ok()) {
            m_state->setText(tr("Reachable. %1").arg(QString::fromStdString(one.error().line())));
            role = u"warning"_s;
        } else {
            m_state->setText(tr("Reachable, and one request was answered."));
            role = u"ok"_s;
        }
        break;
    case TargetProber::State::Failed:
        m_state->setText(m_prober.error());
        role = u"error"_s;
        break;
    }
    setRole(m_state, role);
    if (const auto& result = m_prober.result()) {
        const QString current = m_model->lineEdit()->text();
        m_model->clear();
        for (const std::string& model : result->models)
            m_model->addItem(QString::fromStdString(model));
        m_model->lineEdit()->setText(current);
    }
    showReadCard(m_cardFields, m_prober.result());
    showCard();
    enableProbe();
}

void PlanTargetSection::showCard()
{
    while (QLayoutItem* item = m_cardGrid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const auto& result = m_prober.result();
    m_card->setVisible(result.has_value());
    if (!result)
        return;
    int row = 0;
    const auto add = [&](const QString& key, const QString& value, const QString& mark) {
        auto* name = new QLabel(key, m_card);
        setRole(name, u"secondary"_s);
        auto* text = new QLabel(value, m_card);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setWordWrap(true);
        text->setAccessibleName(u"%1: %2 (%3)"_s.arg(key, value, mark));
        m_cardGrid->addWidget(name, row, 0, Qt::AlignTop);
        m_cardGrid->addWidget(text, row, 1);
        if (!mark.isEmpty()) {
            auto* chip = new QLabel(mark, m_card);
            setRole(chip, u"chip"_s);
            m_cardGrid->addWidget(chip, row, 2, Qt::AlignTop | Qt::AlignRight);
        }
        ++row;
    };
    const QString read = tr("read");
    if (result->contextTokens > 0)
        add(tr("context"), tr("%1 tokens").arg(formatEstimate(result->contextTokens)), read);
    for (const auto& [key, entry] : result->card.entries()) {
        if (entry.origin == CardOrigin::Unknown || entry.value.empty())
            continue;
        add(QString::fromStdString(key), QString::fromStdString(entry.value),
            entry.origin == CardOrigin::Read ? read : tr("typed"));
    }
    for (const std::string& note : result->notes)
        add(tr("note"), QString::fromStdString(note), {});
}

} // namespace tailmark::ui
