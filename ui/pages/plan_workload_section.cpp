// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_workload_section.h"

#include "bridge/workload_preview.h"
#include "models/format.h"
#include "pages/plan_json_field.h"
#include "pages/plan_length_fields.h"
#include "pages/plan_mix_rows.h"
#include "pages/trace_import_dialog.h"
#include "pages/workload_view.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QTimer>

#include <cmath>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString droppedFile(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    if (urls.size() != 1 || !urls.first().isLocalFile())
        return {};
    const QString path = urls.first().toLocalFile();
    return path.endsWith(".tailmark.json"_L1) ? QString() : path; // a matrix is opened by the window
}

} // namespace

PlanWorkloadSection::PlanWorkloadSection(PlanDocument& document, WorkloadPreview& preview, QWidget* parent)
    : PlanSection(tr("Workload"), document, parent), m_preview(preview), m_lengths(addForm(4)),
      m_prefix(nullptr), m_mix(new PlanMixRows(document, this)), m_state(new QLabel(this)),
      m_reading(new QPushButton(this)), m_view(new WorkloadView(this))
{
    setAcceptDrops(true);
    addLengths();

    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_reading, &QPushButton::clicked, this, [this] {
        if (m_preview.reading())
            m_preview.cancel();
        else
            m_preview.read();
    });
    auto* row = new QHBoxLayout;
    row->addWidget(m_state, 1);
    row->addWidget(m_reading, 0, Qt::AlignTop);
    body()->addLayout(row);
    body()->addWidget(m_view);
    addPolicies();

    connect(&document, &PlanDocument::changed, this, &PlanWorkloadSection::showFields);
    setSummary([](const Matrix& matrix) {
        const Lengths& lengths = matrix.workload.lengths;
        switch (lengths.kind) {
        case LengthsKind::Fixed:
            return tr("%1 → %2 tokens").arg(lengths.promptTokens).arg(lengths.outputTokens);
        case LengthsKind::Quantiles:
            return tr("through quantiles");
        case LengthsKind::Mix:
            return tr("a mix of %n kind(s)", nullptr, static_cast<int>(lengths.parts.size()));
        default:
            return QFileInfo(QString::fromStdString(lengths.file)).fileName();
        }
    });
    connect(&preview, &WorkloadPreview::changed, this, &PlanWorkloadSection::showPreview);
    connect(&preview, &WorkloadPreview::progressed, this, &PlanWorkloadSection::showProgress);
}

void PlanWorkloadSection::addLengths()
{
    m_lengths->setPathPrefix("workload");
    m_lengths->addChoice(
        "lengths.kind", tr("&Lengths"),
        {{tr("Fixed"), tr("Every request has the same prompt and output length: for comparing one setting")},
         {tr("From a trace file"), tr("Prompt and output lengths drawn together from a log, with its tail")},
         {tr("Pairs from a file"), tr("Rows of prompt and output tokens, drawn together")},
         {tr("Through given quantiles"),
          tr("A distribution that has the quantiles that are known, like p50 and p99")},
         {tr("A mix of kinds"), tr("Several kinds of requests, each with its lengths and its share")},
         {tr("Prompts from a file"), tr("The real prompts of a file are sent")}},
        [](auto& m) -> auto& { return m.workload.lengths.kind; }, {}, 2);
    PlanLineEdit* file = addLengthFields(*m_lengths, {});
    QAction* browse = file->addAction(icon(u"open"_s, Tint::Secondary), QLineEdit::TrailingPosition);
    browse->setText(tr("Browse…"));
    browse->setToolTip(tr("Browse for a trace file (Ctrl+B)"));
    browse->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_B));
    browse->setShortcutContext(Qt::WidgetShortcut);
    file->QWidget::addAction(browse);
    connect(browse, &QAction::triggered, this, &PlanWorkloadSection::browse);
    body()->addWidget(m_mix);
    connect(m_mix, &PlanMixRows::formAdded, this, &PlanWorkloadSection::watch);
    connect(m_mix, &PlanMixRows::formRemoved, this, &PlanWorkloadSection::forget);
}

void PlanWorkloadSection::addPolicies()
{
    m_prefix = addForm(4);
    m_prefix->setPathPrefix("workload");
    m_prefix->addChoice(
        "output", tr("&Output ends"),
        {{tr("Naturally"), tr("At the model's own end, up to the planned length: what users see")},
         {tr("At the planned length"),
          tr("The engine is made to generate the full length: work is the same in every run")}},
        [](auto& m) -> auto& { return m.workload.output; }, {}, 2);
    m_prefix->addChoice(
        "cache", tr("Prefix &cache"),
        {{tr("Cold"),
          tr("Every prompt is new to the engine; checked against its own counters where it has some")},
         {tr("Warm"), tr("Shared prefixes are sent once before each point")},
         {tr("As it is"), tr("Nothing is done and nothing is claimed about it")}},
        [](auto& m) -> auto& { return m.workload.cache; }, {}, 2);
    m_prefix->addChoice(
        "prefix.kind", tr("Shared prefi&xes"),
        {{tr("None"), tr("Prompts have nothing in common")},
         {tr("Groups"), tr("A share of the prompts begins with the prefix of one of several groups")},
         {tr("From the log"),
          tr("Blocks that requests of the trace share are the same text in their prompts")}},
        [](auto& m) -> auto& { return m.workload.prefix.kind; });
    m_prefix->addNumber(
        "prefix.shared_tokens", tr("Prefix length"), tr("tokens"),
        [](auto& m) -> auto& { return m.workload.prefix.sharedTokens; });
    m_prefix->addNumber(
        "prefix.groups", tr("Groups"), {}, [](auto& m) -> auto& { return m.workload.prefix.groups; },
        tr("How many different prefixes there are"));
    m_prefix->addNumber(
        "prefix.share", tr("Share"), {}, [](auto& m) -> auto& { return m.workload.prefix.share; },
        tr("Share of the requests that begin with a shared prefix, from 0 to 1"));
    m_prefix->addChoice(
        "sessions.kind", tr("Sess&ions"),
        {{tr("None"), tr("Every request stands for itself")},
         {tr("From the log"), tr("A user sends the turns of a session of the trace one after another")},
         {tr("Made up"),
          tr("Conversations of a stated number of turns, each prompt with all turns before it")}},
        [](auto& m) -> auto& { return m.workload.sessions.kind; },
        tr("Of a closed loop: each turn is sent after the answer to the one before it"), 2);
    m_prefix->addNumber(
        "sessions.turns", tr("Turns"), {}, [](auto& m) -> auto& { return m.workload.sessions.turns; },
        tr("Requests of one session"));
    m_prefix->addNumber(
        "sessions.growth_tokens", tr("A turn adds"), tr("tokens"),
        [](auto& m) -> auto& { return m.workload.sessions.growthTokens; },
        tr("Prompt tokens that each turn behind the first adds; 0 adds as many as are drawn for it"));
    m_prefix->addNumber(
        "seed", tr("Seed"), {}, [](auto& m) -> auto& { return m.workload.seed; },
        tr("The same seed gives the same lengths, prompts and arrivals"));
    m_prefix->addChoice(
        "beyond_context", tr("&Longer than the context"),
        {{tr("Do not start"), tr("The run does not begin: the workload does not fit this target")},
         {tr("Shorten"), tr("Such prompts are cut to what fits, and the run says how many")},
         {tr("Send"), tr("Sent as they are: the engine may refuse them")}},
        [](auto& m) -> auto& { return m.workload.beyondContext; },
        tr("What becomes of requests that are longer than the context that the target tells"), 2);
    PlanForm* more = addFoldedForm(tr("Sampling, streaming"), 4);
    more->setPathPrefix("workload");
    more->addCheck(
        "streaming", tr("Stream the answer"), [](auto& m) -> auto& { return m.workload.streaming; },
        tr("Without streaming there is no first token to time"));
    more->addChoice(
        "token_evidence", tr("Tokens of each chunk"),
        {{tr("Not asked for"), tr("A chunk may hold several tokens; their number is told at the end")},
         {tr("Asked for"), tr("The engine tells the tokens of each chunk, which costs it a little for every "
                              "chunk: needed for the "
                              "inter-token latency")}},
        [](auto& m) -> auto& { return m.workload.tokenEvidence; }, {}, 2);
    addJsonField(
        *more, "sampling", tr("Sampling"), [](auto& m) -> auto& { return m.workload.sampling; },
        tr("Fields that go with each request, like {\"temperature\": 0}"));
    addJsonField(
        *more, "extras", tr("Extras"), [](auto& m) -> auto& { return m.workload.extras; },
        tr("Other fields of the request body: tools, response_format, …"));
}

void PlanWorkloadSection::showFields()
{
    const Workload& workload = document().matrix().workload;
    const LengthsKind kind = workload.lengths.kind;
    showLengthFields(*m_lengths, kind);
    m_mix->setVisible(kind == LengthsKind::Mix);
    for (const char* path : {"prefix.shared_tokens", "prefix.groups", "prefix.share"})
        m_prefix->setFieldVisible(path, workload.prefix.kind == PrefixKind::Shared);
    for (const char* path : {"sessions.turns", "sessions.growth_tokens"})
        m_prefix->setFieldVisible(path, workload.sessions.kind == SessionsKind::Synthetic);
    m_preview.setLengths(workload.lengths);
}

void PlanWorkloadSection::importTrace(const QString& path)
{
    auto* dialog = new TraceImportDialog(path, m_preview.database(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        document().edit(tr("Import a trace"), {}, [&](Matrix& matrix) {
            Lengths& lengths = matrix.workload.lengths;
            lengths.kind = dialog->lengths().kind;
            lengths.file = dialog->lengths().file;
            lengths.format = dialog->lengths().format;
            lengths.hash = dialog->lengths().hash;
        });
    });
    dialog->open();
}

void PlanWorkloadSection::browse()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Import a trace"), {}, tr("Traces (*.csv *.jsonl *.json *.gz);;All files (*)"));
    if (!path.isEmpty())
        importTrace(path);
}

void PlanWorkloadSection::showPreview()
{
    const Lengths& lengths = document().matrix().workload.lengths;
    const bool fixed = lengths.kind == LengthsKind::Fixed;
    const auto& summary = m_preview.summary();
    const bool shown = summary && !fixed && summary->stats.prompt.n > 0;
    m_view->setVisible(shown);
    if (shown)
        m_view->setSummary(*summary);
    m_reading->setVisible(m_preview.reading() || m_preview.cancelled());
    m_reading->setText(m_preview.cancelled() ? tr("Read the file") : tr("Stop reading"));
    m_state->setVisible(!fixed && !summary);
    setRole(m_state, m_preview.error().isEmpty() ? u"secondary"_s : u"error"_s);
    if (!m_preview.error().isEmpty())
        m_state->setText(m_preview.error());
    else if (m_preview.cancelled())
        m_state->setText(tr("The file was not read to its end. A run reads it before its first point."));
    else if (m_preview.reading())
        showProgress();
    else
        m_state->setText(tr("Choose a trace file, or drop one here."));
}

void PlanWorkloadSection::showProgress()
{
    const ReadingProgress& progress = m_preview.progress();
    const std::uint64_t rows = progress.rows;
    m_state->setText(rows > 0 ? tr("Reading the trace: %1, %2 rows so far…")
                                    .arg(formatShare(std::round(progress.fraction * 100) / 100),
                                         formatEstimate(static_cast<double>(rows)))
                              : tr("Reading the trace…"));
}

void PlanWorkloadSection::dragEnterEvent(QDragEnterEvent* event)
{
    if (!droppedFile(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void PlanWorkloadSection::dropEvent(QDropEvent* event)
{
    const QString path = droppedFile(event->mimeData());
    if (path.isEmpty())
        return;
    event->acceptProposedAction();
    // After the drop, which the other program waits for.
    QTimer::singleShot(0, this, [this, path] { importTrace(path); });
}

} // namespace tailmark::ui
