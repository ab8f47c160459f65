#include "observe/several.h"

#include <gtest/gtest.h>

#include <deque>

#include "observe/carried.h"
#include "observe/choice.h"
#include "observe/time.h"
#include "observe/values_of.h"

namespace heddle::observe {
namespace {

class Watching final : public Observer {
 public:
  explicit Watching(Needs needs) : needs_(needs) {}
  Needs needs() const override { return needs_; }
  Sink& sink() override { return sinks.emplace_back(); }
  struct Told final : Sink {
    void access(const Access& access) override { seen += access.addresses[0]; }
    void count(Place place, const Count& count) override { counted += count.warps + place.instruction; }
    void visit(const Visit& visit) override { visited |= visit.lanes; }
    void sync(const Sync& sync) override { synced |= sync.lanes; }
    uint64_t seen = 0, counted = 0;
    Mask visited = 0, synced = 0;
  };
  std::deque<Told> sinks;

 private:
  const Needs needs_;
};

TEST(Several, EachIsToldWhatItNeedsAndNothingElse) {
  Watching counting(counts), accessing(accesses);
  Several both({&counting, &accessing});
  EXPECT_EQ(both.needs(), counts | accesses);
  Sink& sink = both.sink();
  const uint64_t address = 42;
  Access access;
  access.addresses = &address;
  sink.access(access);
  Count count;
  count.come(0xff);
  sink.count({0, 7}, count);
  ASSERT_EQ(counting.sinks.size(), 1u);
  EXPECT_EQ(counting.sinks[0].counted, 8u);
  EXPECT_EQ(counting.sinks[0].seen, 0u);
  EXPECT_EQ(accessing.sinks[0].seen, 42u);
  EXPECT_EQ(accessing.sinks[0].counted, 0u);
}

// What need not be told to one may be needed by another, and a window is of one sink.
TEST(Several, SpareWhatNobodyWantsToBeTold) {
  const auto with = [](unsigned spared) { return static_cast<Needs>(accesses | spared); };
  Watching global(with(spares_windows | spares_shared | spares_private)), both(with(spares_private)),
      all(accesses), counting(counts);
  EXPECT_EQ(Several({&global, &both}).needs(), accesses | spares_private);
  EXPECT_EQ(Several({&global, &counting}).needs(), accesses | counts | spares_shared | spares_private);
  EXPECT_EQ(Several({&global, &all}).needs(), accesses);
  EXPECT_EQ(Several({&counting}).needs(), counts);
}

TEST(Several, VisitsAndSyncsAreTold) {
  Watching visiting(visits), syncing(syncs);
  Several both({&visiting, &syncing});
  Sink& sink = both.sink();
  Visit visit;
  visit.lanes = 3;
  sink.visit(visit);
  Sync sync;
  sync.lanes = 5;
  sink.sync(sync);
  EXPECT_EQ(visiting.sinks[0].visited, 3u);
  EXPECT_EQ(visiting.sinks[0].synced, 0u);
  EXPECT_EQ(syncing.sinks[0].visited, 0u);
  EXPECT_EQ(syncing.sinks[0].synced, 5u);
}

class Choosing final : public Observer {
 public:
  explicit Choosing(uint32_t warps) : told(warps) {}
  Needs needs() const override { return static_cast<Needs>(accesses | visits); }
  Sink& sink() override { return told; }
  struct Told final : Sink, ChoosingSink {
    explicit Told(uint32_t wanted_warps) : wanted(wanted_warps) {}
    void begin(uint64_t, uint32_t& warps) override { told_warps = &warps, warps = wanted; }
    void visit(const Visit& visit) override { *told_warps &= ~(1U << visit.warp); }
    const uint32_t wanted;
    uint32_t* told_warps = nullptr;
  } told;
};

// Who wants a warp is told of it, whatever others want; who cannot choose is told all.
TEST(Several, WarpsAreToldThatOneOfThemWants) {
  Choosing one(0b0011), two(0b0110);
  Watching counting(counts), accessing(accesses);
  Several three({&one, &two, &counting});
  Sink& sink = three.sink();
  ChoosingSink* choosing = choosing_sink(&sink);
  ASSERT_NE(choosing, nullptr);
  uint32_t warps = ~0U;
  choosing->begin(5, warps);
  EXPECT_EQ(warps, 0b0111U);
  Visit visit;
  visit.warp = 1;
  sink.visit(visit);  // neither wants it any more
  EXPECT_EQ(warps, 0b0101U);
  Several with_another({&one, &accessing});
  EXPECT_EQ(choosing_sink(&with_another.sink()), nullptr);
}

TEST(Several, EachThreadHasSinksOfItsOwn) {
  Watching one(counts), two(counts);
  Several both({&one, &two});
  EXPECT_NE(&both.sink(), &both.sink());
  EXPECT_EQ(one.sinks.size(), 2u);
  EXPECT_EQ(two.sinks.size(), 2u);
}

class Valuing final : public ValueObserver {
 public:
  explicit Valuing(uint8_t kinds) : kinds_(kinds) {}
  Needs needs() const override { return nothing; }
  uint8_t values() const override { return kinds_; }
  ValueSink& sink() override { return told; }
  struct Told final : ValueSink, CarriedSink {
    void value(const Value& value) override { lanes |= value.lanes; }
    void carried(Place, const Carried& carried) override { nans += carried.nans; }
    Mask lanes = 0;
    uint64_t nans = 0;
  } told;

 private:
  const uint8_t kinds_;
};

TEST(Several, ThoseWhoLookAtValuesAreToldOfThem) {
  Watching counting(counts);
  Valuing finite(not_finite), small(subnormals);
  Several without({&counting}), all({&finite, &counting, &small});
  EXPECT_EQ(value_kinds_of(&without), no_values);
  EXPECT_EQ(value_kinds_of(&all), not_finite | subnormals);
  EXPECT_EQ(value_kinds_of(&finite), not_finite);
  EXPECT_EQ(value_kinds_of(nullptr), no_values);
  EXPECT_EQ(all.needs(), counts);
  Value value;
  value.lanes = 5;
  static_cast<ValueSink&>(all.sink()).value(value);
  EXPECT_EQ(finite.told.lanes, 5U);
  EXPECT_EQ(small.told.lanes, 5U);
}

TEST(Several, NumbersThatGoOnAreCountedIfAllCanAddUp) {
  Valuing adds(not_finite | counts_carried), too(not_finite | counts_carried), each(not_finite);
  Several both({&adds, &too}), mixed({&adds, &each}), turned({&each, &adds});
  EXPECT_EQ(value_kinds_of(&both), not_finite | counts_carried);
  EXPECT_EQ(value_kinds_of(&mixed), not_finite);
  EXPECT_EQ(value_kinds_of(&turned), not_finite);
  dynamic_cast<CarriedSink&>(both.sink()).carried({}, {3, 1});
  EXPECT_EQ(adds.told.nans, 3U);
  EXPECT_EQ(too.told.nans, 3U);
}

// The first that tells the time is asked; nobody is, where none does.
TEST(Several, ProgramsAreToldOneTime) {
  class Telling final : public TimeObserver, public Sink, public TimeSink {
   public:
    explicit Telling(uint64_t cycles) : cycles_(cycles) {}
    Needs needs() const override { return nothing; }
    Sink& sink() override { return *this; }
    Time time(const TimeAsked&) override { return {cycles_, 2 * cycles_}; }

   private:
    const uint64_t cycles_;
  };
  Watching counting(counts);
  Telling first(7), second(8);
  Several all({&counting, &first, &second});
  EXPECT_TRUE(tells_time(&all));
  ASSERT_NE(time_sink(&all.sink()), nullptr);
  EXPECT_EQ(time_sink(&all.sink())->time({}).cycles, 7);
  Several none({&counting});
  EXPECT_FALSE(tells_time(&none));
  EXPECT_FALSE(tells_time(&counting));
  EXPECT_TRUE(tells_time(&second));
  EXPECT_FALSE(tells_time(nullptr));
}

}  // namespace
}  // namespace heddle::observe
