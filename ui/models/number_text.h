// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringView>

#include <optional>

namespace tailmark::ui {

// Numbers as the user's locale writes them. Files and exports never use these.

/// "45 s", "11 min", "2 h 05 min": to the precision that an estimate deserves.
QString durationText(double seconds);
/// A count that may be an estimate: "840", "12,400", "3.1 M".
QString countText(double count);
/// The shortest text that reads back as `value`, without digit grouping (fields to type in).
QString editText(double value);
/// A number as the user typed it: the locale's decimal separator or a point; nothing for anything else.
std::optional<double> numberFromText(QStringView text);

} // namespace tailmark::ui
