// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/trace_import_dialog.h"

#include "models/format.h"
#include "models/workload_text.h"
#include "pages/table_view.h"
#include "pages/workload_view.h"
#include "plan/validate.h"
#include "run/kept_traces.h"
#include "store/store.h"
#include "style/elided_combo_box.h"
#include "style/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <utility>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDelayMs = 250;
constexpr int kTickMs = 150;
constexpr int kSampleRows = 8;
constexpr int kMostTokens = 2'000'000;

struct Choosable
{
    Field field;
    const char* label;
    const char* help;
};
constexpr Choosable kChoosable[] = {
    {Field::Prompt, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "&Prompt tokens"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Tokens of the prompt, a whole number")},
    {Field::Output, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "&Output tokens"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Tokens of the answer, a whole number")},
    {Field::Timestamp, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "&Arrival time"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog",
                       "When the request came: a date with time, or a number in the unit below")},
    {Field::Session, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "&Session"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog",
                       "Name of the conversation that the request belongs to")},
    {Field::Turn, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "T&urn"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Number of the request in its conversation")},
    {Field::ThinkTime, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "T&hink time"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Pause of the user before the request")},
    {Field::Cached, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "&Cached tokens"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog",
                       "Tokens of the prompt that the engine had in its cache")},
    {Field::Blocks, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Prefix &blocks"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Ids of the blocks of the prompt, from its begin")},
    {Field::Model, QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "&Model"),
     QT_TRANSLATE_NOOP("tailmark::ui::TraceImportDialog", "Name of the model that was asked")},
};

QString unitName(TimeUnit unit)
{
    switch (unit) {
    case TimeUnit::DateTime:
        return TraceImportDialog::tr("date and time");
    case TimeUnit::Seconds:
        return TraceImportDialog::tr("seconds");
    case TimeUnit::Milliseconds:
        return TraceImportDialog::tr("milliseconds");
    case TimeUnit::Microseconds:
        return TraceImportDialog::tr("microseconds");
    case TimeUnit::Nanoseconds:
        break;
    }
    return TraceImportDialog::tr("nanoseconds");
}

QString fieldName(Field field)
{
    return text(fieldId(field)).replace(u'_', u' ');
}

Table sampleTable(const TraceHead& head)
{
    Table table;
    int rows = 0;
    for (const TraceColumn& column : head.columns) {
        QString title = QString::fromStdString(column.name);
        for (const auto& [field, name] : head.guessed)
            if (name == column.name)
                title += u" → "_s + fieldName(field);
        table.columns.append({title, {}, false});
        rows = std::max(rows, static_cast<int>(column.samples.size()));
    }
    for (int row = 0; row < rows; ++row) {
        QList<Cell> cells;
        for (const TraceColumn& column : head.columns) {
            const auto i = static_cast<std::size_t>(row);
            cells.append({i < column.samples.size() ? QString::fromStdString(column.samples[i]) : QString(),
                          {},
                          {},
                          Badge::None});
        }
        table.rows.append(cells);
    }
    return table;
}

} // namespace

TraceImportDialog::TraceImportDialog(const QString& file, const std::string& database, QWidget* parent)
    : QDialog(parent), m_file(QFileInfo(file).absoluteFilePath()), m_database(database),
      m_samples(new TableView(this))
{
    const QFileInfo info(m_file);
    setWindowTitle(tr("Import a trace – %1").arg(info.fileName()));
    resize(QSize(1040, 760).boundedTo(screen()->availableSize() - QSize(24, 56)));
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    m_ticks.setInterval(kTickMs);
    connect(&m_delay, &QTimer::timeout, this, &TraceImportDialog::read);
    connect(&m_ticks, &QTimer::timeout, this, &TraceImportDialog::showProgress);

    auto* title = new QLabel(tr("First rows of %1").arg(info.fileName()), this);
    title->setTextFormat(Qt::PlainText);
    title->setToolTip(m_file);
    QFont bold = title->font();
    bold.setWeight(QFont::DemiBold);
    title->setFont(bold);
    m_samples->setAccessibleName(tr("First rows of the file"));
    m_samples->setSortingEnabled(false);
    m_samples->setFixedHeight(6 * m_samples->verticalHeader()->defaultSectionSize());

    auto* halves = new QSplitter(Qt::Horizontal, this);
    halves->addWidget(makeChoices());
    halves->addWidget(makeResult());
    halves->setChildrenCollapsible(false);
    halves->setStretchFactor(0, 0);
    halves->setStretchFactor(1, 1);
    halves->setSizes({400, 620});

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_use = new QPushButton(tr("Use as lengths"), this);
    m_use->setProperty("primary", true); // before the box looks at it
    buttons->addButton(m_use, QDialogButtonBox::AcceptRole);
    m_use->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* column = new QVBoxLayout(this);
    column->setSpacing(10);
    column->addWidget(title);
    column->addWidget(m_samples);
    column->addWidget(halves, 1);
    column->addWidget(buttons);
    read();
}

QComboBox* TraceImportDialog::addChoice(QFormLayout* form, const QString& label, const QString& help)
{
    auto* combo = new ElidedComboBox(this);
    combo->setToolTip(help);
    combo->setAccessibleName(QString(label).remove(u'&'));
    combo->setAccessibleDescription(help);
    form->addRow(label, combo);
    connect(combo, &QComboBox::activated, this, &TraceImportDialog::readLater);
    return combo;
}

QWidget* TraceImportDialog::makeChoices()
{
    auto* content = new QWidget(this);
    auto* form = new QFormLayout(content);
    form->setContentsMargins(0, 0, 12, 0);
    form->setVerticalSpacing(6);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    m_format = addChoice(form, tr("&Format"), tr("Of the file; recognised by the names that it has"));
    for (const std::string_view format : traceFormatIds())
        m_format->addItem(format == "auto" ? tr("Recognise it") : text(format), text(format));
    for (const Choosable& each : kChoosable) {
        m_columns[each.field] = addChoice(form, tr(each.label), tr(each.help));
        if (each.field != Field::Timestamp)
            continue;
        m_timeUnit = addChoice(form, tr("T&ime unit"), tr("Of times that are numbers"));
        m_timeUnit->addItem(tr("Automatic"), {});
        for (const TimeUnit unit :
             {TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Microseconds, TimeUnit::Nanoseconds})
            m_timeUnit->addItem(unitName(unit), text(timeUnitId(unit)));
    }
    const auto addLine = [&](const QString& label, const QString& help, const QString& placeholder) {
        auto* line = new QLineEdit(this);
        line->setPlaceholderText(placeholder);
        line->setToolTip(help);
        line->setAccessibleName(QString(label).remove(u'&'));
        line->setAccessibleDescription(help);
        form->addRow(label, line);
        connect(line, &QLineEdit::textEdited, this, &TraceImportDialog::readLater);
        return line;
    };
    m_model = addLine(tr("On&ly the model"), tr("Rows of other models are left out"), tr("all"));
    m_outputTokens = addLine(tr("Output where &none is told"),
                             tr("Tokens of the answer, for rows that tell none"), tr("refuse the row"));
    m_outputTokens->setValidator(new QIntValidator(1, kMostTokens, m_outputTokens));
    m_keepZeroOutput = new QCheckBox(tr("&Keep rows with no output"), this);
    m_keepZeroOutput->setToolTip(tr("They are mostly failed requests, and refused otherwise"));
    form->addRow(m_keepZeroOutput);
    connect(m_keepZeroOutput, &QCheckBox::clicked, this, &TraceImportDialog::readLater);

    auto* scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(340);
    return scroll;
}

QWidget* TraceImportDialog::makeResult()
{
    auto* content = new QWidget(this);
    m_state = new QLabel(content);
    m_state->setWordWrap(true);
    m_state->setTextFormat(Qt::PlainText);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_bar = new QProgressBar(content);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(6);
    m_bar->setAccessibleName(tr("How much of the file is read"));
    m_stop = new QPushButton(tr("S&top reading"), content);
    m_stop->setAutoDefault(false);
    connect(m_stop, &QPushButton::clicked, this, [this] {
        if (m_traceJob.running())
            stop();
        else
            read();
    });
    m_view = new WorkloadView(content);
    m_view->hide();
    auto* row = new QHBoxLayout;
    row->addWidget(m_state, 1);
    row->addWidget(m_stop, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 0, 12, 0);
    column->setSpacing(8);
    column->addLayout(row);
    column->addWidget(m_bar);
    column->addWidget(m_view);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

TraceOptions TraceImportDialog::options() const
{
    TraceOptions options;
    options.format = m_format->currentData().toString().toStdString();
    for (const auto& [field, combo] : m_columns)
        if (const QString name = combo->currentData().toString(); !name.isEmpty())
            options.columns[field] = name.toStdString();
    options.timeUnit = timeUnitFromId(m_timeUnit->currentData().toString().toStdString());
    options.model = m_model->text().trimmed().toStdString();
    options.outputTokens = m_outputTokens->hasAcceptableInput() ? m_outputTokens->text().toInt() : 0;
    options.keepZeroOutput = m_keepZeroOutput->isChecked();
    return options;
}

bool TraceImportDialog::isChosen() const
{
    const TraceOptions chosen = options();
    return !chosen.columns.empty() || chosen.timeUnit || !chosen.model.empty() || chosen.outputTokens > 0 ||
           chosen.keepZeroOutput;
}

void TraceImportDialog::readLater()
{
    m_traceJob.cancel();
    m_trace.reset();
    enableUse();
    m_delay.start();
}

void TraceImportDialog::read()
{
    m_delay.stop();
    m_trace.reset();
    const TraceOptions chosen = options();
    const std::string path = m_file.toStdString();
    m_headJob.start([path, chosen](std::stop_token) { return readTraceHead(path, chosen, kSampleRows); },
                    [this](Result<TraceHead> head) { showHead(std::move(head)); });
    m_progress = std::make_shared<ReadingProgress>();
    m_traceJob.start(
        [path, chosen, progress = m_progress](std::stop_token stop) -> Result<TracePtr> {
            TraceOptions options = chosen;
            options.stop = stop;
            options.progress = [&progress](double fraction, std::uint64_t rows) {
                progress->fraction = fraction;
                progress->rows = rows;
            };
            Result<Trace> trace = importTrace(path, options);
            if (!trace)
                return trace.error();
            return TracePtr(std::make_shared<const Trace>(std::move(trace).value()));
        },
        [this](Result<TracePtr> trace) { showTrace(std::move(trace)); });
    m_stop->setText(tr("S&top reading"));
    m_stop->show();
    m_bar->show();
    m_ticks.start();
    showProgress();
    enableUse();
}

void TraceImportDialog::stop()
{
    m_traceJob.cancel();
    m_ticks.stop();
    m_bar->hide();
    m_stop->setText(tr("Read &again"));
    showState(tr("Reading was stopped."), u"secondary"_s);
}

void TraceImportDialog::showProgress()
{
    m_bar->setValue(static_cast<int>(m_progress->fraction * 1000));
    const std::uint64_t rows = m_progress->rows;
    showState(rows > 0 ? tr("Reading… %1 rows so far").arg(formatEstimate(static_cast<double>(rows)))
                       : tr("Reading…"),
              u"secondary"_s);
}

void TraceImportDialog::showState(const QString& words, const QString& role)
{
    m_state->setText(words);
    setRole(m_state, role);
}

void TraceImportDialog::showHead(Result<TraceHead> head)
{
    const bool table = head.ok() && !head.value().nested && !head.value().columns.empty();
    m_samples->setVisible(head.ok() && !head.value().columns.empty());
    for (auto& [field, combo] : m_columns) {
        const QString chosen = combo->currentData().toString();
        combo->clear();
        QString found;
        if (head.ok())
            if (const auto guess = head.value().guessed.find(field); guess != head.value().guessed.end())
                found = QString::fromStdString(guess->second);
        combo->addItem(!table              ? tr("as the format has it")
                       : !chosen.isEmpty() ? tr("Automatic")
                       : found.isEmpty()   ? tr("None found")
                                           : tr("Automatic: %1").arg(found),
                       QString());
        if (table)
            for (const TraceColumn& column : head.value().columns)
                combo->addItem(QString::fromStdString(column.name), QString::fromStdString(column.name));
        combo->setCurrentIndex(std::max(0, combo->findData(chosen)));
        combo->setEnabled(table);
    }
    m_timeUnit->setEnabled(table);
    m_timeUnit->setItemText(0, !table ? tr("as the format has it")
                               : head.value().timeUnit && m_timeUnit->currentIndex() == 0
                                   ? tr("Automatic: %1").arg(unitName(*head.value().timeUnit))
                                   : tr("Automatic"));
    if (head.ok())
        m_samples->setTable(sampleTable(head.value()));
}

void TraceImportDialog::showTrace(Result<TracePtr> trace)
{
    m_ticks.stop();
    m_bar->hide();
    m_stop->hide();
    m_view->setVisible(trace.ok());
    if (trace.ok()) {
        m_trace = std::move(trace).value();
        const WorkloadSummary summary = summaryOf(*m_trace);
        m_view->setSummary(summary);
        showState(summary.rowsRejected == 0
                      ? tr("All %1 rows are accepted.").arg(formatEstimate(static_cast<double>(summary.rows)))
                      : tr("%1 rows are accepted, %2 refused.")
                            .arg(formatEstimate(static_cast<double>(summary.rows)),
                                 formatEstimate(static_cast<double>(summary.rowsRejected))),
                  u"ok"_s);
    } else {
        showState(QString::fromStdString(trace.error().message), u"error"_s);
    }
    enableUse();
}

void TraceImportDialog::enableUse()
{
    m_use->setEnabled(m_trace && !m_keepJob.running());
    m_use->setToolTip(
        m_trace ? tr("The lengths of the matrix become those of this log. Its rows are kept with the "
                     "runs.")
                : tr("Nothing is read yet that could be used"));
}

void TraceImportDialog::accept()
{
    if (!m_trace || m_keepJob.running())
        return;
    m_lengths = {};
    m_lengths.kind = LengthsKind::Trace;
    m_lengths.file = m_file.toStdString();
    m_lengths.format = m_format->currentData().toString().toStdString();
    const bool sample = m_trace->sampledEvery > 1;
    if (sample && isChosen()) {
        showState(tr("The log has too many rows to be kept, so its columns cannot be chosen here. Make a "
                     "smaller file, "
                     "or one with columns that are recognised."),
                  u"error"_s);
        return;
    }
    if (sample || m_database.empty()) {
        QDialog::accept();
        return;
    }
    showState(tr("Keeping the rows…"), u"secondary"_s);
    m_keepJob.start(
        [database = m_database, file = m_lengths.file, trace = m_trace](std::stop_token) -> Status {
            Result<Store> store = Store::open(database);
            return store ? keepTrace(store.value(), file, *trace) : Status(store.error());
        },
        [this](Status kept) {
            if (kept.ok()) {
                m_lengths.hash = m_trace->hash;
                QDialog::accept();
                return;
            }
            showState(tr("The rows could not be kept. %1").arg(QString::fromStdString(kept.error().line())),
                      u"error"_s);
            enableUse();
        });
    enableUse();
}

} // namespace tailmark::ui
