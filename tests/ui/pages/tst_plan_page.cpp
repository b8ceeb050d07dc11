// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/target_prober.h"
#include "pages/plan_arrivals_preview.h"
#include "pages/plan_fields.h"
#include "pages/plan_page.h"
#include "pages/plan_section.h"
#include "patience.h"
#include "plan/matrix_keys.h"
#include "plan/plan.h"
#include "ui_helpers.h"

#include <QComboBox>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace tailmark;
using namespace tailmark::ui;
using namespace tailmark::test;
using namespace Qt::StringLiterals;

namespace {

Matrix twoTests()
{
    Matrix matrix;
    matrix.name = "Two";
    matrix.tests.resize(2);
    matrix.tests[1].kind = TestKind::ArrivalSweep;
    return matrix;
}

/// Collects the paths of all keys that a matrix has.
struct Keys
{
    std::string prefix;
    QStringList& paths;

    template <typename T> void value(std::string_view key, const T&, const keys::Rule&)
    {
        paths << QString::fromStdString(prefix + std::string(key));
    }
    template <typename T, typename F> void object(std::string_view key, const T& member, F describe)
    {
        Keys inner{prefix + std::string(key) + ".", paths};
        describe(inner, member);
    }
    template <typename T, typename F>
    void object(std::string_view key, const std::optional<T>& member, F describe)
    {
        if (member)
            object(key, *member, describe);
    }
    template <typename T, typename F>
    void list(std::string_view key, const std::vector<T>& members, F describe)
    {
        for (std::size_t i = 0; i < members.size(); ++i) {
            Keys inner{prefix + std::string(key) + "[" + std::to_string(i) + "].", paths};
            describe(inner, members[i]);
        }
    }
    template <typename T> void constant(std::string_view, T) {}
    void card(std::string_view key, const CardInput&)
    {
        paths << QString::fromStdString(prefix + std::string(key) + ".engine");
    }
};

} // namespace

class TestPlanPage : public QObject
{
    Q_OBJECT

    std::unique_ptr<PlanDocument> m_document;
    std::unique_ptr<TargetProber> m_prober;
    std::unique_ptr<PlanPage> m_page;

    PlanLineEdit* field(const QString& name) { return named<PlanLineEdit>(*m_page, name); }
    QTableView* table() { return named<QTableView>(*m_page, "Tests"); }
    QPushButton* runButton()
    {
        for (QPushButton* button : m_page->findChildren<QPushButton*>())
            if (button->property("primary").toBool())
                return button;
        return nullptr;
    }
    /// What stands in red or amber below a field; the same is told to screen readers.
    QString messageAt(QWidget* field)
    {
        for (const QLabel* label : field->parentWidget()->parentWidget()->findChildren<QLabel*>())
            if (label->isVisibleTo(m_page.get()) &&
                (label->property("role") == "error" || label->property("role") == "warning") &&
                label->text() == field->accessibleDescription())
                return label->text();
        return {};
    }
    PlanSection* sectionOf(QWidget* widget)
    {
        while (widget && !qobject_cast<PlanSection*>(widget))
            widget = widget->parentWidget();
        return static_cast<PlanSection*>(widget);
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void init()
    {
        m_document = std::make_unique<PlanDocument>();
        m_prober = std::make_unique<TargetProber>();
        m_page = std::make_unique<PlanPage>(*m_document, *m_prober);
        m_document->reset(twoTests(), {});
        m_page->resize(1400, 900);
        showActive(*m_page);
    }

    void cleanup() { m_page.reset(); }

    void aFontIsThere() { QVERIFY(!QFontInfo(QApplication::font()).family().isEmpty()); }

    void typingEditsTheMatrixAsOneStep()
    {
        typeInto(field("Warm-up"), "12.5");
        QCOMPARE(m_document->matrix().measurement.warmupS, 12.5);
        QCOMPARE(field("Warm-up")->text(), "12.5");
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        QCOMPARE(field("Warm-up")->text(), "5");
        m_document->undoStack().redo();
        QCOMPARE(field("Warm-up")->text(), "12.5");
    }

    void aNumberStillBeingTypedIsLeftAlone()
    {
        typeInto(field("Warm-up"), "7.");
        QCOMPARE(field("Warm-up")->text(), "7.");
        QCOMPARE(m_document->matrix().measurement.warmupS, 7.0);
        field("Cool-down")->setFocus();
        QCOMPARE(field("Warm-up")->text(), "7");
    }

    void anErrorStandsAtItsField()
    {
        QVERIFY2(runButton()->isEnabled(), qPrintable(m_page->whyNotRunnable()));
        typeInto(field("Window"), "-1");
        QVERIFY(field("Window")->property("problem").toBool());
        QVERIFY2(messageAt(field("Window")).contains("must be"), qPrintable(messageAt(field("Window"))));
        QVERIFY(!runButton()->isEnabled());
        QVERIFY2(runButton()->toolTip().contains("measurement.duration_s"),
                 qPrintable(runButton()->toolTip()));
        typeInto(field("Window"), "20");
        QVERIFY(!field("Window")->property("problem").toBool());
        QVERIFY(messageAt(field("Window")).isEmpty());
        QVERIFY(runButton()->isEnabled());
    }

    void aTextThatIsNoValueWaitsForTheUser()
    {
        typeInto(field("Repeats"), "many");
        QCOMPARE(m_document->matrix().measurement.repeats, 1);
        QCOMPARE(messageAt(field("Repeats")), "a whole number is expected");
        QVERIFY(!runButton()->isEnabled());
        typeInto(field("Warm-up"), "3"); // work elsewhere does not lose it
        QCOMPARE(field("Repeats")->text(), "many");
        QVERIFY(!runButton()->isEnabled());
        typeInto(field("Repeats"), "2");
        QCOMPARE(m_document->matrix().measurement.repeats, 2);
        QVERIFY(runButton()->isEnabled());
    }

    void upAndDownStepANumber()
    {
        field("Repeats")->setFocus();
        QTest::keyClick(field("Repeats"), Qt::Key_Up);
        QCOMPARE(m_document->matrix().measurement.repeats, 2);
        typeInto(field("Warm-up"), "0.5");
        QTest::keyClick(field("Warm-up"), Qt::Key_Down);
        QCOMPARE(m_document->matrix().measurement.warmupS, 0.4);
    }

    void aFindingLeadsToItsField()
    {
        typeInto(field("Window"), "-1");
        for (QToolButton* button : m_page->findChildren<QToolButton*>())
            if (button->text().contains("error"))
                QTest::mouseClick(button, Qt::LeftButton);
        auto* list = named<QListView>(*m_page, "Errors and remarks");
        QVERIFY(list);
        field("Repeats")->setFocus();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(0, 0)).center());
        QVERIFY(field("Window")->hasFocus());
        // one inside a test selects the test, one in a folded section unfolds it
        table()->selectRow(1);
        QVERIFY(m_page->focusField("tests[0].levels[3]"));
        QCOMPARE(table()->currentIndex().row(), 0);
        QVERIFY(field("Levels: users at a time")->hasFocus());
        QVERIFY(!field("Stall"));
        QVERIFY(m_page->focusField("limits.stall_timeout_s"));
        QVERIFY(field("Stall")->hasFocus());
        QVERIFY(!m_page->focusField("no.such.key"));
    }

    void levelsAreAListOfNumbers()
    {
        table()->selectRow(0);
        PlanLineEdit* levels = field("Levels: users at a time");
        typeInto(levels, "1, 4; 16 64");
        QCOMPARE(m_document->matrix().tests[0].levels, (std::vector<int>{1, 4, 16, 64}));
        QVERIFY2(messageAt(levels).contains("levels"),
                 qPrintable(messageAt(levels))); // fewer than eight: a remark
        QVERIFY(!levels->property("problem").toBool());
        typeInto(levels, "1, 4, x");
        QVERIFY2(messageAt(levels).contains("x"), qPrintable(messageAt(levels)));
        QVERIFY(levels->property("problem").toBool());
        typeInto(levels, "1, 8, 4");
        QVERIFY2(messageAt(levels).contains("above the value before"), qPrintable(messageAt(levels)));
    }

    void aDecimalCommaIsNoSeparator()
    {
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        table()->selectRow(1);
        PlanLineEdit* rates = field("Rates: requests per second");
        typeInto(rates, "0,5, 1,5, 4");
        QCOMPARE(m_document->matrix().tests[1].ratesPerS, (std::vector<double>{0.5, 1.5, 4}));
        field("Repeats")->setFocus();
        QCOMPARE(rates->text(), "0,5, 1,5, 4");
        QLocale::setDefault(QLocale::c());
    }

    void testsAreEditedByKeyboard()
    {
        const auto kinds = [this] {
            QList<TestKind> kinds;
            for (const Test& test : m_document->matrix().tests)
                kinds << test.kind;
            return kinds;
        };
        using enum TestKind;
        table()->setFocus();
        table()->selectRow(0);
        QTest::keyClick(table(), Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(kinds(), QList<TestKind>({ConcurrencySweep, ConcurrencySweep, ArrivalSweep}));
        QCOMPARE(table()->currentIndex().row(), 1);
        QTest::keyClick(table(), Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(kinds(), QList<TestKind>({ConcurrencySweep, ArrivalSweep, ConcurrencySweep}));
        QCOMPARE(table()->currentIndex().row(), 2);
        QTest::keyClick(table(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(kinds(), QList<TestKind>({ConcurrencySweep, ConcurrencySweep, ArrivalSweep}));
        QTest::keyClick(table(), Qt::Key_Space);
        QVERIFY(!m_document->matrix().tests[1].enabled);
        QTest::keyClick(table(), Qt::Key_Delete);
        QCOMPARE(kinds(), QList<TestKind>({ConcurrencySweep, ArrivalSweep}));
        while (m_document->undoStack().canUndo())
            m_document->undoStack().undo();
        QCOMPARE(m_document->matrix(), twoTests());
    }

    void aMenuAddsEachKind()
    {
        QMenu* menu = nullptr;
        for (const QToolButton* button : m_page->findChildren<QToolButton*>())
            if (button->menu())
                menu = button->menu();
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 5);
        menu->actions().constLast()->trigger();
        QCOMPARE(m_document->matrix().tests.back().kind, TestKind::ColdStart);
        QVERIFY(!field("Burst rate"));
        m_document->undoStack().undo();
        menu->actions().at(3)->trigger();
        QCOMPARE(m_document->matrix().tests.back().kind, TestKind::BurstRecovery);
        QCOMPARE(table()->currentIndex().row(), 2);
        QVERIFY(field("Burst rate"));
        QVERIFY(!field("Levels: users at a time"));
    }

    void theFormIsThatOfTheSelectedTest()
    {
        table()->selectRow(1);
        QVERIFY(field("Rates: requests per second"));
        QVERIFY(!field("Variation (CV)")); // of a gamma process only
        typeInto(field("Name"), "evening");
        QCOMPARE(m_document->matrix().tests[1].name, "evening");
        table()->selectRow(0);
        QVERIFY(field("Name")->text().isEmpty());
        QCOMPARE(m_document->matrix().tests[0].name, "");
    }

    void theVeryScheduleIsPreviewed()
    {
        auto* preview = m_page->findChild<PlanArrivalsPreview*>();
        table()->selectRow(0);
        QVERIFY(!preview->isVisibleTo(m_page.get()));
        table()->selectRow(1);
        QVERIFY(preview->isVisibleTo(m_page.get()));
        const auto plan = expand(m_document->matrix());
        QVERIFY(plan.ok());
        QCOMPARE(preview->arrivalCount(), makeArrivals(plan.value().points.back()).size());
        typeInto(field("Rates: requests per second"), "2");
        const auto slower = expand(m_document->matrix());
        QVERIFY(slower.ok());
        QCOMPARE(preview->arrivalCount(), makeArrivals(slower.value().points.back()).size());
        typeInto(field("URL"), "nonsense"); // an error elsewhere leaves it
        QVERIFY(preview->arrivalCount() > 0);
        typeInto(field("Rates: requests per second"), "100000");
        QVERIFY(preview->arrivalCount() <= 20'000); // bounded while typing
        typeInto(field("URL"), "http://127.0.0.1:8000/v1");
        typeInto(field("Rates: requests per second"), "1, 3, 5");
        auto* level = named<QComboBox>(*m_page, "Rate of the arrivals that are drawn");
        QVERIFY(level);
        QCOMPARE(level->currentText(), "5 req/s");
        level->setCurrentIndex(0);
        emit level->activated(0);
        const auto three = expand(m_document->matrix());
        QVERIFY(three.ok());
        QCOMPARE(preview->arrivalCount(),
                 makeArrivals(three.value().points[three.value().points.size() - 3]).size());
        QVERIFY2(preview->words().contains("dispersion index"), qPrintable(preview->words()));
        typeInto(field("Rates: requests per second"), "1, 3, 7"); // the chosen level stays
        QCOMPARE(level->currentIndex(), 0);
        QVERIFY(!preview->grab().isNull());
    }

    void limitsOfTheSloComeAndGo()
    {
        m_document->edit("none", {}, [](Matrix& m) { m.slo.clear(); });
        for (QPushButton* button : m_page->findChildren<QPushButton*>())
            if (button->text().contains("limi&t")) {
                QTest::mouseClick(button, Qt::LeftButton);
                QTest::mouseClick(button, Qt::LeftButton);
            }
        QCOMPARE(m_document->matrix().slo.size(), std::size_t(2));
        QVERIFY(m_document->matrix().slo[0].metric != m_document->matrix().slo[1].metric);
        TRY_VERIFY(named<QToolButton>(*m_page, "Remove limit 2"));
        auto* remove = named<QToolButton>(*m_page, "Remove limit 1");
        QVERIFY(remove);
        QTest::mouseClick(remove, Qt::LeftButton);
        QCOMPARE(m_document->matrix().slo.size(), std::size_t(1));
        QCOMPARE(m_document->matrix().slo[0].metric, "tpot_ms");
        typeInto(field("Limit"), "250");
        QCOMPARE(m_document->matrix().slo[0].limit, 250.0);
        m_document->undoStack().undo();
        m_document->undoStack().undo();
        QCOMPARE(m_document->matrix().slo.size(), std::size_t(2));
    }

    void aSecondTargetComesAndGoes()
    {
        auto* add = buttonWithText(*m_page, "Add a second target");
        QVERIFY(add && !m_document->matrix().pairedWith);
        sectionOf(add)->setExpanded(true);
        m_document->edit("model", {}, [](Matrix& m) { m.target.model = "llama"; });
        QTest::mouseClick(add, Qt::LeftButton);
        QVERIFY(m_document->matrix().pairedWith);
        QCOMPARE(m_document->matrix().pairedWith->target.model, "llama"); // asked as the first
        PlanLineEdit* url = field("URL of the second target");
        QVERIFY(url && url->hasFocus() && url->text().isEmpty());
        QVERIFY2(m_page->whyNotRunnable().contains("paired_with.target.base_url"),
                 qPrintable(m_page->whyNotRunnable()));
        QVERIFY(!messageAt(url).isEmpty());
        typeInto(url, "http://127.0.0.1:9000/v1");
        QCOMPARE(m_document->matrix().pairedWith->target.baseUrl, "http://127.0.0.1:9000/v1");
        QCOMPARE(m_document->matrix().target.baseUrl, "http://127.0.0.1:8000/v1");
        QVERIFY2(m_page->whyNotRunnable().isEmpty(), qPrintable(m_page->whyNotRunnable()));
        QVERIFY(anyLabel(*m_page, "A-B-B-A order"));
        QVERIFY(anyLabel(*m_page, "points on each of two targets") ||
                anyLabel(*m_page, "point(s) on each of two"));
        QVERIFY(m_page->focusField("paired_with.card.quantization"));
        typeInto(field("Quantization of the second target"), "fp8");
        QCOMPARE(m_document->matrix().pairedWith->card.entries.at("quantization"), "fp8");
        QVERIFY(m_document->matrix().card.entries.empty());

        auto* remove = named<QToolButton>(*m_page, "Remove the second target");
        QVERIFY(remove);
        QTest::mouseClick(remove, Qt::LeftButton);
        QVERIFY(!m_document->matrix().pairedWith);
        QVERIFY(!field("URL of the second target") && add->isVisibleTo(m_page.get()));
        m_document->undoStack().undo();
        QCOMPARE(m_document->matrix().pairedWith->card.entries.at("quantization"), "fp8");
        QCOMPARE(field("URL of the second target")->text(), "http://127.0.0.1:9000/v1");
    }

    /// What differs between the ways in which the two are asked is told at its field.
    void aSecondTargetThatIsAskedOtherwiseIsRemarkedOn()
    {
        m_document->edit("pair", {}, [](Matrix& m) {
            m.pairedWith = PairedTarget{m.target, {}};
            m.pairedWith->target.api = Api::Completions;
        });
        QVERIFY(m_page->focusField("paired_with.target.api"));
        auto* api = named<QComboBox>(*m_page, "API of the second target");
        QVERIFY(api);
        QVERIFY2(messageAt(api).contains("more than the engine differs"), qPrintable(messageAt(api)));
        QVERIFY(runButton()->isEnabled());
    }

    void partsOfAMixComeAndGo()
    {
        m_document->edit("mix", {}, [](Matrix& m) { m.workload.lengths.kind = LengthsKind::Mix; });
        const auto parts = [this] { return m_document->matrix().workload.lengths.parts; };
        auto* add = buttonWithText(*m_page, "Add a part");
        QVERIFY(add && add->isVisibleTo(m_page.get()));
        QVERIFY(!m_page->whyNotRunnable().isEmpty());
        QTest::mouseClick(add, Qt::LeftButton);
        QTest::mouseClick(add, Qt::LeftButton);
        QCOMPARE(parts().size(), std::size_t(2));
        TRY_VERIFY2(m_page->whyNotRunnable().isEmpty(), qPrintable(m_page->whyNotRunnable()));
        typeInto(field("Weight of part 2"), "3");
        typeInto(field("Prompt of part 2"), "64");
        QCOMPARE(parts()[1].weight, 3.0);
        QCOMPARE(parts()[1].lengths.promptTokens, 64);
        QCOMPARE(parts()[0].lengths.promptTokens, 512);
        typeInto(field("Name of part 2"), parts()[0].name.c_str());
        QVERIFY2(messageAt(field("Name of part 2")).contains("unique"),
                 qPrintable(messageAt(field("Name of part 2"))));
        typeInto(field("Name of part 2"), "agents");

        auto* kind = named<QComboBox>(*m_page, "Lengths of part 2");
        QVERIFY(kind);
        kind->setCurrentIndex(int(LengthsKind::Quantiles));
        emit kind->activated(int(LengthsKind::Quantiles));
        QVERIFY(!field("Prompt of part 2"));
        typeInto(field("Prompt quantiles of part 2"), "p50: 100, p99: 900");
        QCOMPARE(parts()[1].lengths.promptQuantiles, (LengthQuantiles{{"p50", 100}, {"p99", 900}}));
        auto* prefix = named<QComboBox>(*m_page, "Shared prefixes of part 2");
        QVERIFY(prefix && !parts()[1].prefix);
        prefix->setCurrentIndex(2);
        emit prefix->activated(2);
        typeInto(field("Groups of part 2"), "4");
        QCOMPARE(parts()[1].prefix->groups, 4);
        prefix->setCurrentIndex(0);
        emit prefix->activated(0);
        QVERIFY(!parts()[1].prefix && !field("Groups of part 2"));

        auto* remove = named<QToolButton>(*m_page, "Remove part 1");
        QVERIFY(remove);
        QTest::mouseClick(remove, Qt::LeftButton);
        QCOMPARE(parts().size(), std::size_t(1));
        QCOMPARE(parts()[0].name, "agents");
        QCOMPARE(field("Name of part 1")->text(), "agents");
        m_document->undoStack().undo();
        QCOMPARE(parts().size(), std::size_t(2));
        m_document->edit("fixed", {}, [](Matrix& m) { m.workload.lengths.kind = LengthsKind::Fixed; });
        QVERIFY(!add->isVisibleTo(m_page.get()));
    }

    void anotherMatrixForgetsWhatWasBeingTyped()
    {
        typeInto(field("Repeats"), "many");
        m_page->focusField("slo[0].limit");
        typeInto(field("Limit"), "x");
        Matrix other = twoTests();
        other.slo.clear();
        other.tests.resize(1);
        table()->selectRow(1);
        m_document->reset(other, {});
        QCOMPARE(field("Repeats")->text(), "1");
        QVERIFY2(m_page->whyNotRunnable().isEmpty(), qPrintable(m_page->whyNotRunnable()));
        QVERIFY(!field("Limit"));
    }

    void thePolicyIsAlwaysStated()
    {
        const auto said = [this](const QString& text) {
            const auto labels = m_page->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->isVisibleTo(m_page.get()) && label->text().contains(text);
            });
        };
        QVERIFY(said("<b>as it is found</b>"));
        QVERIFY(said("<b>at the planned length</b>"));
        QVERIFY(said("<b>all attempted requests</b>"));
        m_document->edit("policy", {}, [](Matrix& m) {
            m.workload.cache = CachePolicy::Cold;
            m.workload.output = OutputPolicy::Natural;
            m.measurement.failureDenominator = FailureDenominator::Accepted;
        });
        QVERIFY(said("<b>cold</b>"));
        QVERIFY(said("<b>naturally</b>"));
        QVERIFY(said("<b>accepted requests</b>"));
    }

    void aTraceMakesTheLengths()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("t.csv"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n");
        file.close();
        m_document->edit("trace", {}, [&](Matrix& m) {
            m.workload.lengths = fileLengths(LengthsKind::Trace, file.fileName().toStdString());
            m.workload.lengths.hash = std::string(64, 'a');
        });
        QVERIFY(field("Trace file"));
        // rows that the matrix names, which neither the file nor a database has
        TRY_VERIFY2(m_page->whyNotRunnable().contains("not kept"), qPrintable(m_page->whyNotRunnable()));
        typeInto(field("Rows"), "");
        TRY_VERIFY(m_page->whyNotRunnable().isEmpty());
        m_document->edit("pin", {}, [](Matrix& m) { m.workload.lengths.hash = std::string(64, 'b'); });
        typeInto(field("Trace file"), folder.filePath("missing.csv")); // other rows than those named
        QVERIFY(m_document->matrix().workload.lengths.hash.empty());
        TRY_VERIFY2(m_page->whyNotRunnable().contains("missing.csv"), qPrintable(m_page->whyNotRunnable()));
        QVERIFY(!runButton()->isEnabled());
    }

    void aReasonFromOutsideKeepsItFromRunning()
    {
        QSignalSpy requested(m_page.get(), &PlanPage::runRequested);
        QTest::mouseClick(runButton(), Qt::LeftButton);
        QCOMPARE(requested.size(), 1);
        m_page->setBlocked("A run is going on.");
        QVERIFY(!runButton()->isEnabled());
        QCOMPARE(runButton()->toolTip(), "A run is going on.");
        m_page->setBlocked({});
        QVERIFY(runButton()->isEnabled());
    }

    void everyKeyOfTheMatrixHasItsPlace()
    {
        // What only the file has.
        const QSet<QString> fileOnly = {"schema_version"};
        const auto check = [&](const Matrix& matrix, const QString& hidden = u"-"_s) {
            m_document->reset(matrix, {});
            QStringList paths;
            Keys keys{"", paths};
            keys::describeMatrix(keys, matrix);
            for (const QString& path : paths)
                QVERIFY2(fileOnly.contains(path) || path.endsWith(hidden) || m_page->focusField(path),
                         qPrintable(path));
        };
        for (std::size_t k = 0; k < keys::Choice<LengthsKind>::ids.size(); ++k) {
            const auto kind = static_cast<LengthsKind>(k);
            Matrix matrix;
            matrix.workload.lengths.kind = kind;
            matrix.workload.prefix.kind = PrefixKind::Shared;
            matrix.workload.lengths.promptQuantiles =
                matrix.workload.lengths.outputQuantiles = {{"p50", 10}, {"p99", 90}};
            matrix.workload.lengths.parts = {{"part", 1, fixedLengths(8, 8), matrix.workload.prefix}};
            matrix.workload.sessions.kind = SessionsKind::Synthetic;
            matrix.pairedWith.emplace();
            for (std::size_t i = 0; i < keys::Choice<TestKind>::ids.size(); ++i) {
                matrix.tests.emplace_back();
                matrix.tests.back().kind = static_cast<TestKind>(i);
                matrix.tests.back().process = ArrivalProcess::Gamma;
            }
            check(matrix);
            for (Test& test : matrix.tests)
                test.process = ArrivalProcess::Recorded; // a gamma process alone shows its CV
            check(matrix, ".cv");
        }
    }

    void aTextThatIsNoValueHasOneMessage()
    {
        table()->selectRow(0);
        typeInto(field("Think time"), "1e99");
        QVERIFY2(messageAt(field("Think time")).contains("3,600"),
                 qPrintable(messageAt(field("Think time"))));
        typeInto(field("Think time"), "1e999");
        QCOMPARE(messageAt(field("Think time")), "this number is too large");
        typeInto(field("Think time"), "1 or 2");
        QCOMPARE(messageAt(field("Think time")), "a number is expected");
    }

    void everyFieldHasANameForScreenReaders()
    {
        for (const char* path : {"limits.max_in_flight", "card.engine", "bound.devices"})
            QVERIFY2(m_page->focusField(path), path);
        for (const QWidget* widget : m_page->findChildren<QWidget*>()) {
            const bool input =
                qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QComboBox*>(widget);
            const bool insideCombo = qobject_cast<const QComboBox*>(widget->parentWidget());
            if (input && !insideCombo && widget->isVisibleTo(m_page.get()))
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
        }
    }

    void itsLayoutIsKept()
    {
        const QByteArray before = m_page->saveState();
        QVERIFY(m_page->focusField("limits.max_in_flight")); // unfolds
        QWidget* limits = sectionOf(field("Stall"));
        QVERIFY(limits);
        const QByteArray unfolded = m_page->saveState();
        m_page->restoreState(before);
        QVERIFY(!field("Stall"));
        m_page->restoreState(unfolded);
        QVERIFY(field("Stall"));
        m_page->restoreState("rubbish");
    }
};

QTEST_MAIN(TestPlanPage)
#include "tst_plan_page.moc"
