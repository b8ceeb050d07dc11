// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include <filesystem>

#include <QFile>
#include <QTemporaryDir>

#include "sim/profile.h"

using namespace tailmark;
using namespace tailmark::sim;

class TestProfile : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryKey();
    void defaultsFillWhatIsLeftOut();
    void refuses_data();
    void refuses();
    void roundTrips();
    void shippedProfiles();
    void findsByNameAndByFile();
    void namesWhatThereIs();
};

void TestProfile::readsEveryKey()
{
    const auto profile = parseProfile(
        R"({"name":"n","description":"d","model":"m","accelerator":"a","weights_bytes":1e9,"kv_bytes_per_token":1000,
            "kv_capacity_tokens":4096,"max_model_len":2048,"block":32,"max_num_seqs":7,"max_num_batched_tokens":99,
            "prefix_cache":false,"decode":{"c0":1,"cB":2,"cK":3},"prefill":{"p1":4,"p2":5},"step_overhead_ms":6,
            "ingest_ms":7,"per_token_ms":8,"jitter":0.5,"natural_output":{"mean":9,"cv":0.1},
            "speculative":{"tokens":3,"acceptance":0.4,"draft_ms":0.2}})",
        "p");
    QVERIFY2(profile.ok(), profile.ok() ? "" : profile.error().line().c_str());
    const Profile& p = profile.value();
    QCOMPARE(p.name, std::string("n"));
    QCOMPARE(p.model, std::string("m"));
    QCOMPARE(p.accelerator, std::string("a"));
    QCOMPARE(p.weightsBytes, 1e9);
    QCOMPARE(p.kvBytesPerToken, 1000.0);
    QCOMPARE(p.kvCapacityTokens, 4096);
    QCOMPARE(p.maxModelLen, 2048);
    QCOMPARE(p.block, 32);
    QCOMPARE(p.maxNumSeqs, 7);
    QCOMPARE(p.maxNumBatchedTokens, 99);
    QVERIFY(!p.prefixCache);
    QCOMPARE(p.decode.c0, 1.0);
    QCOMPARE(p.decode.cB, 2.0);
    QCOMPARE(p.decode.cK, 3.0);
    QCOMPARE(p.prefill.p1, 4.0);
    QCOMPARE(p.prefill.p2, 5.0);
    QCOMPARE(p.stepOverheadMs, 6.0);
    QCOMPARE(p.ingestMs, 7.0);
    QCOMPARE(p.perTokenMs, 8.0);
    QCOMPARE(p.jitter, 0.5);
    QCOMPARE(p.naturalOutput.mean, 9.0);
    QCOMPARE(p.naturalOutput.cv, 0.1);
    QCOMPARE(p.speculative.tokens, 3);
    QCOMPARE(p.speculative.acceptance, 0.4);
    QCOMPARE(p.speculative.draftMs, 0.2);
}

void TestProfile::defaultsFillWhatIsLeftOut()
{
    const auto profile = parseProfile(R"({"name":"n","kv_capacity_tokens":1000})", "p");
    QVERIFY(profile.ok());
    QCOMPARE(profile.value().block, 16);
    QCOMPARE(profile.value().maxModelLen, 992); // whole blocks of the capacity
    QVERIFY(profile.value().prefixCache);
}

void TestProfile::refuses_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("no JSON") << QByteArray("{") << QByteArray("p: not JSON (byte 2)");
    QTest::newRow("no object") << QByteArray("[]") << QByteArray("p: must be an object");
    QTest::newRow("no name") << QByteArray("{}") << QByteArray("p: name: is missing; a profile needs a name");
    QTest::newRow("unknown key") << QByteArray(R"({"name":"n","blocks":16})")
                                 << QByteArray("p: blocks: unknown key; allowed are ");
    QTest::newRow("unknown inner key") << QByteArray(R"({"name":"n","decode":{"c1":1}})")
                                       << QByteArray("p: decode.c1: unknown key; allowed are c0, cB, cK");
    QTest::newRow("string for number")
        << QByteArray(R"({"name":"n","jitter":"x"})") << QByteArray("p: jitter: must be a number");
    QTest::newRow("fraction") << QByteArray(R"({"name":"n","block":1.5})")
                              << QByteArray("p: block: must be a whole number");
    QTest::newRow("number for boolean") << QByteArray(R"({"name":"n","prefix_cache":1})")
                                        << QByteArray("p: prefix_cache: must be true or false");
    QTest::newRow("number for object")
        << QByteArray(R"({"name":"n","decode":1})") << QByteArray("p: decode: must be an object");
    QTest::newRow("out of range") << QByteArray(R"({"name":"n","jitter":2})")
                                  << QByteArray("p: jitter: is 2, must lie between 0 and 1");
    QTest::newRow("huge") << QByteArray(R"({"name":"n","block":1e20})")
                          << QByteArray("p: block: must lie between");
    QTest::newRow("longer than the cache")
        << QByteArray(R"({"name":"n","kv_capacity_tokens":1000,"max_model_len":1000})")
        << QByteArray("p: max_model_len: is 1000, must lie between 2 and 992");
    QTest::newRow("no time at all") << QByteArray(R"({"name":"n","decode":{"c0":0}})")
                                    << QByteArray("p: decode.c0: a step must take time");
}

void TestProfile::refuses()
{
    QFETCH(QByteArray, json);
    QFETCH(QByteArray, line);
    const auto profile = parseProfile(json.toStdString(), "p");
    QVERIFY(!profile.ok());
    QCOMPARE(int(profile.error().code), int(ErrorCode::BadInput));
    const QByteArray told = QByteArray::fromStdString(profile.error().line());
    QVERIFY2(told.startsWith(line), told.constData());
    QVERIFY(!told.contains('\n'));
}

void TestProfile::roundTrips()
{
    Profile profile;
    profile.name = "round-trip";
    profile.decode = {1, 2, 3};
    profile.speculative.tokens = 2;
    const auto again = parseProfile(profileJson(profile), "p");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().line().c_str());
    QCOMPARE(profileJson(again.value()), profileJson(profile));
}

void TestProfile::shippedProfiles()
{
    const auto folder = std::filesystem::path(TAILMARK_SOURCE_DIR) / "resources" / "sim";
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto profile = loadProfile(entry.path().string(), {});
        QVERIFY2(profile.ok(), profile.ok() ? "" : profile.error().line().c_str());
        QCOMPARE(profile.value().name, entry.path().stem().string());
        QVERIFY(!profile.value().description.empty());
        ++files;
    }
    const auto listed = listProfiles({folder});
    QCOMPARE(int(listed.size()), files);
    for (const char* name : {"8b-h100", "8b-a100", "8b-h200", "8b-b200", "8b-l40s"})
        QVERIFY2(loadProfile(name, {folder}).ok(), name);
}

void TestProfile::findsByNameAndByFile()
{
    QTemporaryDir first;
    QTemporaryDir second;
    const auto write = [](const QTemporaryDir& dir, const char* name, const QByteArray& json) {
        QFile file(dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(json);
    };
    write(first, "mine.json", R"({"name":"mine","jitter":0.1})");
    write(second, "mine.json", R"({"name":"mine","jitter":0.2})");
    write(second, "other.json", R"({"name":"other"})");
    const std::vector<std::filesystem::path> folders = {first.path().toStdString(), "/no/such/folder",
                                                        second.path().toStdString()};
    QCOMPARE(loadProfile("mine", folders).value().jitter, 0.1);
    QCOMPARE(loadProfile("other", folders).value().name, std::string("other"));
    QCOMPARE(loadProfile(second.filePath("mine.json").toStdString(), {}).value().jitter, 0.2);
    QCOMPARE(int(listProfiles(folders).size()), 2);
    QCOMPARE(listProfiles(folders)[0].jitter, 0.1);
}

void TestProfile::namesWhatThereIs()
{
    const auto folder = std::filesystem::path(TAILMARK_SOURCE_DIR) / "resources" / "sim";
    const auto wrong = loadProfile("8b-h101", {folder});
    QVERIFY(!wrong.ok());
    QVERIFY(wrong.error().message.find("8b-a100, 8b-b200, 8b-h100") != std::string::npos);
    QVERIFY(!loadProfile("/no/such/file.json", {}).ok());
    QCOMPARE(int(wrong.error().code), int(ErrorCode::BadInput));
}

QTEST_GUILESS_MAIN(TestProfile)
#include "tst_profile.moc"
