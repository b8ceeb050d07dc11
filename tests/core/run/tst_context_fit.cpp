// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "run/context_fit.h"

using namespace tailmark;

namespace {

class Pairs final : public LengthSource
{
public:
    explicit Pairs(std::vector<LengthPair> pairs) : m_parts{LengthPart{{}, 1, std::move(pairs)}} {}
    LengthPair draw(std::uint64_t, std::uint32_t request) const override
    {
        return m_parts[0].pairs[request % m_parts[0].pairs.size()];
    }
    const std::vector<LengthPart>& parts() const override { return m_parts; }
    std::string remark() const override { return "of the file"; }

private:
    std::vector<LengthPart> m_parts;
};

std::shared_ptr<const LengthSource> some(std::vector<LengthPair> pairs)
{
    return std::make_shared<Pairs>(std::move(pairs));
}

} // namespace

class TestContextFit : public QObject
{
    Q_OBJECT

private slots:
    void whatFitsStays()
    {
        const auto source = some({{4000, 96}, {10, 10}});
        for (const BeyondContext policy : {BeyondContext::Stop, BeyondContext::Clip, BeyondContext::Send}) {
            const Result<ContextFit> fit = fitIntoContext(source, LengthsKind::Trace, policy, 4096, 0);
            QVERIFY(fit.ok() && fit.value().source == source && fit.value().remark.empty());
        }
        const Result<ContextFit> unknown =
            fitIntoContext(source, LengthsKind::Trace, BeyondContext::Stop, 0, 12);
        QVERIFY(unknown.ok() && unknown.value().source == source);
    }

    void stops()
    {
        const Result<ContextFit> fixed =
            fitIntoContext(some({{4000, 96}}), LengthsKind::Fixed, BeyondContext::Stop, 4096, 1);
        QVERIFY(!fixed.ok());
        QCOMPARE(fixed.error().code, ErrorCode::Unreachable);
        QCOMPARE(
            fixed.error().message,
            std::string("the longest planned request is 4097 tokens (4000 prompt + 96 output + 1 of the chat "
                        "template), the target's context is 4096"));
        // a fixed length that is cut is not the one that was stated
        QVERIFY(!fitIntoContext(some({{4000, 96}}), LengthsKind::Fixed, BeyondContext::Clip, 4096, 1).ok());
        const Result<ContextFit> trace = fitIntoContext(some({{5000, 96}, {10, 10}, {4090, 7}}),
                                                        LengthsKind::Trace, BeyondContext::Stop, 4096, 0);
        QVERIFY(trace.error().message.find("66.7 % of the requests do not fit; workload.beyond_context \"clip\"") !=
                std::string::npos);
    }

    void clips()
    {
        const Result<ContextFit> fit = fitIntoContext(some({{5000, 96}, {10, 10}, {100, 9000}}),
                                                      LengthsKind::Trace, BeyondContext::Clip, 4096, 6);
        QVERIFY(fit.ok());
        const LengthSource& source = *fit.value().source;
        QVERIFY((source.draw(1, 0) == LengthPair{4090 - 96, 96}));
        QVERIFY((source.draw(1, 1) == LengthPair{10, 10}));
        QVERIFY((source.draw(1, 2) == LengthPair{1, 4089}));
        QVERIFY((source.parts()[0].pairs == std::vector<LengthPair>{{3994, 96}, {10, 10}, {1, 4089}}));
        QCOMPARE(source.remark(), std::string("of the file"));
        QVERIFY(fit.value().remark.find("66.7 % of the requests do not fit: their prompts are cut") !=
                std::string::npos);
    }

    void sends()
    {
        const auto source = some({{5000, 96}, {10, 10}});
        const Result<ContextFit> fit =
            fitIntoContext(source, LengthsKind::Trace, BeyondContext::Send, 4096, 0);
        QVERIFY(fit.ok() && fit.value().source == source);
        QVERIFY(fit.value().remark.ends_with(
            "50 % of the requests do not fit: they are sent as planned (workload.beyond_context)"));
    }
};

QTEST_GUILESS_MAIN(TestContextFit)
#include "tst_context_fit.moc"
