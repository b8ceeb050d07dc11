// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "plan/key_list.h"
#include "plan/matrix_keys.h"
#include "plan/plan_json.h"

#include <algorithm>

using namespace tailmark;

namespace {

const MatrixKey* find(const std::vector<MatrixKey>& keys, const std::string& path)
{
    const auto it = std::ranges::find(keys, path, &MatrixKey::path);
    return it == keys.end() ? nullptr : &*it;
}

/// The first path of a written matrix that is not listed.
std::string missing(const std::vector<MatrixKey>& keys, const nlohmann::ordered_json& json, const std::string& path)
{
    for (const auto& [name, value] : json.items()) {
        const std::string here = path.empty() ? name : path + '.' + name;
        const MatrixKey* key = find(keys, here);
        if (!key || key->meaning.empty())
            return here;
        const bool usersOwn = key->allowed.find("an object") == 0 && key->fallback.starts_with('{');
        const std::string below = key->sameAs.empty() ? here : key->sameAs;
        std::string lacks;
        if (value.is_object() && !usersOwn && here != "workload.lengths.prompt" && here != "workload.lengths.output")
            lacks = missing(keys, value, below);
        if (value.is_array())
            for (const auto& item : value)
                if (item.is_object() && lacks.empty())
                    lacks = missing(keys, item, below + "[]");
        if (!lacks.empty())
            return lacks;
    }
    return {};
}

} // namespace

class KeyListTest : public QObject
{
    Q_OBJECT

private slots:
    void everyKeyThatIsWrittenIsListed()
    {
        const std::vector<MatrixKey> keys = matrixKeys();
        Matrix matrix;
        matrix.pairedWith.emplace();
        for (std::size_t kind = 0; kind < keys::Choice<TestKind>::ids.size(); ++kind) {
            Test test;
            test.kind = static_cast<TestKind>(kind);
            test.process = ArrivalProcess::Recorded;
            test.shape = {{0, 1}, {10, 2}};
            matrix.tests.push_back(test);
        }
        matrix.workload.sessions.kind = SessionsKind::Synthetic;
        for (std::size_t kind = 0; kind < keys::Choice<LengthsKind>::ids.size(); ++kind) {
            Lengths& lengths = matrix.workload.lengths;
            lengths.kind = static_cast<LengthsKind>(kind);
            lengths.promptQuantiles = {{"p50", 100}};
            lengths.parts = {{"a", 1, fixedLengths(1, 1), Prefix()}};
            QCOMPARE(missing(keys, matrixToJson(matrix), ""), std::string());
        }
    }
    void everyKeySaysWhatItMeans()
    {
        const std::vector<MatrixKey> keys = matrixKeys();
        for (const MatrixKey& key : keys) {
            QVERIFY2(!key.meaning.empty(), key.path.c_str());
            QVERIFY2(!key.allowed.empty(), key.path.c_str());
            QCOMPARE(std::ranges::count(keys, key.path, &MatrixKey::path), 1);
        }
        for (const std::string_view path : pathsWithMeaning())
            QVERIFY2(find(keys, std::string(path)), std::string(path).c_str());
    }
    void whatIsSaidOfAKey()
    {
        const std::vector<MatrixKey> keys = matrixKeys();
        const MatrixKey* share = find(keys, "workload.prefix.share");
        QVERIFY(share);
        QCOMPARE(share->allowed, std::string("a number from 0 to 1"));
        QCOMPARE(share->fallback, std::string("0"));
        QCOMPARE(share->with, std::string());
        QCOMPARE(find(keys, "workload.output")->allowed, std::string("\"natural\" or \"forced\""));
        QCOMPARE(find(keys, "workload.output")->fallback, std::string("\"forced\""));
        QCOMPARE(find(keys, "measurement.max_requests")->fallback, std::string("0"));
        QCOMPARE(find(keys, "tests[].timeout_s")->with, std::string("kind \"cold_start\""));
        QCOMPARE(find(keys, "tests[].recorded")->with,
                 std::string("kind \"arrival_sweep\" or \"burst_recovery\" and process \"recorded\""));
        QCOMPARE(find(keys, "workload.lengths.hash")->with, std::string("kind \"trace\", \"empirical\" or \"prompts\""));
        QCOMPARE(find(keys, "workload.lengths.draw")->with, std::string("kind \"trace\" or \"empirical\""));
        QCOMPARE(find(keys, "workload.lengths.parts[].lengths")->sameAs, std::string("workload.lengths"));
        QCOMPARE(find(keys, "paired_with.target")->sameAs, std::string("target"));
        QVERIFY(find(keys, "tests[].kind")->mandatory);
        QVERIFY(find(keys, "workload.extras.variants[].weight"));
    }
};

QTEST_GUILESS_MAIN(KeyListTest)
#include "tst_key_list.moc"
