// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "base/bounded_json.h"

#include <string>

#include <nlohmann/json.hpp>

using namespace tailmark;

namespace {

std::string lists(std::size_t levels)
{
    return std::string(levels, '[') + std::string(levels, ']');
}

} // namespace

class BoundedJsonTest : public QObject
{
    Q_OBJECT

private slots:
    void depthIsBounded()
    {
        QVERIFY(boundedJson(lists(kMaxJsonDepth)).is_array());
        QVERIFY(!isNestedTooDeep(lists(kMaxJsonDepth)));
        for (const std::size_t levels : {std::size_t(kMaxJsonDepth) + 1, std::size_t(1'000'000)}) {
            QVERIFY(isNestedTooDeep(lists(levels)));
            QVERIFY(boundedJson(lists(levels)).is_discarded());
            QVERIFY(isNestedTooDeep(std::string(levels, '[')));
        }
        std::string objects;
        for (int i = 0; i <= kMaxJsonDepth; ++i)
            objects += R"({"a":)";
        QVERIFY(isNestedTooDeep(objects));
    }
    void levelsAreNoCount()
    {
        std::string wide = "[";
        for (int i = 0; i < 1'000; ++i)
            wide += "[],";
        QCOMPARE(boundedJson(wide + "[]]").size(), std::size_t(1'001));
        const std::string text(1'000, '[');
        QCOMPARE(boundedJson("[\"\\\"" + text + "\"]").at(0).get<std::string>(), '"' + text);
    }
    void noJsonIsDiscarded()
    {
        for (const char* text : {"", "{", "nonsense", "{} {}", "\x01"})
            QVERIFY2(boundedJson(text).is_discarded(), text);
    }
};

QTEST_GUILESS_MAIN(BoundedJsonTest)
#include "tst_bounded_json.moc"
