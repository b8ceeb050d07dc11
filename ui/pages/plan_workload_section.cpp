// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_workload_section.h"

#include "bridge/workload_preview.h"
#include "models/format.h"
#include "pages/plan_json_field.h"
#include "style/icons.h"
#include "style/theme.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMimeData>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kRejectedShown = 8;

/// A short code of the importer in words: "not_an_integer" -> "not an integer".
QString words(const std::string& code)
{
    return QString::fromStdString(code).replace(u'_', u' ');
}

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
      m_prefix(nullptr), m_text(new QLabel(this))
{
    setAcceptDrops(true);

    m_lengths->setPathPrefix("workload");
    m_lengths->addChoice(
        "lengths.kind", tr("&Lengths"),
        {{tr("Fixed"), tr("Every request has the same prompt and output length: for comparing one setting")},
         {tr("From a trace file"), tr("Prompt and output lengths drawn together from a log, with its tail")},
         {tr("Pairs from a file"), tr("Rows of prompt and output tokens, drawn together")}},
        [](auto& m) -> auto& { return m.workload.lengths.kind; }, {}, 2);
    m_lengths->addNumber(
        "lengths.prompt_tokens", tr("Prompt"), tr("tokens"),
        [](auto& m) -> auto& { return m.workload.lengths.promptTokens; });
    m_lengths->addNumber(
        "lengths.output_tokens", tr("Output"), tr("tokens"),
        [](auto& m) -> auto& { return m.workload.lengths.outputTokens; },
        tr("Cap on the output, or its length when forced"));
    PlanLineEdit* file = m_lengths->addString(
        "lengths.file", tr("Trace &file"), [](auto& m) -> auto& { return m.workload.lengths.file; },
        tr("A log with prompt and output tokens of each request. A file can also be dropped here."), 2);
    QAction* browse = file->addAction(icon(u"open"_s, Tint::Secondary), QLineEdit::TrailingPosition);
    browse->setText(tr("Browse…"));
    browse->setToolTip(tr("Browse for a trace file (Ctrl+B)"));
    browse->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_B));
    browse->setShortcutContext(Qt::WidgetShortcut);
    file->QWidget::addAction(browse);
    connect(browse, &QAction::triggered, this, &PlanWorkloadSection::browse);

    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    body()->addWidget(m_text);

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
         {tr("Groups"), tr("A share of the prompts begins with the prefix of one of several groups")}},
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
    m_prefix->addNumber(
        "seed", tr("Seed"), {}, [](auto& m) -> auto& { return m.workload.seed; },
        tr("The same seed gives the same lengths, prompts and arrivals"));
    PlanForm* more = addFoldedForm(tr("Sampling, streaming"), 4);
    more->setPathPrefix("workload");
    more->addCheck(
        "streaming", tr("Stream the answer"), [](auto& m) -> auto& { return m.workload.streaming; },
        tr("Without streaming there is no first token to time"));
    addJsonField(
        *more, "sampling", tr("Sampling"), [](auto& m) -> auto& { return m.workload.sampling; },
        tr("Fields that go with each request, like {\"temperature\": 0}"));
    addJsonField(
        *more, "extras", tr("Extras"), [](auto& m) -> auto& { return m.workload.extras; },
        tr("Other fields of the request body: tools, response_format, …"));

    connect(&document, &PlanDocument::changed, this, [this] {
        const Workload& workload = this->document().matrix().workload;
        const bool fixed = workload.lengths.kind == LengthsKind::Fixed;
        for (const char* path : {"lengths.prompt_tokens", "lengths.output_tokens"})
            m_lengths->setFieldVisible(path, fixed);
        m_lengths->setFieldVisible("lengths.file", !fixed);
        for (const char* path : {"prefix.shared_tokens", "prefix.groups", "prefix.share"})
            m_prefix->setFieldVisible(path, workload.prefix.kind == PrefixKind::Shared);
        m_preview.setLengths(workload.lengths);
    });
    setSummary([](const Matrix& matrix) {
        const Lengths& lengths = matrix.workload.lengths;
        return lengths.kind == LengthsKind::Fixed
                   ? tr("%1 → %2 tokens").arg(lengths.promptTokens).arg(lengths.outputTokens)
                   : QFileInfo(QString::fromStdString(lengths.file)).fileName();
    });
    connect(&preview, &WorkloadPreview::changed, this, &PlanWorkloadSection::showPreview);
}

void PlanWorkloadSection::setTrace(const QString& path)
{
    document().edit(tr("Trace file"), {}, [&](Matrix& matrix) {
        matrix.workload.lengths.kind = LengthsKind::Trace;
        matrix.workload.lengths.file = QFileInfo(path).absoluteFilePath().toStdString();
        matrix.workload.lengths.format = "auto";
        matrix.workload.lengths.hash.clear();
    });
}

void PlanWorkloadSection::browse()
{
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Trace file"), {}, tr("Traces (*.csv *.jsonl *.json *.gz);;All files (*)"));
    if (!path.isEmpty())
        setTrace(path);
}

void PlanWorkloadSection::showPreview()
{
    const auto percentiles = [](const LengthPercentiles& p) {
        return u"%1 / %2 / %3"_s.arg(formatEstimate(p.p50), formatEstimate(p.p90), formatEstimate(p.p99));
    };
    const bool trace = document().matrix().workload.lengths.kind != LengthsKind::Fixed;
    m_text->setToolTip({});
    m_text->setVisible(trace);
    setRole(m_text, m_preview.error().isEmpty() ? u"secondary"_s : u"error"_s);
    if (!m_preview.error().isEmpty()) {
        m_text->setText(m_preview.error());
        return;
    }
    if (!m_preview.summary()) {
        m_text->setText(m_preview.reading() ? tr("Reading the trace…")
                                            : tr("Choose a trace file, or drop one here."));
        return;
    }
    const WorkloadSummary& summary = *m_preview.summary();
    QString text =
        tr("%1 requests (%2). Tokens at p50 / p90 / p99: prompt %3, output %4.")
            .arg(formatEstimate(static_cast<double>(summary.rows)), QString::fromStdString(summary.format),
                 percentiles(summary.prompt), percentiles(summary.output));
    if (summary.rankCorrelation)
        text += u' ' + tr("Rank correlation %1.").arg(QLocale().toString(*summary.rankCorrelation, 'f', 2));
    if (summary.rowsRejected > 0) {
        text += u' ' + tr("%n row(s) rejected.", nullptr, static_cast<int>(summary.rowsRejected));
        QStringList lines;
        for (const RejectedRow& row : summary.rejected) {
            if (static_cast<std::size_t>(lines.size()) == kRejectedShown) {
                lines << u"…"_s;
                break;
            }
            lines << tr("line %1, %2: %3")
                         .arg(row.line)
                         .arg(QString::fromStdString(row.field), words(row.reason));
        }
        m_text->setToolTip(lines.join(u'\n'));
    }
    for (const TraceWarning& warning : summary.warnings)
        text += u' ' + (warning.code == "unsorted" ? tr("Its rows were not in the order of time.")
                                                   : QString::fromStdString(warning.text) + u'.');
    m_text->setText(text);
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
    setTrace(path);
    event->acceptProposedAction();
}

} // namespace tailmark::ui
