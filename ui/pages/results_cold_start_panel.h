// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analysis/cold_start.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace tailmark::ui {

class ColdStartPlot;
class TableView;

/// What a cold start went through: its phases as a table, and how TTFT came down request by request.
class ColdStartPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ColdStartPanel(QWidget* parent = nullptr);
    void setSummary(const std::optional<ColdStartSummary>& summary);

private:
    TableView* m_phases;
    QLabel* m_command;
    ColdStartPlot* m_plot;
};

} // namespace tailmark::ui
