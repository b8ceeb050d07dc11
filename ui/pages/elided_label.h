// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace tailmark::ui {

/// One line of plain text that widens no window: what does not fit is cut with an ellipsis, and the whole
/// stands in the tooltip.
class ElidedLabel : public QLabel
{
    Q_OBJECT

public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    void setWords(const QString& words);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace tailmark::ui
