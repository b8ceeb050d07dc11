// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QTimer>

namespace tailmark::ui {

/// The simulated engine as a process of its own: `tailmark-sim`, which ends with us. Lives in the GUI thread;
/// no call blocks but the destructor (well below a second).
class SimProcess : public QObject
{
    Q_OBJECT

public:
    /// `program`: path of tailmark-sim; empty = found beside the executable or on PATH.
    explicit SimProcess(const QString& program = {}, QObject* parent = nullptr);
    ~SimProcess() override;

    /// Starts the simulator with extra arguments ("--profile", …), unless it is up. Ends in ready() or
    /// failed().
    void start(const QStringList& arguments = {});
    void stop();

    /// Where it listens ("http://127.0.0.1:41234"); empty while it does not.
    QString url() const { return m_url; }

signals:
    void ready(const QString& url);
    /// It could not be started, did not say its URL within 10 s, or ended.
    void failed(const QString& reason);

private:
    void readUrl();
    void fail(const QString& reason);

    QString m_program;
    QProcess m_process;
    QTimer m_timeLimit;
    QString m_url;
};

} // namespace tailmark::ui
