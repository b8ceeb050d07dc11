// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/plan_test_form.h"

#include "models/format.h"
#include "models/test_table_model.h"
#include "run/started_program.h"

#include <QLocale>
#include <QRegularExpression>

#include <set>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

/// The fields that a kind of test has, by the keys of the matrix file.
const std::set<std::string>& fieldsOf(TestKind kind)
{
    static const std::set<std::string> shape = {"prompt_tokens", "output_tokens", "concurrency"};
    static const std::set<std::string> closed = {"levels", "think_time_s", "think_time"};
    static const std::set<std::string> arrivals = {
        "process", "cv", "recorded.from_s", "recorded.to_s", "recorded.time_scale", "fan_out"};
    static const auto withArrivals = [](std::set<std::string> fields) {
        fields.insert(arrivals.begin(), arrivals.end());
        return fields;
    };
    static const std::set<std::string> open = withArrivals({"rates_per_s", "shape"});
    static const std::set<std::string> burst =
        withArrivals({"base_rate_per_s", "burst_rate_per_s", "baseline_s", "burst_s", "recovery_s"});
    static const std::set<std::string> cold = {"requests", "timeout_s", "command", "keep_running"};
    switch (kind) {
    case TestKind::FixedShape:
        return shape;
    case TestKind::ConcurrencySweep:
        return closed;
    case TestKind::ArrivalSweep:
        return open;
    case TestKind::BurstRecovery:
        return burst;
    case TestKind::ColdStart:
        break;
    }
    return cold;
}

std::set<std::string> fieldsOfAnyKind()
{
    std::set<std::string> all;
    for (const TestKind kind : {TestKind::FixedShape, TestKind::ConcurrencySweep, TestKind::ArrivalSweep,
                                TestKind::BurstRecovery, TestKind::ColdStart})
        all.insert(fieldsOf(kind).begin(), fieldsOf(kind).end());
    return all;
}

/// "0: 1; 60: 2.5", and back.
QString shapeText(const std::vector<RateFactor>& shape)
{
    QStringList parts;
    for (const RateFactor& factor : shape)
        parts << u"%1: %2"_s.arg(formatEditable(factor.atS), formatEditable(factor.factor));
    return parts.join(u"; "_s);
}

QString readShape(const QString& text, std::vector<RateFactor>& shape)
{
    std::vector<RateFactor> read;
    for (const QString& part : text.split(QRegularExpression(u";|,(?=\\s)|\\n"_s), Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty())
            continue;
        const QStringList two = part.split(u':');
        RateFactor factor;
        QString problem =
            two.size() == 2 ? decimalFromText(two[0], factor.atS) : PlanTestForm::tr("write second: factor");
        if (problem.isEmpty())
            problem = decimalFromText(two[1], factor.factor);
        if (!problem.isEmpty())
            return PlanTestForm::tr("“%1”: %2").arg(part.trimmed(), problem);
        read.push_back(factor);
    }
    shape = std::move(read);
    return {};
}

/// The words of a command line, by the quotes of a shell.
QString readCommand(const QString& text, std::vector<std::string>& command)
{
    std::vector<std::string> words;
    QString word;
    bool begun = false;
    QChar quote;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (c == u'\\' && quote != u'\'' && i + 1 < text.size()) {
            word += text[++i];
            begun = true;
        } else if (!quote.isNull()) {
            if (c == quote)
                quote = {};
            else
                word += c;
        } else if (c == u'\'' || c == u'"') {
            quote = c;
            begun = true;
        } else if (c.isSpace()) {
            if (begun)
                words.push_back(word.toStdString());
            word.clear();
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (!quote.isNull())
        return PlanTestForm::tr("a quote is not closed");
    if (begun)
        words.push_back(word.toStdString());
    command = std::move(words);
    return {};
}

template <typename T> QString listText(const std::vector<T>& values)
{
    QStringList parts;
    for (const T value : values)
        parts << formatEditable(static_cast<double>(value));
    return parts.join(u", "_s);
}

/// Numbers with commas, semicolons or blanks between them. Where the locale's decimal separator is a comma,
/// one inside a number is that.
template <typename T> QString readList(const QString& text, std::vector<T>& values)
{
    const QRegularExpression separator(QLocale().decimalPoint() == u","_s ? u"[;\\s]+|,(?=\\s|$)[,;\\s]*"_s
                                                                          : u"[,;\\s]+"_s);
    std::vector<T> read;
    for (const QString& part : text.split(separator, Qt::SkipEmptyParts)) {
        T value{};
        QString problem;
        if constexpr (std::is_integral_v<T>) {
            qint64 whole = 0;
            problem = wholeNumberFromText(part, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                                          whole);
            value = static_cast<T>(whole);
        } else {
            problem = decimalFromText(part, value);
        }
        if (!problem.isEmpty())
            return PlanTestForm::tr("“%1”: %2").arg(part, problem);
        read.push_back(value);
    }
    values = std::move(read);
    return {};
}

} // namespace

PlanTestForm::PlanTestForm(PlanDocument& document, QWidget* parent)
    : PlanForm(document, 4, parent), m_document(document)
{
    const auto test = [this](auto& matrix) -> auto&
    {
        return matrix.tests[static_cast<std::size_t>(m_row)];
    };
    const QString perSecond = tr("/s");
    const QString seconds = tr("s");

    addString(
        "name", tr("&Name"), [test](auto& m) -> auto& { return test(m).name; },
        tr("How the test is called in results and exports; empty takes its kind"), 4)
        ->setPlaceholderText(tr("its kind"));
    addNumber(
        "prompt_tokens", tr("Prompt"),
        tr("tokens"), [test](auto& m) -> auto& { return test(m).promptTokens; });
    addNumber(
        "output_tokens", tr("Output"),
        tr("tokens"), [test](auto& m) -> auto& { return test(m).outputTokens; });
    addNumber(
        "concurrency", tr("Concurrency"), {}, [test](auto& m) -> auto& { return test(m).concurrency; },
        tr("Users, each waiting for the answer before asking again"), 2);
    addText(
        "levels", tr("Le&vels: users at a time"),
        [test](const Matrix& m) { return listText(test(m).levels); },
        [test](Matrix& m, const QString& text) { return readList(text, test(m).levels); },
        tr("Ascending, with commas between. About eight show where the curve bends; the last should be past "
           "the objective. Users start at random moments of the first half of the warm-up, so that they do "
           "not ask in "
           "step."),
        4);
    addNumber(
        "think_time_s", tr("Think time"), seconds, [test](auto& m) -> auto& { return test(m).thinkTimeS; },
        tr("Pause of a user between the answer and the next request"), 2);
    addChoice(
        "think_time", tr("Think time is"),
        {{tr("Constant"), tr("The same each time")},
         {tr("Exponential"), tr("Random with this mean")},
         {tr("From the log"),
          tr("Drawn from those of the workload's log; with a think time above 0 stretched to that mean")}},
        [test](auto& m) -> auto& { return test(m).thinkTime; }, {}, 2);
    addText(
        "rates_per_s", tr("&Rates: requests per second"),
        [test](const Matrix& m) { return listText(test(m).ratesPerS); },
        [test](Matrix& m, const QString& text) { return readList(text, test(m).ratesPerS); },
        tr("Ascending, with commas between. About eight show where the curve bends; the last should be past "
           "capacity."),
        4);
    addNumber(
        "base_rate_per_s", tr("Base rate"),
        perSecond, [test](auto& m) -> auto& { return test(m).baseRatePerS; }, {}, 2);
    addNumber(
        "burst_rate_per_s", tr("Burst rate"),
        perSecond, [test](auto& m) -> auto& { return test(m).burstRatePerS; }, {}, 2);
    addNumber(
        "baseline_s", tr("Baseline"), seconds, [test](auto& m) -> auto& { return test(m).baselineS; },
        tr("At the base rate, before the burst; the warm-up comes first"));
    addNumber(
        "burst_s", tr("Burst"), seconds, [test](auto& m) -> auto& { return test(m).burstS; });
    addNumber(
        "recovery_s", tr("Recovery"), seconds, [test](auto& m) -> auto& { return test(m).recoveryS; },
        tr("At the base rate again, long enough to see the backlog go"), 2);
    addChoice(
        "process", tr("&Arrivals"),
        {{tr("Constant"), tr("Evenly spaced")},
         {tr("Poisson"), tr("Independent users: random gaps, coefficient of variation 1")},
         {tr("Gamma"), tr("Gaps with a stated coefficient of variation: above 1 they come in clusters")},
         {tr("Weibull"), tr("The same with a longer tail of rare long gaps")},
         {tr("Recorded"),
          tr("Those of the workload's log, each with its own lengths, stretched to the rate")}},
        [test](auto& m) -> auto& { return test(m).process; }, {}, 2);
    addNumber(
        "cv", tr("Variation (CV)"), {}, [test](auto& m) -> auto& { return test(m).cv; },
        tr("Coefficient of variation of the gaps between requests; 1 is Poisson"), 2);
    addNumber(
        "recorded.from_s", tr("From"), seconds, [test](auto& m) -> auto& { return test(m).recorded.fromS; },
        tr("Second of the log at which the replay begins"));
    addNumber(
        "recorded.to_s", tr("To"), seconds, [test](auto& m) -> auto& { return test(m).recorded.toS; },
        tr("Second of the log at which it ends; 0 is the log's end. A stretch that is too short is "
           "repeated"));
    addNumber(
        "recorded.time_scale", tr("Speed"),
        tr("×"), [test](auto& m) -> auto& { return test(m).recorded.timeScale; },
        tr("How fast the log's time runs; 0 stretches it so that the mean rate is that of the level"));
    addNumber(
        "fan_out", tr("Fan-out"), tr("requests"), [test](auto& m) -> auto& { return test(m).fanOut; },
        tr("Requests that come together at each arrival, as an agent sends them; the rate stays that of "
           "requests"));
    addText(
        "shape", tr("Shape over time"), [test](const Matrix& m) { return shapeText(test(m).shape); },
        [test](Matrix& m, const QString& text) { return readShape(text, test(m).shape); },
        tr("second: factor; second: factor … The rate goes straight from one to the next; the clock starts "
           "with the "
           "window. Empty is one rate throughout"),
        2)
        ->setPlaceholderText(tr("one rate throughout, else 0: 1; 30: 2; 60: 1"));
    addNumber(
        "requests", tr("Requests"), {}, [test](auto& m) -> auto& { return test(m).requests; },
        tr("One after another, from the first that the engine answers; TTFT is steady once it stays near the "
           "median of "
           "the last half"),
        2);
    addNumber(
        "timeout_s", tr("Time limit"), seconds, [test](auto& m) -> auto& { return test(m).timeoutS; },
        tr("Until the target is ready, and again until the last request has ended"), 2);
    addText(
        "command", tr("Command that starts the target"),
        [test](const Matrix& m) { return QString::fromStdString(commandText(test(m).command)); },
        [test](Matrix& m, const QString& text) { return readCommand(text, test(m).command); },
        tr("Program and arguments; you are asked before a run starts it. Empty: you start the target "
           "yourself while the "
           "run waits for it"),
        4)
        ->setPlaceholderText(tr("none: the run waits for a target that is started apart"));
    addCheck(
        "keep_running",
        tr("Leave it running after the run"), [test](auto& m) -> auto& { return test(m).keepRunning; }, {},
        4);

    setExists(
        [this](const Matrix& matrix) { return m_row >= 0 && m_row < static_cast<int>(matrix.tests.size()); });
    connect(&document, &PlanDocument::changed, this, &PlanTestForm::fitFields);
}

void PlanTestForm::setRow(int row)
{
    if (row >= static_cast<int>(m_document.matrix().tests.size()))
        row = -1;
    if (m_row == row)
        return;
    m_row = row;
    setPathPrefix("tests[" + std::to_string(row) + "]");
    fitFields();
    refresh();
}

void PlanTestForm::fitFields()
{
    if (m_row < 0 || m_row >= static_cast<int>(m_document.matrix().tests.size()))
        return;
    const Test& test = m_document.matrix().tests[static_cast<std::size_t>(m_row)];
    const bool hasCv = test.process == ArrivalProcess::Gamma || test.process == ArrivalProcess::Weibull;
    const bool recorded = test.process == ArrivalProcess::Recorded;
    for (const std::string& field : fieldsOfAnyKind())
        setFieldVisible(field, fieldsOf(test.kind).contains(field) && (field != "cv" || hasCv) &&
                                   (!field.starts_with("recorded.") || recorded));
}

} // namespace tailmark::ui
