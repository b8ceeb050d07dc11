// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <memory>

namespace tailmark::test {

using namespace Qt::StringLiterals;

inline QString binary(const char* name)
{
    return QStringLiteral(TAILMARK_BIN_DIR "/") + QString::fromLatin1(name);
}

/// The environment of the tests without what a developer's machine may add to it.
inline QProcessEnvironment plainEnvironment()
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : environment.keys())
        if (name.endsWith(u"_API_KEY"_s) || name.endsWith(u"_proxy"_s, Qt::CaseInsensitive) ||
            name == u"XDG_DATA_HOME"_s)
            environment.remove(name);
    return environment;
}

/// What a program said and how it ended. Code −1: killed, crashed or out of time.
struct Ended
{
    int code = -1;
    QByteArray out, err;

    QJsonDocument json() const { return QJsonDocument::fromJson(out); }
    /// What went wrong, without remarks and progress.
    QList<QByteArray> failures() const
    {
        QList<QByteArray> lines = errorLines();
        lines.removeIf([](const QByteArray& line) { return !line.startsWith("tailmark-cli: "); });
        return lines;
    }
    QList<QByteArray> errorLines() const
    {
        QList<QByteArray> lines = err.split('\n');
        lines.removeAll(QByteArray());
        return lines;
    }
};

inline Ended collect(QProcess& process, int limitMs = 60'000)
{
    Ended ended;
    if (!process.waitForFinished(limitMs)) {
        process.kill();
        process.waitForFinished();
    } else if (process.exitStatus() == QProcess::NormalExit) {
        ended.code = process.exitCode();
    }
    ended.out = process.readAllStandardOutput();
    ended.err = process.readAllStandardError();
    return ended;
}

/// Sends Ctrl-C. False when the process is gone: its id is 0 then, and a signal to 0 would reach this test and its parents.
inline bool interrupt(const QProcess& process)
{
    const qint64 id = process.processId();
    return id > 0 && ::kill(static_cast<pid_t>(id), SIGINT) == 0;
}

inline std::unique_ptr<QProcess> startCli(const QStringList& arguments,
                                          const QProcessEnvironment& environment = plainEnvironment())
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(environment);
    process->start(binary("tailmark-cli"), arguments);
    return process;
}

inline Ended cli(const QStringList& arguments, const QProcessEnvironment& environment = plainEnvironment())
{
    const auto process = startCli(arguments, environment);
    process->closeWriteChannel();
    return collect(*process);
}

/// A simulated engine as its own process, gone with this object.
class Simulator
{
public:
    explicit Simulator(const QStringList& arguments = {})
    {
        m_process.setProcessEnvironment(plainEnvironment());
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(binary("tailmark-sim"),
                        QStringList{u"--profile"_s, QStringLiteral(TAILMARK_TEST_DATA "/e2e/fast.json"),
                                    u"--port"_s, u"0"_s, u"--exit-with-parent"_s} +
                            arguments);
        while (!m_process.canReadLine() && m_process.waitForReadyRead(10'000)) {
        }
        m_url = QString::fromUtf8(m_process.readLine()).trimmed();
    }
    ~Simulator() { stop(); }

    QString url() const { return m_url; } ///< empty when it did not start
    void stop()
    {
        m_process.closeWriteChannel();
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(5'000)) {
            m_process.kill();
            m_process.waitForFinished();
        }
    }
    void kill()
    {
        m_process.kill();
        m_process.waitForFinished();
    }

private:
    QProcess m_process;
    QString m_url;
};

/// Rows of a CSV file (RFC 4180) by the names of its header.
class Csv
{
public:
    explicit Csv(const QByteArray& text)
    {
        QList<QByteArray> row;
        QByteArray cell;
        bool quoted = false;
        const auto endRow = [&] {
            row << std::exchange(cell, {});
            if (m_header.isEmpty())
                m_header = row;
            else
                m_rows << row;
            row.clear();
        };
        for (qsizetype i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (quoted) {
                if (c != '"')
                    cell += c;
                else if (i + 1 < text.size() && text[i + 1] == '"')
                    cell += text[++i];
                else
                    quoted = false;
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',') {
                row << std::exchange(cell, {});
            } else if (c == '\n') {
                endRow();
            } else if (c != '\r') {
                cell += c;
            }
        }
        if (!cell.isEmpty() || !row.isEmpty())
            endRow();
    }
    static Csv ofFile(const QString& path)
    {
        QFile file(path);
        return Csv(file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
    }

    const QList<QByteArray>& header() const { return m_header; }
    qsizetype size() const { return m_rows.size(); }
    QByteArray at(qsizetype row, const char* column) const
    {
        const qsizetype i = m_header.indexOf(column);
        return i < 0 ? QByteArray("no such column") : m_rows[row].value(i);
    }
    double number(qsizetype row, const char* column) const { return at(row, column).toDouble(); }

private:
    QList<QByteArray> m_header;
    QList<QList<QByteArray>> m_rows;
};

inline QJsonObject object(const QByteArray& json)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (!document.isObject())
        qFatal("not a JSON object: %s: %s", qPrintable(error.errorString()), json.constData());
    return document.object();
}

/// The matrix of short points in the test data, with these tests (a JSON list). Its SLO asks for a p90, which
/// needs few requests.
inline QJsonObject shortMatrix(const char* tests)
{
    QFile file(QStringLiteral(TAILMARK_TEST_DATA "/e2e/short.tailmark.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s is not there", qPrintable(file.fileName()));
    QJsonObject matrix = object(file.readAll());
    matrix[u"tests"_s] = QJsonDocument::fromJson(tests).array();
    return matrix;
}

inline bool writeFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

} // namespace tailmark::test
