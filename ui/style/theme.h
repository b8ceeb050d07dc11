// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QObject>
#include <QPalette>
#include <QVariant>

class QDBusVariant;
class QWidget;

namespace tailmark::ui {

/// Colours that QPalette has no role for.
struct ThemeColours
{
    QColor border, secondary, accent, onAccent, accentSoft, hover, error, errorSoft, warning, warningSoft, ok,
        okSoft;
};
/// Those that go with a palette, by the lightness of its window.
const ThemeColours& themeColours(const QPalette& palette);
bool isDark(const QPalette& palette);

/// Gives a widget one of the style sheet's roles ("secondary", "error", "warning", "ok", "chip", "card",
/// "message-info", "message-ok", "message-error"); empty = none.
void setRole(QWidget* widget, const QString& role);

enum class ThemeChoice { System, Light, Dark };
/// "system", "light", "dark", and back; anything else is System.
QString themeId(ThemeChoice choice);
ThemeChoice themeFromId(const QString& id);

/// Gives the application its look: Fusion, one of our two palettes and one style sheet. Follows the desktop
/// while the choice is System: the portal's colour scheme where there is one (asked without waiting, changes
/// are followed), else the lightness of the window colour that the platform gave at the start. One object a
/// program, GUI thread.
class Theme : public QObject
{
    Q_OBJECT

public:
    explicit Theme(QObject* parent = nullptr);

    ThemeChoice choice() const { return m_choice; }
    void setChoice(ThemeChoice choice);

signals:
    void changed();

private slots:
    void portalSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void askPortal();
    void setSystemScheme(uint scheme);
    void apply();

    ThemeChoice m_choice = ThemeChoice::System;
    bool m_systemIsDark = false;
};

} // namespace tailmark::ui
