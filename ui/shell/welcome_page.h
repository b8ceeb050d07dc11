// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace tailmark::ui {

/// What is shown before there is a matrix: three ways to begin, and the matrices used last.
class WelcomePage : public QWidget
{
    Q_OBJECT

public:
    explicit WelcomePage(QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);

signals:
    void demoRequested();
    void connectRequested();
    void openRequested();
    void recommendedRequested();
    void newRequested();
    void recentRequested(const QString& path);

private:
    QVBoxLayout* m_recent;
    QWidget* m_recentBox;
};

} // namespace tailmark::ui
