// SPDX-License-Identifier: GPL-3.0-or-later
// Requests beyond plain text, as the simulated engine sees and answers them, and the ways to reach it.
#include "programs.h"

#ifdef TAILMARK_TEST_TLS
#include "tls_front.h"
#endif

#include <sys/resource.h>

using namespace tailmark::test;

class TestRequests : public QObject
{
    Q_OBJECT

private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void choices();
    void images();
    void tools();
    void adaptersByName();
    void rowsWithFieldsOfTheirOwn();
    void comparedByWhatIsAsked();
    void wrongExtrasAreRefused_data();
    void wrongExtrasAreRefused();
    void thousandsOfConnections();
    void missingDescriptorsAreSaid();
    void ipv6();
    void tls();

private:
    QString file(const char* name) const { return m_dir->filePath(QString::fromLatin1(name)); }
    Ended run(const QStringList& settings, const QString& url) const
    {
        QJsonObject matrix = shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [4]}])");
        matrix[u"measurement"_s] = object(R"({"duration_s": 60, "warmup_s": 0, "max_requests": 24})");
        writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
        QStringList arguments{
            u"run"_s, file("matrix.json"), u"--db"_s,           file("runs.sqlite"), u"--base-url"_s,
            url,      u"--json"_s,         file("result.json"), u"--records"_s,      file("records.csv")};
        for (const QString& setting : settings)
            arguments << u"--set"_s << setting;
        return cli(arguments);
    }
    QJsonObject result() const
    {
        QFile json(file("result.json"));
        return json.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(json.readAll()).object()
                                              : QJsonObject();
    }
    /// What the result's card says of a field that is sent; empty: it is not.
    QString cardEntry(const char* key) const
    {
        const QJsonObject entry = result()[u"card"_s][QLatin1String(key)].toObject();
        return entry[u"origin"_s] == u"sent"_s ? entry[u"value"_s].toString() : QString();
    }
    /// Sums of a column over all rows but the first `skip`.
    static int sum(const Csv& csv, const char* column, qsizetype skip = 0)
    {
        int total = 0;
        for (qsizetype row = skip; row < csv.size(); ++row)
            total += csv.at(row, column).toInt();
        return total;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TestRequests::choices()
{
    Simulator simulator({u"--truth"_s, file("truth.csv")});
    const Ended ended = run(
        {u"workload.extras.n=3"_s, u"workload.output=forced"_s, u"target.extra_body.return_token_ids=true"_s},
        simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const Csv truth = Csv::ofFile(file("truth.csv")), records = Csv::ofFile(file("records.csv"));
    QCOMPARE(records.size(), qsizetype(24));
    for (qsizetype row = 0; row < records.size(); ++row) {
        QCOMPARE(records.at(row, "outcome"), QByteArray("completed"));
        QCOMPARE(records.at(row, "output_tokens_cap"), QByteArray("96"));
        QCOMPARE(records.at(row, "output_tokens"), QByteArray("96"));
        QCOMPARE(records.at(row, "token_events"), QByteArray("96"));
        QVERIFY(records.at(row, "tpot_ms").isEmpty()); // their tokens do not follow one another
    }
    QCOMPARE(sum(truth, "output_tokens", 3), 24 * 96); // the probe's before them, and two that count a prompt
    // three choices are computed in the same steps: the gaps of each are a step long, not those between them
    const QJsonObject metrics = result()[u"points"_s][0][u"metrics"_s].toObject();
    QVERIFY(metrics[u"chunk_gap_ms"_s][u"p50"_s].toDouble() > 1.5);
    QCOMPARE(metrics[u"chunk_gap_ms"_s][u"n"_s].toInt(), 24 * 3 * 31);
}

void TestRequests::images()
{
    Simulator simulator({u"--truth"_s, file("truth.csv")});
    const Ended ended = run({uR"(workload.extras.images={"count": 2, "width_px": 280, "height_px": 141})"_s},
                            simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const Csv truth = Csv::ofFile(file("truth.csv")), records = Csv::ofFile(file("records.csv"));
    QCOMPARE(records.size(), qsizetype(24));
    for (qsizetype row = 0; row < records.size(); ++row) {
        QCOMPARE(records.at(row, "outcome"), QByteArray("completed"));
        // 64 of text, and 10 x 6 patches of 28 pixels for each picture
        QCOMPARE(records.at(row, "prompt_tokens"), QByteArray("184"));
    }
    for (qsizetype row = 3; row < truth.size(); ++row)
        QCOMPARE(truth.at(row, "prompt_tokens"), QByteArray("184"));
}

void TestRequests::tools()
{
    Simulator simulator;
    const Ended ended = run(
        {uR"(workload.extras.tools=[{"type": "function", "function": {"name": "search", "parameters": {}}}])"_s,
         u"workload.extras.tool_choice=required"_s,
         uR"(workload.extras.response_format={"type": "json_object"})"_s,
         u"workload.lengths.output_tokens=500"_s},
        simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const Csv records = Csv::ofFile(file("records.csv"));
    QCOMPARE(records.size(), qsizetype(24));
    for (qsizetype row = 0; row < records.size(); ++row) {
        QCOMPARE(records.at(row, "outcome"), QByteArray("completed"));
        QCOMPARE(records.at(row, "finish_reason"), QByteArray("tool_calls"));
        QVERIFY(records.number(row, "ttft_ms") > 0);
        QCOMPARE(records.at(row, "first_answer_token_ms"), records.at(row, "first_token_ms"));
    }
}

void TestRequests::adaptersByName()
{
    Simulator simulator({u"--lora"_s, u"law"_s, u"--lora"_s, u"code"_s});
    const QStringList variants{
        u"target.model=tailmark/fast"_s,
        uR"(workload.extras.variants=[{"weight": 1}, {"weight": 2, "model": "law", "priority": 1}, {"model": "code"}])"_s};
    const Ended ended = run(variants, simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    QCOMPARE(result()[u"points"_s][0][u"outcomes_of_point"_s][u"completed"_s].toInt(), 24);
    QCOMPARE(cardEntry("request.model"), u"tailmark/fast in 25 %, law in 50 %, code in 25 %"_s);
    QCOMPARE(cardEntry("request.priority"), u"1 in 50 %"_s);
    QCOMPARE(cardEntry("request.stream"), u"true"_s);
    const QJsonArray kept = result()[u"matrix"_s][u"workload"_s][u"extras"_s][u"variants"_s].toArray();
    QCOMPARE(kept.size(), qsizetype(3));
    QCOMPARE(kept[1].toObject()[u"model"_s].toString(), u"law"_s);

    // without the adapters those requests fail, and no others
    Simulator without;
    const Ended refused = run(variants, without.url());
    QVERIFY2(refused.code == 0 || refused.code == 4, refused.err.constData());
    QVERIFY2(refused.err.contains("does not exist"), refused.err.constData());
    const int failed = result()[u"points"_s][0][u"outcomes_of_point"_s][u"client_error"_s].toInt();
    QVERIFY2(failed > 8 && failed < 24, qPrintable(QString::number(failed)));
}

void TestRequests::rowsWithFieldsOfTheirOwn()
{
    Simulator simulator({u"--lora"_s, u"law"_s});
    const auto runOf = [&](const char* name, const char* second) {
        writeFile(file(name), QByteArray(R"({"prompt": "Say one.", "output_tokens": 8})") + '\n' + second);
        return run({u"target.model=tailmark/fast"_s,
                    uR"(workload.lengths={"kind": "prompts", "file": "%1"})"_s.arg(file(name))},
                   simulator.url());
    };
    const Ended plain = runOf("plain.jsonl", R"({"prompt": "Say two.", "output_tokens": 8})");
    QVERIFY2(plain.code == 0 || plain.code == 4, plain.err.constData());
    QVERIFY(!result()[u"environment"_s][u"requests"_s].toObject().contains(u"extras_of_rows"_s));
    const char* own = R"({"prompt": "Say two.", "output_tokens": 8, "extras": {"model": "law", "priority": 3}})";
    const Ended rows = runOf("rows.jsonl", own);
    QVERIFY2(rows.code == 0 || rows.code == 4, rows.err.constData());
    QCOMPARE(result()[u"points"_s][0][u"outcomes_of_point"_s][u"completed"_s].toInt(), 24);
    QCOMPARE(result()[u"environment"_s][u"requests"_s][u"extras_of_rows"_s].toObject(),
             object(R"({"model": 1, "priority": 1})"));
    QCOMPARE(cardEntry("request.rows.model"), u"in 1 of 2 rows"_s);

    const Ended compared =
        cli({u"compare"_s, u"1"_s, u"2"_s, u"--db"_s, file("runs.sqlite"), u"--json"_s});
    QCOMPARE(compared.code, 0);
    QVERIFY2(compared.out.contains("Controlled: only workload.lengths.hash differs"), compared.out.constData());
    QVERIFY2(compared.out.contains("model in 1, priority in 1"), compared.out.constData());
    QCOMPARE(compared.json()[u"same_requests"_s], QJsonValue(false));

    const Ended refused = runOf("wrong.jsonl", R"({"prompt": "Say two.", "extras": {"stream": false}})");
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("wrong.jsonl: line 2: extras.stream is set by the workload itself and cannot be given here"),
             refused.err.constData());
    QCOMPARE(refused.failures().size(), qsizetype(1));

    const Ended otherApi =
        run({u"target.api=completions"_s,
             uR"(workload.lengths={"kind": "prompts", "file": "%1"})"_s.arg(file("tools.jsonl"))},
            (writeFile(file("tools.jsonl"), R"({"prompt": "a"}

{"prompt": "b", "extras": {"tool_choice": "auto"}})"), simulator.url()));
    QCOMPARE(otherApi.code, 2);
    QVERIFY2(otherApi.err.contains("matrix.json: workload.lengths.file: ") &&
                 otherApi.err.contains("tools.jsonl: line 3: extras.tool_choice needs target.api \"chat\""),
             otherApi.err.constData());
    QCOMPARE(otherApi.failures().size(), qsizetype(1));

    Simulator without; // the adapter: the requests of that row fail, and no others
    const Ended failed = run({u"target.model=tailmark/fast"_s,
                              uR"(workload.lengths={"kind": "prompts", "file": "%1"})"_s.arg(file("rows.jsonl"))},
                             without.url());
    QVERIFY2(failed.code == 0 || failed.code == 4, failed.err.constData());
    QCOMPARE(result()[u"points"_s][0][u"outcomes_of_point"_s][u"client_error"_s].toInt(), 12);
}

void TestRequests::comparedByWhatIsAsked()
{
    Simulator simulator;
    QVERIFY(run({u"workload.extras.priority=1"_s}, simulator.url()).code != 1);
    QVERIFY(run({u"workload.extras.priority=2"_s}, simulator.url()).code != 1);
    const Ended compared = cli({u"compare"_s, u"1"_s, u"2"_s, u"--db"_s, file("runs.sqlite")});
    QCOMPARE(compared.code, 0);
    QVERIFY2(compared.out.contains("Controlled: only workload.extras.priority differs (1 / 2)"),
             compared.out.constData());

    const QStringList onDb{u"--db"_s, file("runs.sqlite")};
    QCOMPARE(cli(QStringList{u"compare"_s, u"--baseline"_s, u"release"_s, u"2"_s} + onDb).code, 2);
    QVERIFY(cli(QStringList{u"baseline"_s, u"release"_s, u"1"_s} + onDb).out.startsWith("release: run 1, "));
    QVERIFY(cli(QStringList{u"baseline"_s} + onDb).out.startsWith("release: run 1, "));
    const Ended named = cli(QStringList{u"compare"_s, u"--baseline"_s, u"release"_s, u"2"_s, u"--json"_s} + onDb);
    QCOMPARE(named.code, 0);
    QCOMPARE(named.json()[u"a"_s][u"id"_s].toInt(), 1);
    QCOMPARE(named.json()[u"b"_s][u"id"_s].toInt(), 2);
    const QStringList gated{u"compare"_s, u"--baseline"_s, u"release"_s, u"2"_s, u"--fail-if"_s};
    QCOMPARE(cli(gated + QStringList{u"capacity<0.95"_s} + onDb).code, 5); // one level has no capacity: it cannot be told
    QCOMPARE(cli(gated + QStringList{u"load<1"_s} + onDb).code, 2);
    QCOMPARE(cli(gated + QStringList{u"capacity@1<1"_s} + onDb).code, 2);
    // Ratios of levels: both bounds of a number cannot fail at once, and a level that neither has has no ratio.
    const Ended slower = cli(gated + QStringList{u"throughput<1000"_s} + onDb);
    QCOMPARE(slower.code, 5);
    QVERIFY2(slower.err.contains("at load"), slower.err.constData());
    QCOMPARE(cli(gated + QStringList{u"throughput>1000"_s} + onDb).code, 0);
    QCOMPARE(cli(gated + QStringList{u"latency>1000"_s} + onDb).code, 0);
    QCOMPARE(cli(gated + QStringList{u"throughput@77>1000"_s} + onDb).code, 5);
    QCOMPARE(cli(QStringList{u"compare"_s, u"1"_s, u"2"_s, u"--as"_s, u"html"_s, u"-o"_s, file("compared.html")} + onDb).code,
             0);
    QFile report(file("compared.html"));
    QVERIFY(report.open(QIODevice::ReadOnly) && report.readAll().contains("workload.extras.priority"));
    QCOMPARE(cli(QStringList{u"baseline"_s, u"release"_s, u"--forget"_s} + onDb).code, 0);
    QCOMPARE(cli(QStringList{u"compare"_s, u"--baseline"_s, u"release"_s, u"2"_s} + onDb).code, 2);
}

void TestRequests::wrongExtrasAreRefused_data()
{
    QTest::addColumn<QString>("setting");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const char* setting, const char* words) {
        QTest::newRow(name) << QString::fromUtf8(setting) << QByteArray(words);
    };
    row("n", "workload.extras.n=0", "workload.extras.n: must be a whole number from 1 to 64, is 0");
    row("images", "workload.extras.images.width_px=0",
        "workload.extras.images.width_px: must be a whole number from 1 to 4,096 pixels, is 0");
    row("misspelt", "workload.extras.images.width=5",
        "workload.extras.images.width: is not a key here; did you mean");
    row("no such picture", "workload.extras.images.file=/nowhere/cat.png",
        "matrix.json: workload.extras.images.file: /nowhere/cat.png: cannot be read");
    row("no such log", R"(workload.lengths={"kind": "trace", "file": "/nowhere/log.csv"})",
        "matrix.json: workload.lengths.file: /nowhere/log.csv: unreadable: cannot be opened");
    row("no such prompts", R"(workload.lengths={"kind": "prompts", "file": "/nowhere/p.jsonl"})",
        "matrix.json: workload.lengths.file: /nowhere/p.jsonl: unreadable: cannot be opened");
    row("no such log of a part",
        R"(workload.lengths={"kind": "mix", "parts": [{"name": "a", "weight": 1, "lengths": {"kind": "fixed"}}, {"name": "b", "weight": 1, "lengths": {"kind": "empirical", "file": "/nowhere/pairs.csv"}}]})",
        "matrix.json: workload.lengths.parts[1].lengths.file: /nowhere/pairs.csv: unreadable: cannot be opened");
    row("no such certificates", "target.tls.ca_file=/nowhere/ca.pem",
        "matrix.json: target.tls.ca_file: /nowhere/ca.pem: cannot be read");
    row("no certificates", "target.tls.ca_file=/dev/null",
        "matrix.json: target.tls.ca_file: /dev/null: holds no certificates (PEM)");
    row("no such program", R"(tests=[{"kind": "cold_start", "command": ["/nowhere/engine"]}])",
        "matrix.json: tests[0].command: starts a program, which only you can allow");
    row("tools of a text", R"(target.api=completions workload.extras.tool_choice=auto)",
        "workload.extras.tool_choice: needs target.api \"chat\"");
    row("salt", "workload.extras.cache_salt=a@b",
        "workload.extras.cache_salt: must be text of at most 128 characters without @, / and \\, is \"a@b\"");
    row("schema", R"(workload.extras.response_format={"type": "json_schema"})",
        "workload.extras.response_format.json_schema.schema: must be an object");
    row("tools", R"(workload.extras.tools=[{"type": "function"}])",
        "workload.extras.tools[0].function.name: must be text, the name of the function");
    row("variants", R"(workload.extras.variants=[{"weight": 0}])",
        "workload.extras.variants[0].weight: must be");
    row("model", "workload.extras.model=other",
        "workload.extras.model: is set by the workload itself and cannot be given here");
    row("version", "target.http_version=3", "target.http_version: must be \"1.1\" or \"2\", is \"3\"");
    row("proxy", "target.proxy=127.0.0.1:3128", "target.proxy: must be empty (no proxy), or an http:// URL");
    row("header", "target.headers.Content-Type=text/plain",
        "target.headers.Content-Type: is set by the transport itself and cannot be given here");
}

void TestRequests::wrongExtrasAreRefused()
{
    QFETCH(QString, setting);
    QFETCH(QByteArray, words);
    Simulator simulator;
    const Ended ended = run(setting.contains(u"target.api"_s) ? setting.split(u' ') : QStringList{setting}, simulator.url());
    QCOMPARE(ended.code, 2);
    QVERIFY2(ended.err.contains(words), ended.err.constData());
    QCOMPARE(ended.failures().size(), qsizetype(1));
}

void TestRequests::thousandsOfConnections()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max < 4000)
        QSKIP("this machine allows fewer than 4,000 file descriptors");
    Simulator simulator({u"--max-num-seqs"_s, u"3000"_s, u"--max-num-batched-tokens"_s, u"200000"_s,
                         u"--kv-tokens"_s, u"400000"_s});
    const Ended ended = run({u"tests[0].levels=[3000]"_s, u"measurement.max_requests=3000"_s,
                             u"limits.connect_timeout_s=30"_s, u"limits.first_token_timeout_s=60"_s,
                             u"limits.total_timeout_s=60"_s, u"workload.lengths.prompt_tokens=16"_s,
                             u"workload.lengths.output_tokens=2"_s},
                            simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    QCOMPARE(result()[u"points"_s][0][u"outcomes_of_point"_s][u"completed"_s].toInt(), 3000);
    const Csv records = Csv::ofFile(file("records.csv"));
    int opened = 0;
    for (qsizetype row = 0; row < records.size(); ++row)
        opened += records.at(row, "new_connection") == "1" || records.at(row, "new_connection") == "true";
    QVERIFY2(opened > 2900, qPrintable(QString::number(opened))); // but for workers that came after a first end
}

void TestRequests::missingDescriptorsAreSaid()
{
    Simulator simulator;
    QProcess shell;
    shell.setProcessEnvironment(plainEnvironment());
    QJsonObject matrix = shortMatrix(R"([{"kind": "concurrency_sweep", "levels": [500]}])");
    matrix[u"measurement"_s] = object(R"({"duration_s": 1, "warmup_s": 0, "max_requests": 500})");
    writeFile(file("matrix.json"), QJsonDocument(matrix).toJson());
    shell.start(u"sh"_s, {u"-c"_s, u"ulimit -n 256; exec \"$0\" \"$@\""_s, binary("tailmark-cli"), u"run"_s,
                          file("matrix.json"), u"--db"_s, file("runs.sqlite"), u"--base-url"_s,
                          simulator.url(), u"--json"_s, file("result.json")});
    const Ended ended = collect(shell);
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    const QByteArray words =
        "500 connections at once need 564 file descriptors, the system allows 256: 308 are missing";
    QVERIFY2(ended.err.contains(words), ended.err.constData());
    const QString warnings = QString::fromUtf8(QJsonDocument(result()[u"warnings"_s].toArray()).toJson());
    QVERIFY2(warnings.contains(QString::fromUtf8(words)), qPrintable(warnings));
    QVERIFY(result()[u"points"_s][0][u"outcomes_of_point"_s][u"not_sent"_s].toInt() > 0);
}

void TestRequests::ipv6()
{
    if (!QFile::exists(u"/proc/net/if_inet6"_s))
        QSKIP("this machine has no IPv6");
    Simulator simulator({u"--host"_s, u"::1"_s});
    QVERIFY2(simulator.url().startsWith(u"http://[::1]:"_s), qPrintable(simulator.url()));
    const Ended ended = run({}, simulator.url());
    QVERIFY2(ended.code == 0 || ended.code == 4, ended.err.constData());
    QCOMPARE(result()[u"points"_s][0][u"outcomes_of_point"_s][u"completed"_s].toInt(), 24);
    const QJsonObject environment = result()[u"environment"_s].toObject();
    QCOMPARE(environment[u"proxy"_s].toString(), u"none"_s);
    QCOMPARE(environment[u"http_version"_s].toString(), u"1.1"_s);
    QCOMPARE(environment[u"tls"_s].toString(), u"none"_s);
}

void TestRequests::tls()
{
#ifdef TAILMARK_TEST_TLS
    Simulator simulator;
    const TestAuthority authority, other("Another test authority");
    authority.writeTo(file("ca.pem").toStdString());
    other.writeTo(file("other.pem").toStdString());
    const TlsFront front(QUrl(simulator.url()).port(), authority.issue("IP:127.0.0.1"));
    const QString url = u"https://127.0.0.1:%1/v1"_s.arg(front.port());

    const Ended trusted = run({u"target.tls.ca_file="_s + file("ca.pem")}, url);
    QVERIFY2(trusted.code == 0 || trusted.code == 4, trusted.err.constData());
    QCOMPARE(result()[u"points"_s][0][u"outcomes_of_point"_s][u"completed"_s].toInt(), 24);
    QCOMPARE(result()[u"environment"_s][u"tls"_s].toString(), u"verified by target.tls.ca_file"_s);
    QVERIFY(!result()[u"environment"_s][u"event_stamps"_s].toArray().isEmpty());

    for (const QString& ca : {QString(), file("other.pem")}) {
        const Ended refused = run({u"target.tls.ca_file="_s + ca}, url);
        QCOMPARE(refused.code, 3);
        QCOMPARE(refused.failures().size(), qsizetype(1));
        QVERIFY2(
            refused.err.contains("the server's TLS certificate is from no authority that is trusted here"),
            refused.err.constData());
    }
    const Ended probed = cli({u"probe"_s, url});
    QCOMPARE(probed.code, 3);
    QVERIFY2(probed.err.contains("no authority that is trusted here"), probed.err.constData());
    QCOMPARE(cli({u"probe"_s, url, u"--ca-file"_s, file("ca.pem")}).code, 0);
    QCOMPARE(cli({u"probe"_s, url, u"--insecure"_s}).code, 0);
    QCOMPARE(cli({u"probe"_s, url, u"--proxy"_s, u"127.0.0.1:3128"_s}).code, 2);
    const Ended unverified = run({u"target.tls.verify=false"_s}, url);
    QVERIFY2(unverified.code == 0 || unverified.code == 4, unverified.err.constData());
    const QString warnings = QString::fromUtf8(QJsonDocument(result()[u"warnings"_s].toArray()).toJson());
    QVERIFY2(warnings.contains(u"TLS certificates are not verified (target.tls.verify is false)"_s),
             qPrintable(warnings));
#else
    QSKIP("OpenSSL's headers are missing (libssl-dev): no TLS server to test against");
#endif
}

QTEST_GUILESS_MAIN(TestRequests)
#include "tst_requests.moc"
