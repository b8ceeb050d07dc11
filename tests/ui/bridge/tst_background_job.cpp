// SPDX-License-Identifier: GPL-3.0-or-later
#include "bridge/background_job.h"

#include "patience.h"

#include <QSemaphore>
#include <QTest>
#include <QThread>

using namespace tailmark::ui;

class TestBackgroundJob : public QObject
{
    Q_OBJECT

private slots:
    void answersOnTheThreadThatAsked()
    {
        BackgroundJob<int> job;
        int answer = 0;
        QThread* where = nullptr;
        job.start([](std::stop_token) { return 42; },
                  [&](int value) {
                      answer = value;
                      where = QThread::currentThread();
                  });
        QVERIFY(job.running());
        TRY_COMPARE(answer, 42);
        QCOMPARE(where, QThread::currentThread());
        QVERIFY(!job.running());
    }

    void onlyTheLastAnswerCounts()
    {
        QSemaphore gate;
        BackgroundJob<int> job;
        QList<int> answers;
        job.start(
            [&gate](std::stop_token) {
                gate.acquire(); // ends after the second has been asked for
                return 1;
            },
            [&](int value) { answers << value; });
        job.start([](std::stop_token) { return 2; }, [&](int value) { answers << value; });
        gate.release();
        TRY_COMPARE(answers.size(), 1);
        QCoreApplication::processEvents();
        QCOMPARE(answers, QList<int>{2});
    }

    void aCancelledOneIsToldToStop()
    {
        BackgroundJob<bool> job;
        bool answered = false;
        job.start(
            [](std::stop_token stop) {
                while (!stop.stop_requested())
                    std::this_thread::yield();
                return true;
            },
            [&](bool) { answered = true; });
        job.cancel();
        QVERIFY(!job.running());
        QCoreApplication::processEvents();
        QVERIFY(!answered);
    }
};

QTEST_GUILESS_MAIN(TestBackgroundJob)
#include "tst_background_job.moc"
