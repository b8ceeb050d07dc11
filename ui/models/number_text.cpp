// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("tailmark::ui::number_text", text);
}

} // namespace

QString durationText(double seconds)
{
    const qint64 whole = std::llround(std::max(0.0, seconds));
    if (whole < 100)
        return translated("%1 s").arg(whole);
    const qint64 minutes = std::llround(seconds / 60);
    if (minutes < 60)
        return translated("%1 min").arg(minutes);
    return translated("%1 h %2 min").arg(minutes / 60).arg(minutes % 60, 2, 10, QChar(u'0'));
}

QString countText(double count)
{
    const QLocale locale;
    if (std::abs(count) < 100'000)
        return locale.toString(std::llround(count));
    if (std::abs(count) < 1e6)
        return translated("%1 k").arg(locale.toString(std::llround(count / 1e3)));
    if (std::abs(count) < 1e9)
        return translated("%1 M").arg(locale.toString(count / 1e6, 'f', 1));
    return translated("%1 G").arg(locale.toString(count / 1e9, 'f', 1));
}

QString editText(double value)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    const bool plain = value == 0 || (std::abs(value) >= 1e-4 && std::abs(value) < 1e15);
    return locale.toString(value, plain ? 'f' : 'g', QLocale::FloatingPointShortest);
}

std::optional<double> numberFromText(QStringView text)
{
    QLocale locale;
    locale.setNumberOptions(QLocale::RejectGroupSeparator);
    QLocale plain = QLocale::c();
    plain.setNumberOptions(QLocale::RejectGroupSeparator);
    for (const QLocale& each : {locale, plain}) {
        bool ok = false;
        const double value = each.toDouble(text.trimmed(), &ok);
        if (ok && std::isfinite(value))
            return value;
    }
    return std::nullopt;
}

} // namespace tailmark::ui
