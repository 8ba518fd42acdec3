// SPDX-License-Identifier: MIT
// The agent's parts on their own, in this process: ring, names, JSON, operator stack, buffer pool.
#include "capture/agent/bridge.h"
#include "capture/agent/clock.h"
#include "capture/agent/cupti/buffers.h"
#include "capture/agent/json.h"
#include "capture/agent/names.h"
#include "capture/agent/nvtx.h"
#include "capture/agent/recorder.h"
#include "capture/agent/ring.h"
#include "capture/agent/target.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

using namespace tuneline;
using namespace tuneline::agent;

namespace {

std::vector<format::OpRecord> drainOps()
{
    std::vector<format::OpRecord> found;
    ThreadState::current()->ring.drain([&found](const Slot &slot) {
        if (slot.kind != format::RecordKind::Op)
            return;
        format::OpRecord op;
        std::memcpy(&op, slot.payload, sizeof op);
        found.push_back(op);
    });
    return found;
}

struct Recording
{
    Recording()
    {
        ++g_hot.epoch;
        g_hot.armed = true;
        g_hot.recording = true;
        drainOps();
    }
    ~Recording()
    {
        g_hot.recording = false;
        g_hot.armed = false;
    }
};

} // namespace

class TestAgentParts : public QObject
{
    Q_OBJECT

private slots:
    void ringCarriesAllInOrder();
    void ringRefusesWhenFull();
    void namesAreToldApartByTheirBytes();
    void jsonIsAlwaysValid();
    void operatorsNest();
    void lostEndsAreClosedByTheirParents();
    void endsAfterTheWindowAreKept();
    void veryDeepNestingIsCounted();
    void bufferPoolIsBounded();
    void bridgesMatchByMinorVersion();
    void nvtxRangesBecomeScopes();
    void nameTableHasABound(); // last: it fills the one table of this process
};

void TestAgentParts::ringCarriesAllInOrder()
{
    const auto ring = std::make_unique<Ring>();
    constexpr std::uint64_t kRecords = 500'000;
    std::thread producer([&ring] {
        for (std::uint64_t i = 0; i < kRecords;) {
            format::OpRecord op;
            op.id = i;
            if (ring->push(format::RecordKind::Op, op))
                ++i;
            else
                std::this_thread::yield();
        }
    });
    std::uint64_t next = 0;
    bool inOrder = true;
    while (next < kRecords) {
        ring->drain([&](const Slot &slot) {
            format::OpRecord op;
            std::memcpy(&op, slot.payload, sizeof op);
            inOrder = inOrder && op.id == next;
            ++next;
        });
    }
    producer.join();
    QVERIFY(inOrder);
}

void TestAgentParts::ringRefusesWhenFull()
{
    const auto ring = std::make_unique<Ring>();
    std::uint64_t accepted = 0;
    while (ring->push(format::RecordKind::Op, format::OpRecord{}))
        ++accepted;
    QCOMPARE(accepted, Ring::kSlots);
    QCOMPARE(ring->drain([](const Slot &) {}), Ring::kSlots);
    QVERIFY(ring->push(format::RecordKind::Op, format::OpRecord{}));
}

// The same buffer with other bytes: what user scopes and autograd nodes bring.
void TestAgentParts::namesAreToldApartByTheirBytes()
{
    ThreadState *state = ThreadState::current();
    QVERIFY(state);
    char buffer[64];
    std::set<std::uint32_t> ids;
    for (int i = 0; i < 5000; ++i) {
        std::snprintf(buffer, sizeof buffer, "scope %d", i);
        ids.insert(state->nameId(buffer));
    }
    QCOMPARE(ids.size(), std::size_t(5000)); // more than the cache holds
    std::snprintf(buffer, sizeof buffer, "scope %d", 17);
    QCOMPARE(state->nameId(buffer), NameTable::instance().intern("scope 17").id);
    QVERIFY(state->nameId("") != 0);
}

void TestAgentParts::nameTableHasABound()
{
    const std::string longName(NameTable::kMaxLength + 100, 'n');
    QCOMPARE(std::size_t(NameTable::instance().intern(longName).length), NameTable::kMaxLength);
    std::uint32_t last = 0;
    std::string name(1000, 'x');
    for (std::size_t i = 0; i < NameTable::kMaxBytes / 1000 + 10; ++i) {
        const std::string number = std::to_string(i);
        name.replace(0, number.size(), number);
        last = NameTable::instance().intern(name).id;
    }
    QCOMPARE(last, NameTable::instance().intern(NameTable::kFull).id);
    QVERIFY(NameTable::instance().refused() > 0);
}

void TestAgentParts::jsonIsAlwaysValid()
{
    JsonWriter json;
    json.text("quote \" and \\", "line\nbreak\ttab \x01 zero");
    json.text("utf8", "\xE2\x9C\x93 \xF0\x9F\x94\xA5");
    // Lone continuation, overlong, surrogate, beyond U+10FFFF, cut at the end.
    json.text("broken", "\x80|\xC0\xAF|\xED\xA0\x80|\xF4\x90\x80\x80|\xE2\x9C");
    json.number("big", 1'796'061'743'449'144'443);
    json.boolean("yes", true);
    json.beginArray("list");
    json.text({}, "a");
    json.beginObject();
    json.number("x", -1);
    json.endObject();
    json.endArray();
    json.beginObject("empty");
    json.endObject();
    json.raw("raw", "[1,2]");
    const std::string text = json.take();
    QJsonParseError error{};
    const QJsonObject parsed = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error).object();
    QVERIFY2(error.error == QJsonParseError::NoError, text.c_str());
    QCOMPARE(parsed[QStringLiteral("quote \" and \\")].toString(), QStringLiteral("line\nbreak\ttab \u0001 zero"));
    QCOMPARE(parsed[QStringLiteral("utf8")].toString(), QStringLiteral("\u2713 \U0001F525"));
    QCOMPARE(parsed[QStringLiteral("broken")].toString().count(QChar(0xFFFD)), 12);
    QCOMPARE(parsed[QStringLiteral("big")].toInteger(), qint64(1'796'061'743'449'144'443));
    QCOMPARE(parsed[QStringLiteral("list")].toArray().size(), 2);
    QCOMPARE(parsed[QStringLiteral("raw")].toArray().size(), 2);
}

void TestAgentParts::operatorsNest()
{
    const Recording recording;
    int keys[3];
    const std::uint64_t outer = beginOp(&keys[0], "outer", 0);
    const std::uint64_t inner = beginOp(&keys[1], "inner", 7);
    endOp(&keys[1]);
    endOp(&keys[0]);
    endOp(&keys[2]); // never begun
    const auto ops = drainOps();
    QCOMPARE(ops.size(), std::size_t(2));
    QCOMPARE(ops[0].id, inner);
    QCOMPARE(ops[0].depth, 1U);
    QCOMPARE(ops[0].scope, format::OpScope::User);
    QCOMPARE(ops[1].id, outer);
    QCOMPARE(ops[1].depth, 0U);
    QVERIFY(outer != inner && outer != 0);
    QVERIFY(ops[1].start <= ops[0].start && ops[0].end <= ops[1].end);
}

void TestAgentParts::lostEndsAreClosedByTheirParents()
{
    const Recording recording;
    int keys[3];
    beginOp(&keys[0], "outer", 0);
    beginOp(&keys[1], "asynchronous", 0);
    endOp(&keys[0]);
    beginOp(&keys[2], "next", 0);
    endOp(&keys[2]);
    const auto ops = drainOps();
    QCOMPARE(ops.size(), std::size_t(3));
    QCOMPARE(ops[0].end, format::kOpen);
    QVERIFY(ops[1].end > 0);
    QCOMPARE(ops[2].depth, 0U); // the lost one shifts nobody
}

void TestAgentParts::endsAfterTheWindowAreKept()
{
    const Recording recording;
    int keys[2];
    beginOp(&keys[0], "begun inside", 0);
    g_hot.recording = false;
    QCOMPARE(beginOp(&keys[1], "begun outside", 0), std::uint64_t(0));
    std::vector<format::OpRecord> open;
    takeOpenOps(*ThreadState::current(), [&open](const format::OpRecord &op) { open.push_back(op); });
    QCOMPARE(open.size(), std::size_t(1));
    QCOMPARE(open[0].end, format::kOpen);
    endOp(&keys[1]);
    endOp(&keys[0]);
    const auto ops = drainOps();
    QCOMPARE(ops.size(), std::size_t(1));
    QVERIFY(ops[0].end >= ops[0].start);
}

void TestAgentParts::veryDeepNestingIsCounted()
{
    const Recording recording;
    std::vector<char> keys(ThreadState::kMaxDepth + 10);
    for (char &key : keys)
        beginOp(&key, "deep", 0);
    for (auto key = keys.rbegin(); key != keys.rend(); ++key)
        endOp(&*key);
    QCOMPARE(drainOps().size(), std::size_t(ThreadState::kMaxDepth));
    QCOMPARE(ThreadState::current()->tooDeep.load(), std::uint64_t(10));
    QCOMPARE(ThreadState::current()->depth.load(), 0U);
}

void TestAgentParts::bufferPoolIsBounded()
{
    auto &pool = cupti::BufferPool::instance();
    pool.prepare(true);
    std::vector<std::uint8_t *> held;
    while (std::uint8_t *buffer = pool.give()) {
        QCOMPARE(int(buffer[0]), 0);
        buffer[0] = 1;
        held.push_back(buffer);
    }
    QCOMPARE(held.size(), cupti::BufferPool::kMaxBuffers);
    QCOMPARE(pool.refused(), std::uint64_t(1));
    for (std::uint8_t *buffer : held)
        pool.accept(buffer, 1);
    for (const auto &full : pool.takeFull())
        pool.recycle(full.data, full.validBytes);
    std::uint8_t *again = pool.give();
    QVERIFY(again);
    QCOMPARE(int(again[0]), 0); // zeroed before it is used again
    pool.accept(again, 0);
    for (const auto &full : pool.takeFull())
        pool.recycle(full.data, full.validBytes);
    // Before CUDA 12.9 a null buffer would crash CUPTI: the oldest records go instead.
    pool.prepare(false);
    for (std::size_t i = 0; i < cupti::BufferPool::kMaxBuffers; ++i)
        pool.accept(pool.give(), 8);
    QVERIFY(pool.give());
    QCOMPARE(pool.thrownAway(), std::uint64_t(1));
}

void TestAgentParts::bridgesMatchByMinorVersion()
{
    QVERIFY(sameTorch("1.13.1", "1.13.0"));
    QVERIFY(sameTorch("2.11.0", "2.11.0+cu130"));
    QVERIFY(!sameTorch("2.1.0", "2.11.0"));
    QVERIFY(!sameTorch("1.13.1", "2.13.1"));
    QVERIFY(!sameTorch("", ""));
    QCOMPARE(bridgeVersion("/nonexistent"), std::string());
    QCOMPARE(bridgeVersion("/proc/self/exe"), std::string());
}

// NVTX 3's side of its injection, as small as it can be.
namespace fakenvtx {

using AnyFunction = void (*)();
AnyFunction core[16], core2[16];
AnyFunction *coreTable[16], *core2Table[16];

int getModuleFunctionTable(int module, AnyFunction ***table, unsigned *size)
{
    *table = module == 1 ? coreTable : module == 5 ? core2Table : nullptr;
    *size = 16;
    return *table ? 1 : 0;
}

const void *exportTable(std::uint32_t id)
{
    static const struct
    {
        std::size_t bytes = 16;
        int (*get)(int, AnyFunction ***, unsigned *) = getModuleFunctionTable;
    } kCallbacks;
    return id == 1 ? &kCallbacks : nullptr;
}

struct Attributes
{
    std::uint16_t version = 2;
    std::uint16_t size = 48;
    std::uint32_t category = 0;
    std::int32_t colorType = 0;
    std::uint32_t color = 0;
    std::int32_t payloadType = 0;
    std::int32_t reserved = 0;
    std::uint64_t payload = 0;
    std::int32_t messageType = 0;
    const char *message = nullptr;
};

} // namespace fakenvtx

void TestAgentParts::nvtxRangesBecomeScopes()
{
    for (int i = 0; i < 16; ++i) {
        fakenvtx::coreTable[i] = &fakenvtx::core[i];
        fakenvtx::core2Table[i] = &fakenvtx::core2[i];
    }
    QCOMPARE(attachNvtx(nullptr), 0);
    QCOMPARE(attachNvtx(fakenvtx::exportTable), 1);
    const auto pushA = reinterpret_cast<int (*)(const char *)>(fakenvtx::core[9]);
    const auto pop = reinterpret_cast<int (*)()>(fakenvtx::core[11]);
    const auto domainPush = reinterpret_cast<int (*)(void *, const void *)>(fakenvtx::core2[4]);
    const auto domainPop = reinterpret_cast<int (*)(void *)>(fakenvtx::core2[5]);
    const auto registerString = reinterpret_cast<const char *(*)(void *, const char *)>(fakenvtx::core2[10]);
    QVERIFY(pushA && pop && domainPush && domainPop && registerString && !fakenvtx::core[4]);
    pushA("dormant: not recorded");
    pop();
    const Recording recording;
    fakenvtx::Attributes ascii;
    ascii.messageType = 1;
    ascii.message = "ascii";
    fakenvtx::Attributes registered;
    registered.messageType = 3;
    registered.message = registerString(nullptr, "registered");
    fakenvtx::Attributes wide; // UTF-16: no name, but the nesting holds
    wide.messageType = 2;
    wide.message = "x";
    pushA("plain");
    domainPush(nullptr, &ascii);
    domainPush(nullptr, &registered);
    domainPush(nullptr, &wide);
    for (int i = 0; i < 3; ++i)
        domainPop(nullptr);
    pop();
    std::vector<format::MarkRecord> marks;
    ThreadState::current()->ring.drain([&marks](const Slot &slot) {
        format::MarkRecord mark;
        std::memcpy(&mark, slot.payload, sizeof mark);
        if (slot.kind == format::RecordKind::Mark)
            marks.push_back(mark);
    });
    QCOMPARE(marks.size(), std::size_t(8));
    const char *const names[] = {"plain", "ascii", "registered", ""};
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE(marks[i].kind, format::MarkKind::ScopeBegin);
        QCOMPARE(marks[i].name, NameTable::instance().intern(names[i]).id);
        QCOMPARE(marks[4 + i].kind, format::MarkKind::ScopeEnd);
    }
}

QTEST_GUILESS_MAIN(TestAgentParts)
#include "tst_agentparts.moc"
