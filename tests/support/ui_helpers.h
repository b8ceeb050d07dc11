// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QList>
#include <QString>
#include <QTest>
#include <QWidget>

namespace tailmark::test {

/// The one visible widget of a kind with this accessible name.
template <typename T> T* named(QWidget& parent, const QString& name)
{
    T* found = nullptr;
    for (T* each : parent.findChildren<T*>())
        if (each->accessibleName() == name && each->isVisibleTo(&parent)) {
            if (found)
                return nullptr;
            found = each;
        }
    return found;
}

/// Puts the focus into a field and replaces its text by typing.
inline void typeInto(QWidget* field, const QString& text)
{
    field->setFocus();
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    if (text.isEmpty())
        QTest::keyClick(field, Qt::Key_Delete);
    else
        QTest::keyClicks(field, text);
}

inline void showActive(QWidget& window)
{
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
}

} // namespace tailmark::test
