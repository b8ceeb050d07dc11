// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "sim/block_pool.h"

using namespace tailmark::sim;

class TestBlockPool : public QObject
{
    Q_OBJECT

private slots:
    void takesAndReturns();
    void findsTheLongestPrefix();
    void evictsTheLeastRecentlyFreedFirst();
    void prefixesOutliveSuffixes();
    void sharingProtectsFromEviction();
    void sharedBlockIsFreeWhenTheLastUserLeaves();
    void twinsSurviveEachOther();
    void forgetsAllOnlyWhenIdle();
    void withoutPrefixCacheNothingIsFound();
};

namespace {

std::vector<BlockId> take(BlockPool& pool, int count)
{
    std::vector<BlockId> blocks;
    pool.take(count, blocks);
    return blocks;
}

std::vector<BlockId> takeWith(BlockPool& pool, std::initializer_list<BlockHash> hashes)
{
    std::vector<BlockId> blocks = take(pool, static_cast<int>(hashes.size()));
    std::size_t i = 0;
    for (const BlockHash hash : hashes)
        pool.setHash(blocks[i++], hash);
    return blocks;
}

std::size_t found(const BlockPool& pool, std::vector<BlockHash> hashes)
{
    return pool.findPrefix(hashes).size();
}

} // namespace

void TestBlockPool::takesAndReturns()
{
    BlockPool pool(4, true);
    QCOMPARE(pool.total(), 4);
    QCOMPARE(pool.free(), 4);
    const auto blocks = take(pool, 3);
    QCOMPARE(pool.free(), 1);
    pool.release(blocks);
    QCOMPARE(pool.free(), 4);
}

void TestBlockPool::findsTheLongestPrefix()
{
    BlockPool pool(8, true);
    const auto blocks = takeWith(pool, {11, 12, 13});
    QCOMPARE(pool.findPrefix(std::vector<BlockHash>{11, 12, 13, 14}), blocks);
    QCOMPARE(found(pool, {11, 99, 13}), 1u);
    QCOMPARE(found(pool, {12, 13}), 2u);
    QCOMPARE(found(pool, {99}), 0u);
}

void TestBlockPool::evictsTheLeastRecentlyFreedFirst()
{
    BlockPool pool(3, true);
    const auto a = takeWith(pool, {1});
    const auto b = takeWith(pool, {2});
    const auto c = takeWith(pool, {3});
    pool.release(b);
    pool.release(c);
    pool.release(a);
    take(pool, 1);
    QCOMPARE(found(pool, {2}), 0u);
    QCOMPARE(found(pool, {3}), 1u);
    QCOMPARE(found(pool, {1}), 1u);
    take(pool, 1);
    QCOMPARE(found(pool, {3}), 0u);
    QCOMPARE(found(pool, {1}), 1u);
}

void TestBlockPool::prefixesOutliveSuffixes()
{
    BlockPool pool(4, true);
    pool.release(takeWith(pool, {1, 2, 3, 4}));
    take(pool, 2);
    QCOMPARE(found(pool, {1, 2, 3, 4}), 2u);
}

void TestBlockPool::sharingProtectsFromEviction()
{
    BlockPool pool(3, true);
    pool.release(takeWith(pool, {1, 2}));
    const auto prefix = pool.findPrefix(std::vector<BlockHash>{1, 2});
    QCOMPARE(pool.freeAmong(prefix), 2);
    pool.share(prefix);
    QCOMPARE(pool.freeAmong(prefix), 0);
    QCOMPARE(pool.free(), 1);
    take(pool, 1);
    QCOMPARE(found(pool, {1, 2}), 2u);
}

void TestBlockPool::sharedBlockIsFreeWhenTheLastUserLeaves()
{
    BlockPool pool(2, true);
    const auto blocks = takeWith(pool, {1});
    pool.share(blocks);
    pool.release(blocks);
    QCOMPARE(pool.free(), 1);
    pool.release(blocks);
    QCOMPARE(pool.free(), 2);
}

void TestBlockPool::twinsSurviveEachOther()
{
    // Three blocks with one content, evicted in every order: it is found until the last is gone.
    const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& order : orders) {
        BlockPool pool(3, true);
        const std::vector<BlockId> blocks[] = {takeWith(pool, {7}), takeWith(pool, {7}), takeWith(pool, {7})};
        for (const int i : order)
            pool.release(blocks[i]);
        QCOMPARE(found(pool, {7}), 1u);
        take(pool, 1);
        QCOMPARE(found(pool, {7}), 1u);
        QVERIFY(pool.findPrefix(std::vector<BlockHash>{7}) != blocks[order[0]]);
        take(pool, 1);
        QCOMPARE(pool.findPrefix(std::vector<BlockHash>{7}), blocks[order[2]]);
        take(pool, 1);
        QCOMPARE(found(pool, {7}), 0u);
    }
}

void TestBlockPool::forgetsAllOnlyWhenIdle()
{
    BlockPool pool(3, true);
    const auto blocks = takeWith(pool, {1, 2});
    QVERIFY(!pool.forgetAll());
    QCOMPARE(found(pool, {1, 2}), 2u);
    pool.release(blocks);
    QVERIFY(pool.forgetAll());
    QCOMPARE(found(pool, {1, 2}), 0u);
    QCOMPARE(pool.free(), 3);
}

void TestBlockPool::withoutPrefixCacheNothingIsFound()
{
    BlockPool pool(3, false);
    takeWith(pool, {1, 2});
    QCOMPARE(found(pool, {1, 2}), 0u);
}

QTEST_GUILESS_MAIN(TestBlockPool)
#include "tst_block_pool.moc"
