// SPDX-License-Identifier: GPL-3.0-or-later
#include "pages/remove_button.h"

#include "style/icons.h"

#include <QToolButton>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

QToolButton* removeButton(QWidget* parent, const QString& tip, const QString& name)
{
    auto* button = new QToolButton(parent);
    button->setIcon(icon(u"close"_s, Tint::Secondary));
    button->setToolTip(tip);
    button->setAccessibleName(name.isEmpty() ? tip : name);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace tailmark::ui
