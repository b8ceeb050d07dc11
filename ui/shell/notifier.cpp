// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/notifier.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QVariantMap>

namespace tailmark::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kTimeoutMs = 2'000;

} // namespace

void notifyDesktop(const QString& title, const QString& text)
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    QDBusMessage message = QDBusMessage::createMethodCall(u"org.freedesktop.Notifications"_s,
                                                          u"/org/freedesktop/Notifications"_s,
                                                          u"org.freedesktop.Notifications"_s, u"Notify"_s);
    const uint replacesNothing = 0;
    const int defaultExpiry = -1;
    message << u"Tailmark"_s << replacesNothing << u"tailmark"_s << title << text << QStringList{}
            << QVariantMap{} << defaultExpiry;
    bus.asyncCall(message, kTimeoutMs);
}

} // namespace tailmark::ui
