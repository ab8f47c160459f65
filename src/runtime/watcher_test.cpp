#include "runtime/watcher.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/testing.h"
#include "runtime/wait_watcher.h"
#include "support/host_call.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view one_store = R"(
.version 8.0
.target sm_90
.address_size 64
.global .u32 counter = 7;
.visible .entry store(.param .u64 to) {
  .reg .u64 %rd<3>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// Writes down what it is told.
class Journalist final : public Watcher {
 public:
  explicit Journalist(observe::Needs needs, bool stacks = false) : needs_(needs), stacks_(stacks) {}

  class Launch final : public LaunchWatch, public observe::Observer, public observe::Sink {
   public:
    Launch(Journalist& journalist, std::string name) : journalist_(journalist), name_(std::move(name)) {}
    observe::Observer* observer() override { return journalist_.needs_ == 0 ? nullptr : this; }
    void ended(const LaunchEnd& end) override {
      EXPECT_LE(end.time.began, end.time.ended);
      journalist_.journal.add(name_ + (end.failure != nullptr ? " fails" : " ends") + ", stores " +
                              std::to_string(stores_));
    }
    observe::Needs needs() const override { return journalist_.needs_; }
    observe::Sink& sink() override { return *this; }
    void access(const observe::Access& access) override {
      stores_ += access.kind == observe::AccessKind::store ? std::popcount(access.lanes) : 0;
    }

   private:
    Journalist& journalist_;
    const std::string name_;
    int stores_ = 0;
  };

  std::unique_ptr<LaunchWatch> launch(const LaunchFacts& facts) override {
    const std::string& name = facts.kernel.function().name;
    journal.add(name + " of " + (facts.submission != nullptr ? facts.submission->function : "nobody"));
    return std::make_unique<Launch>(*this, name);
  }
  void copied(const CopyFacts& copy) override {
    journal.add((copy.from != nullptr ? "copy of " : "fill of ") + std::to_string(copy.bytes()));
  }
  void allocated(const Allocation& memory) override {
    journal.add(std::string(name(memory.kind)) + " of " + std::to_string(memory.bytes));
  }
  void released(const Allocation& memory) override { journal.add(std::string(name(memory.kind)) + " goes"); }
  void loaded(const Module& module) override {
    journal.add("module of " + std::to_string(module.image().functions.size()));
  }
  void submitted(const Submission& submission, const Context&) override {
    submissions.push_back({submission.number, submission.after, submission.stack.empty()});
  }
  bool wants_host_stacks() const override { return stacks_; }

  struct Told {
    uint64_t number;
    std::vector<uint64_t> after;
    bool no_stack;
  };
  Journal journal;
  std::deque<Told> submissions;

 private:
  const observe::Needs needs_;
  const bool stacks_;
};

class Watching : public testing::Test {
 protected:
  std::shared_ptr<Journalist> watch(observe::Needs needs, bool stacks = false) {
    auto watcher = std::make_shared<Journalist>(needs, stacks);
    test.system->watchers().add(watcher);
    return watcher;
  }
  Done run_store(Stream& stream, Kernel& kernel, uint64_t to) {
    LaunchRequest request;
    request.kernel = &kernel;
    request.grid = {1, 1, 1};
    request.block = {48, 1, 1};
    request.params = std::as_bytes(std::span(&to, 1));
    host_call = {1, "a call"};
    Done done = launch(stream, request);
    host_call = {};
    if (!done) return done;
    return stream.synchronize();
  }
  TestSystem test;
};

TEST_F(Watching, TellsWhatHappensInOrder) {
  const auto watcher = watch(observe::accesses);
  const auto module = test.load(std::string(one_store));
  const auto stream = test.stream();
  const auto memory = *test.context->allocate(MemoryKind::device, 256);
  ASSERT_DONE(fill(*stream, memory->address, 1, 256));
  ASSERT_DONE(run_store(*stream, **module->kernel("store"), memory->address));
  ASSERT_DONE(copy(*stream, memory->address, memory->address + 128, 64));
  ASSERT_DONE(stream->synchronize());
  ASSERT_DONE(test.context->free(memory->address, {MemoryKind::device}));
  EXPECT_EQ(watcher->journal.entries(),
            (std::vector<std::string>{"a module's variable of 4", "module of 1", "device memory of 256",
                                      "fill of 256", "store of a call", "store ends, stores 48", "copy of 64",
                                      "device memory goes"}));
}

TEST_F(Watching, SeveralWatchOneLaunch) {
  const auto counts = watch(observe::counts), accesses = watch(observe::accesses), neither = watch({});
  const auto module = test.load(std::string(one_store));
  const auto memory = *test.context->allocate(MemoryKind::device, 256);
  ASSERT_DONE(run_store(*test.stream(), **module->kernel("store"), memory->address));
  EXPECT_EQ(counts->journal.entries().back(), "store ends, stores 0");
  EXPECT_EQ(accesses->journal.entries().back(), "store ends, stores 48");
  EXPECT_EQ(neither->journal.entries().back(), "store ends, stores 0");
}

// What the host asked and heard to be done, waited for, or does in a function that runs behind it.
TEST_F(Watching, TellsWhatTheHostKnowsToHaveEnded) {
  class Waits final : public WaitWatcher {
   public:
    void submitted(const Submission& submission, const Context&) override { newest = submission.number; }
    void host_waited(std::span<const uint64_t> numbers) override {
      const std::lock_guard lock(mutex);
      told.insert(numbers.begin(), numbers.end());
    }
    bool knows(uint64_t number) {
      const std::lock_guard lock(mutex);
      return told.contains(number);
    }
    std::atomic<uint64_t> newest{0};

   private:
    std::mutex mutex;
    std::set<uint64_t> told;
  };
  const auto waits = std::make_shared<Waits>();
  test.system->watchers().add(waits);
  const auto stream = test.stream(), other = test.stream();
  const auto memory = *test.context->allocate(MemoryKind::device, 256);
  ASSERT_DONE(fill(*stream, memory->address, 1, 256));
  const uint64_t first = waits->newest;
  ASSERT_DONE(other->synchronize());
  EXPECT_FALSE(waits->knows(first));
  ASSERT_DONE(stream->synchronize());
  EXPECT_TRUE(waits->knows(first));
  ASSERT_DONE(fill(*stream, memory->address, 2, 256));
  const uint64_t second = waits->newest;
  while (!stream->query().ok()) {
  }
  EXPECT_TRUE(waits->knows(second));
  bool known = false;
  ASSERT_DONE(fill(*stream, memory->address, 3, 256));
  ASSERT_DONE(stream->host_call([&] { known = waits->knows(waits->newest); }));
  ASSERT_DONE(stream->synchronize());
  EXPECT_TRUE(known);
}

TEST_F(Watching, AFailedLaunchIsToldToo) {
  const auto watcher = watch(observe::accesses);
  const auto module = test.load(std::string(one_store));
  EXPECT_FALSE(run_store(*test.stream(), **module->kernel("store"), 0x10).ok());
  EXPECT_THAT(watcher->journal.entries().back(), testing::StartsWith("store fails"));
}

TEST_F(Watching, SubmissionsSayWhatTheyStandBehind) {
  const auto watcher = watch({}, true);
  const auto first = test.stream(), second = test.stream();
  Gate gate;
  ASSERT_DONE(first->host_call([&] { gate.wait(); }));
  Event event(test.context);
  ASSERT_DONE(event.record(*first));
  ASSERT_DONE(second->wait(event));
  gate.open();
  ASSERT_DONE(second->synchronize());
  ASSERT_EQ(watcher->submissions.size(), 3u);
  EXPECT_TRUE(watcher->submissions[0].after.empty());
  EXPECT_EQ(watcher->submissions[1].after, std::vector{watcher->submissions[0].number});
  EXPECT_EQ(watcher->submissions[2].after, std::vector{watcher->submissions[1].number});
  EXPECT_FALSE(watcher->submissions[0].no_stack);
}

TEST_F(Watching, WhoIsRemovedIsToldNothing) {
  const auto watcher = watch({});
  test.system->watchers().remove(*watcher);
  EXPECT_FALSE(test.system->watchers().any());
  (void)*test.context->allocate(MemoryKind::device, 256);
  EXPECT_TRUE(watcher->journal.entries().empty());
}

TEST(Watchers, MayGoWhileOthersAreTold) {
  Watchers watchers;
  std::atomic<bool> done{false};
  std::atomic<int> told{0};
  std::vector<std::thread> telling;
  for (int i = 0; i < 3; ++i)
    telling.emplace_back([&] {
      while (!done) watchers.tell([&](Watcher& watcher) { told += watcher.wants_host_stacks() ? 0 : 1; });
    });
  for (int round = 0; round < 2000 || told == 0; ++round) {
    const auto watcher = std::make_shared<Watcher>();
    watchers.add(watcher);
    watchers.remove(*watcher);
  }
  done = true;
  for (std::thread& thread : telling) thread.join();
}

}  // namespace
}  // namespace heddle::runtime
