// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QLabel>
#include <QList>
#include <QPushButton>
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

/// The first button with this text, mnemonic included; null where there is none.
inline QPushButton* buttonWithText(const QWidget& parent, const QString& text)
{
    for (QPushButton* each : parent.findChildren<QPushButton*>())
        if (each->text() == text)
            return each;
    return nullptr;
}

/// Does any label, visible or not, contain these words?
inline bool anyLabel(const QWidget& parent, const QString& part)
{
    for (const QLabel* label : parent.findChildren<QLabel*>())
        if (label->text().contains(part))
            return true;
    return false;
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
