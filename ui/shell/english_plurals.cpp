// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/english_plurals.h"

namespace tailmark::ui {

using namespace Qt::StringLiterals;

QString EnglishPlurals::translate(const char*, const char* source, const char*, int n) const
{
    if (n < 0)
        return {};
    return QString::fromUtf8(source).replace("(s)"_L1, n == 1 ? ""_L1 : "s"_L1);
}

} // namespace tailmark::ui
