// SPDX-License-Identifier: GPL-3.0-or-later
#include "style/theme.h"

#include "style/workbench_style.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFile>
#include <QStyle>
#include <QWidget>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kPortal = u"org.freedesktop.portal.Desktop"_s;
const QString kPortalPath = u"/org/freedesktop/portal/desktop"_s;
const QString kPortalSettings = u"org.freedesktop.portal.Settings"_s;
const QString kAppearance = u"org.freedesktop.appearance"_s;
const QString kColourScheme = u"color-scheme"_s;
constexpr int kPortalTimeoutMs = 2'000;

QPalette lightPalette()
{
    QPalette p;
    p.setColor(QPalette::Window, QColor(0xf5f6f8));
    p.setColor(QPalette::WindowText, QColor(0x1b2027));
    p.setColor(QPalette::Base, QColor(0xffffff));
    p.setColor(QPalette::AlternateBase, QColor(0xf8f9fb));
    p.setColor(QPalette::Text, QColor(0x1b2027));
    p.setColor(QPalette::PlaceholderText, QColor(0x626c79));
    p.setColor(QPalette::Button, QColor(0xffffff));
    p.setColor(QPalette::ButtonText, QColor(0x2a313a));
    p.setColor(QPalette::BrightText, QColor(0xffffff));
    p.setColor(QPalette::Highlight, QColor(0x1f5fd0));
    p.setColor(QPalette::HighlightedText, QColor(0xffffff));
    p.setColor(QPalette::Link, QColor(0x1f5fd0));
    p.setColor(QPalette::LinkVisited, QColor(0x6b46c1));
    p.setColor(QPalette::ToolTipBase, QColor(0x262c35));
    p.setColor(QPalette::ToolTipText, QColor(0xf2f4f7));
    p.setColor(QPalette::Light, QColor(0xffffff));
    p.setColor(QPalette::Midlight, QColor(0xeceff3));
    p.setColor(QPalette::Mid, QColor(0xc3cad3));
    p.setColor(QPalette::Dark, QColor(0x9aa4b0));
    p.setColor(QPalette::Shadow, QColor(0x6b7684));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, QColor(0xa0a9b4));
    p.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0xc3cad3));
    return p;
}

QPalette darkPalette()
{
    QPalette p;
    p.setColor(QPalette::Window, QColor(0x16191e));
    p.setColor(QPalette::WindowText, QColor(0xe4e8ed));
    p.setColor(QPalette::Base, QColor(0x1d2127));
    p.setColor(QPalette::AlternateBase, QColor(0x21262d));
    p.setColor(QPalette::Text, QColor(0xe4e8ed));
    p.setColor(QPalette::PlaceholderText, QColor(0x8d98a5));
    p.setColor(QPalette::Button, QColor(0x272c34));
    p.setColor(QPalette::ButtonText, QColor(0xd9dee5));
    p.setColor(QPalette::BrightText, QColor(0xffffff));
    p.setColor(QPalette::Highlight, QColor(0x3268c9));
    p.setColor(QPalette::HighlightedText, QColor(0xffffff));
    p.setColor(QPalette::Link, QColor(0x7aa9ff));
    p.setColor(QPalette::LinkVisited, QColor(0xb79cf0));
    p.setColor(QPalette::ToolTipBase, QColor(0x343b45));
    p.setColor(QPalette::ToolTipText, QColor(0xf2f4f7));
    p.setColor(QPalette::Light, QColor(0x343b45));
    p.setColor(QPalette::Midlight, QColor(0x2c323a));
    p.setColor(QPalette::Mid, QColor(0x3d4550));
    p.setColor(QPalette::Dark, QColor(0x0f1115));
    p.setColor(QPalette::Shadow, QColor(0x08090b));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, QColor(0x626c78));
    p.setColor(QPalette::Disabled, QPalette::Highlight, QColor(0x3d4550));
    return p;
}

QString styleSheet(const QPalette& palette)
{
    QFile file(u":/style/style.qss"_s);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QString sheet = QString::fromUtf8(file.readAll());
    const ThemeColours& colours = themeColours(palette);
    const std::pair<QLatin1StringView, QString> names[] = {
        {"@border"_L1, colours.border.name()},
        {"@secondary"_L1, colours.secondary.name()},
        {"@accentSoft"_L1, colours.accentSoft.name()},
        {"@accent"_L1, colours.accent.name()},
        {"@onAccent"_L1, colours.onAccent.name()},
        {"@hover"_L1, colours.hover.name()},
        {"@errorSoft"_L1, colours.errorSoft.name()},
        {"@error"_L1, colours.error.name()},
        {"@warning"_L1, colours.warning.name()},
        {"@okSoft"_L1, colours.okSoft.name()},
        {"@ok"_L1, colours.ok.name()},
        {"@disabled"_L1, palette.color(QPalette::Disabled, QPalette::ButtonText).name()},
        {"@scheme"_L1, isDark(palette) ? u"dark"_s : u"light"_s},
    };
    for (const auto& [name, value] : names)
        sheet.replace(name, value);
    return sheet;
}

} // namespace

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightnessF() < 0.5;
}

const ThemeColours& themeColours(const QPalette& palette)
{
    static const ThemeColours light = {
        .border = QColor(0xd5dae1),
        .secondary = QColor(0x596472),
        .accent = QColor(0x1f5fd0),
        .onAccent = QColor(0xffffff),
        .accentSoft = QColor(0xe3ecfb),
        .hover = QColor(0xe9ecf1),
        .error = QColor(0xc4302b),
        .errorSoft = QColor(0xfcebea),
        .warning = QColor(0x8a5a00),
        .warningSoft = QColor(0xfdf3dc),
        .ok = QColor(0x1a7f37),
        .okSoft = QColor(0xe2f4e6),
    };
    static const ThemeColours dark = {
        .border = QColor(0x363d47),
        .secondary = QColor(0x9aa5b2),
        .accent = QColor(0x7aa9ff),
        .onAccent = QColor(0x0d1830),
        .accentSoft = QColor(0x22324f),
        .hover = QColor(0x2a3038),
        .error = QColor(0xff7b72),
        .errorSoft = QColor(0x3d2226),
        .warning = QColor(0xe3b341),
        .warningSoft = QColor(0x38301b),
        .ok = QColor(0x56d364),
        .okSoft = QColor(0x1b3524),
    };
    return isDark(palette) ? dark : light;
}

void setRole(QWidget* widget, const QString& role)
{
    if (widget->property("role").toString() == role)
        return;
    widget->setProperty("role", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QString themeId(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::Light:
        return u"light"_s;
    case ThemeChoice::Dark:
        return u"dark"_s;
    case ThemeChoice::System:
        break;
    }
    return u"system"_s;
}

ThemeChoice themeFromId(const QString& id)
{
    if (id == "light"_L1)
        return ThemeChoice::Light;
    if (id == "dark"_L1)
        return ThemeChoice::Dark;
    return ThemeChoice::System;
}

Theme::Theme(QObject* parent) : QObject(parent), m_systemIsDark(isDark(QApplication::palette()))
{
    QApplication::setStyle(new WorkbenchStyle);
    apply();
    askPortal();
}

void Theme::setChoice(ThemeChoice choice)
{
    if (m_choice == choice)
        return;
    m_choice = choice;
    apply();
}

void Theme::askPortal()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(kPortal, kPortalPath, kPortalSettings, u"SettingChanged"_s, this,
                SLOT(portalSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage read = QDBusMessage::createMethodCall(kPortal, kPortalPath, kPortalSettings, u"Read"_s);
    read << kAppearance << kColourScheme;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(read, kPortalTimeoutMs), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        watcher->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (reply.isValid()) // the portal wraps the value twice
            setSystemScheme(reply.value().variant().value<QDBusVariant>().variant().toUInt());
    });
}

void Theme::portalSettingChanged(const QString& group, const QString& key, const QDBusVariant& value)
{
    if (group == kAppearance && key == kColourScheme)
        setSystemScheme(value.variant().toUInt());
}

/// The portal's values: 0 no preference, 1 dark, 2 light.
void Theme::setSystemScheme(uint scheme)
{
    const bool dark = scheme == 1;
    if (scheme == 0 || dark == m_systemIsDark)
        return;
    m_systemIsDark = dark;
    if (m_choice == ThemeChoice::System)
        apply();
}

void Theme::apply()
{
    const bool dark = m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemIsDark);
    const QPalette palette = dark ? darkPalette() : lightPalette();
    QApplication::setPalette(palette);
    qApp->setStyleSheet(styleSheet(palette));
    emit changed();
}

} // namespace tailmark::ui
