// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace tailmark::ui {

/// The source texts are English and write plurals as "%n point(s)"; this makes "1 point" and "2 points" of
/// them. A translation that is installed after it comes first.
class EnglishPlurals : public QTranslator
{
    Q_OBJECT

public:
    using QTranslator::QTranslator;

    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation,
                      int n) const override;
};

} // namespace tailmark::ui
