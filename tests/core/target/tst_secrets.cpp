// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "target/secrets.h"

#include <nlohmann/json.hpp>

using namespace tailmark;

class TestSecrets : public QObject
{
    Q_OBJECT

private slots:
    void inText_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("hidden");
        const auto row = [](const char* text, const char* hidden) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(hidden);
        };
        row("Authorization: Bearer abc.DEF-123 refused", "Authorization: Bearer ••• refused");
        row("key sk-proj-abcdef123456 is wrong", "key ••• is wrong");
        row("GET /v1?key=abc123&x=1 answers 403", "GET /v1?key=•••&x=1 answers 403");
        row("\"api_key\": \"abc\", \"n\": 1", "\"api_key\": \"•••\", \"n\": 1");
        row("hf_abcdefghijklmn and hf_abcdefghijklmo", "••• and •••");
        row("http://me:p!ss@host:80/v1 and http://host/a@b", "http://•••@host:80/v1 and http://host/a@b");
        row("'authorization': 'Bearer abc', \"password\":\"a!b c\"",
            "'authorization': 'Bearer •••', \"password\":\"•••\"");
        row("HF_TOKEN=a!b:c HOME=/root", "HF_TOKEN=••• HOME=/root");
        row("server --api-key s3cret --port 80", "server --api-key ••• --port 80");
        row("server --hf-token 'a b' --port 80", "server --hf-token '•••' --port 80");
        row("server --api-key --port 80", "server --api-key --port 80");
        row("invalid header x-api-key: abc123", "invalid header x-api-key: •••");
        row("AWS AKIAABCDEFGHIJKLMNOP in use", "AWS ••• in use");
        row("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF", "jwt •••");
        row("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----•••-----END RSA PRIVATE KEY-----");
        row("postgres://u:pw@db/x", "postgres://•••@db/x");
        row("Authorization: abc", "Authorization: •••");
        // and what is none
        for (const char* plain : {"max_tokens=5 and the task-force", "the key is missing", "bearer ",
                                  "password=", "prompt_tokens=12", "sk-short", "akia", "tokens: 12",
                                  "the cache key: none", "--max-model-len 4096", "eyJ"})
            row(plain, plain);
    }
    void inText()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, hidden);
        const std::string once = hideSecrets(text.toStdString());
        QCOMPARE(QByteArray::fromStdString(once), hidden);
        QCOMPARE(QByteArray::fromStdString(hideSecrets(once)), hidden); // nothing more comes of it
    }

    void names_data()
    {
        QTest::addColumn<bool>("secret");
        for (const char* name : {"api_key",
                                 "admin_api_key",
                                 "API-Key",
                                 "Authorization",
                                 "Set-Cookie",
                                 "hf_token",
                                 "HF_TOKEN",
                                 "aws_secret_access_key",
                                 "ssl_keyfile_password",
                                 "ssl_keyfile",
                                 "launch_command",
                                 "token",
                                 "key",
                                 "github_token",
                                 "x-goog-api-key",
                                 "argv",
                                 "db_pwd",
                                 "client_secret",
                                 "passphrase",
                                 "private_key_path"})
            QTest::newRow(name) << true;
        for (const char* name : {"tokenizer", "tokenizer_path", "eos_token_id", "eos_token", "bos_token",
                                 "max_tokens", "kv_bytes_per_token", "max_total_tokens", "next_token",
                                 "keyboard", "n_ctx", "quantization", "model_path", "chat_template", "seed"})
            QTest::newRow(name) << false;
    }
    void names()
    {
        QFETCH(bool, secret);
        QCOMPARE(namesSecret(QTest::currentDataTag()), secret);
    }

    /// Documents as servers send them: every secret goes, what identifies the run stays.
    void inDocuments()
    {
        nlohmann::json json = {
            {"api_key", "a-1"},
            {"admin_api_key", "b-1"},
            {"tokenizer_path", "/models/x"},
            {"eos_token", "</s>"},
            {"eos_token_id", 2},
            {"kv_bytes_per_token", 131072},
            {"max_total_tokens", 4096},
            {"launch_command", "python -m x --api-key c-1"},
            {"require_api_key", true},
            {"nested", {{{"hf_token", "d-1"}, {"note", "Bearer eeee"}}}},
            {"password", nullptr},
            {"extra_args", {"--port", "80", "--api-key", "f-1", "--model", "m"}},
            {"vllm_env", {{"HOME", "g-1"}, {"VLLM_SEED", 3}}},
            {"env", {"HF_HOME=h-1"}},
            {"api_key_env", "OPENAI_API_KEY"},
            {"remote", "https://u:i-1@host/v1"},
            {"cmd", "serve --hf-token j-1 --port 1"},
        };
        hideSecrets(json);
        const std::string text = json.dump();
        for (const char* secret : {"a-1", "b-1", "c-1", "d-1", "eeee", "f-1", "g-1", "h-1", "i-1", "j-1"})
            QVERIFY2(text.find(secret) == std::string::npos, text.c_str());
        QCOMPARE(json["tokenizer_path"].get<std::string>(), std::string("/models/x"));
        QCOMPARE(json["eos_token"].get<std::string>(), std::string("</s>"));
        QCOMPARE(json["eos_token_id"].get<int>(), 2);
        QCOMPARE(json["kv_bytes_per_token"].get<int>(), 131072);
        QCOMPARE(json["max_total_tokens"].get<int>(), 4096);
        QCOMPARE(json["require_api_key"].get<bool>(), true);
        QCOMPARE(json["extra_args"][5].get<std::string>(), std::string("m"));
        QCOMPARE(json["cmd"].get<std::string>(), std::string("serve --hf-token ••• --port 1"));
        QVERIFY(json["password"].is_null());
    }

    void ofHeaders()
    {
        const std::vector<std::string> secrets =
            secretsOf({"Authorization: Bearer long-enough-1", "X-Api-Key:long-enough-2", "X-Key: short",
                       "Accept: application/json"});
        QCOMPARE(secrets, (std::vector<std::string>{"long-enough-1", "long-enough-2"}));
        QCOMPARE(hideThese(secrets, "no long-enough-1, no long-enough-2long-enough-2"),
                 std::string("no •••, no ••••••"));
    }
};

QTEST_GUILESS_MAIN(TestSecrets)
#include "tst_secrets.moc"
