#include "exec/jit/launch/pool.h"

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "exec/jit/launch/host_state.h"
#include "exec/jit/launch/worker.h"
#include "observe/schedule.h"
#include "support/relax.h"

namespace heddle::exec::jit {

namespace {

using std::chrono::steady_clock;

// Durations in ticks of host_state.h, so roughly: 3 a nanosecond.
constexpr float worth_a_helper = 60'000;  // 20 us: to wake a thread costs some 5
constexpr float chunk_ticks = 200'000;    // 70 us
constexpr uint64_t fastest_growth = 8;    // of a thread's chunks, while nobody knows how long a block takes
constexpr uint64_t part_to_try = 8;       // of a grid that stays in its thread
constexpr auto nap = std::chrono::microseconds(50);
// How often somebody looks whether launches must end, and for how long after the last one.
constexpr auto watch_period = std::chrono::milliseconds(5);
constexpr int watch_idle_periods = 200;

template <class Ready>
bool look_around(Ready&& ready) {
  const auto end = steady_clock::now() + nap;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      relax();
    }
  } while (steady_clock::now() < end);
  return false;
}

unsigned cores() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

Pool::Pool(unsigned threads) : threads_(threads == 0 ? cores() : threads) {}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    work_.notify_all();
    watch_.notify_all();
  }
  for (Helper& helper : helpers_) helper.thread.join();
  if (watcher_.joinable()) watcher_.join();
}

void Pool::run(Job& job) {
  Worker& own = Worker::of_this_thread();
  std::optional<Worker> another;  // a service of a running kernel launched this one
  Worker& worker = own.busy() ? another.emplace() : own;
  add(job, worker);
  (void)work(job, worker, 0);
  remove(job);
  if (!job.fault && job.handout.left() != 0) Worker::fail_between_blocks(job);
}

void Pool::add(Job& job, Worker& worker) {
  job.caller = worker.thread();
  const std::lock_guard lock(mutex_);
  job.behind = jobs_;
  if (jobs_ != nullptr) jobs_->before = &job;
  jobs_ = &job;
  if (job.launch.cancel == nullptr && !job.deadline && !may_share(job)) return;
  if (!watcher_.joinable()) {
    try {
      watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
      return;  // the next launch tries again; nobody looks after this one
    }
  } else if (watcher_sleeps_ && !watcher_wanted_) {
    watcher_wanted_ = true;
    watch_.notify_one();
  }
}

void Pool::remove(Job& job) {
  std::unique_lock lock(mutex_);
  if (job.wanted != 0) {
    job.wanted = 0;  // nobody comes any more
    if (job.helpers.load() != 0) {
      lock.unlock();
      look_around([&] { return job.helpers.load(std::memory_order_relaxed) == 0; });
      lock.lock();
      done_.wait(lock, [&] { return job.helpers.load() == 0; });
    }
  }
  (job.before != nullptr ? job.before->behind : jobs_) = job.behind;
  if (job.behind != nullptr) job.behind->before = job.before;
}

bool Pool::work(Job& job, Worker& worker, unsigned place) {
  const bool caller = place == 0;
  if (!worker.begin(job, caller)) return false;
  const FloatingPointMode mode;
  Handout::Place part{place};
  uint64_t last_chunk = 0;
  const observe::Schedule* const schedule =
      job.together ? nullptr : observe::schedule_of(job.launch.observer);
  if (schedule != nullptr && caller) job.order.emplace(*schedule, job.handout.blocks());
  const bool may_summon = caller && may_share(job);
  StartedBlocks* const started = job.started ? &*job.started : nullptr;
  while (job.stop.load(std::memory_order_relaxed) == 0) {
    if (started != nullptr) started->will_take(place, job.handout.begun());
    const uint64_t all = job.handout.left();
    const float block = job.block_ticks.load(std::memory_order_relaxed);
    const float rest = static_cast<float>(all) * block;
    if (may_summon && all > 1 && rest > worth_a_helper && !job.summoned.exchange(true))
      share_and_summon(
          job, static_cast<unsigned>(std::min(
                   {rest / worth_a_helper, static_cast<float>(all - 1), static_cast<float>(threads_ - 1)})));
    const bool alone = may_summon && rest <= worth_a_helper && !job.summoned.load(std::memory_order_relaxed);
    const Handout::Blocks blocks =
        job.handout.take(part, threads_, [&](uint64_t left, unsigned threads) -> uint64_t {
          if (job.together) return left;
          if (left == 1 || job.order || job.one_by_one) return 1;
          const uint64_t least = std::min<uint64_t>(left, job.kernel.merged_blocks);
          if (!(block > 0)) return least;
          // What the last launch's blocks took need not be what these take: first some, then the rest.
          uint64_t chunk = alone && last_chunk == 0 ? left / part_to_try : left;
          if (!alone) {
            const float ideal = chunk_ticks / block;
            if (ideal < static_cast<float>(left)) chunk = static_cast<uint64_t>(ideal);
            // Towards the end smaller ones, so that all end together.
            if (threads_ > 1) chunk = std::min(chunk, left / (2 * uint64_t{threads}));
          }
          if (last_chunk != 0) chunk = std::min(chunk, last_chunk * fastest_growth);
          if (started != nullptr) chunk = std::min(chunk, started->most_of_a_thread());
          return std::max(chunk / least * least, least);
        });
    if (blocks.count == 0) break;
    if (started != nullptr && !started->took(place, blocks.first, blocks.count,
                                             [&] { return job.stop.load(std::memory_order_relaxed) != 0; }))
      break;
    const uint64_t start = ticks();
    const uint64_t first = job.order ? (*job.order)[blocks.first] : blocks.first;
    if (!worker.run(first * job.in_cluster, blocks.count * job.in_cluster)) {
      const std::lock_guard lock(mutex_);
      interrupt(job, worker.thread());
      break;
    }
    const uint64_t taken = ticks() - start;
    const uint64_t total = job.total_ticks.fetch_add(taken, std::memory_order_relaxed);
    if (total < job.patience && job.patience - total <= taken) job.impatient();
    const float each = static_cast<float>(taken) / static_cast<float>(blocks.count);
    job.block_ticks.store(block == 0 ? each : (block + each) / 2, std::memory_order_relaxed);
    last_chunk = blocks.count;
  }
  if (started != nullptr) started->ended(place);
  worker.end();
  return true;
}

bool Pool::may_share(const Job& job) const {
  const observe::Observer* const observer = job.launch.observer;
  return threads_ > 1 && job.handout.blocks() > 1 && !job.together &&
         (observer == nullptr || (observer->needs() & observe::in_order) == 0);
}

void Pool::share_and_summon(Job& job, unsigned helpers) {
  if (!job.kernel.watches && !job.started && job.handout.blocks() <= Handout::most_shared)
    job.handout.share(helpers + 1, job.kernel.merged_blocks);
  const std::lock_guard lock(mutex_);
  summon(job, helpers);
}

void Pool::summon(Job& job, unsigned helpers) {
  job.wanted = helpers;
  while (helpers_.size() < helpers) {
    Helper& helper = helpers_.emplace_back();
    helper.number = static_cast<unsigned>(helpers_.size());
    try {
      helper.thread = std::thread([this, &helper] { help(helper); });
    } catch (const std::system_error&) {
      helpers_.pop_back();  // the system has no more threads: those that are there do the work
      break;
    }
  }
  summons_.fetch_add(1, std::memory_order_release);
  if (sleeping_ == 0) return;
  if (helpers < sleeping_) {
    for (unsigned i = 0; i < helpers; ++i) work_.notify_one();
  } else {
    work_.notify_all();
  }
}

Job* Pool::choose() {
  Job* chosen = nullptr;
  for (Job* job = jobs_; job != nullptr; job = job->behind) {
    const unsigned helpers = job->helpers.load(std::memory_order_relaxed);
    if (helpers >= job->wanted || job->starved || job->stop.load(std::memory_order_relaxed) != 0 ||
        job->handout.left() == 0)
      continue;
    if (chosen == nullptr || helpers < chosen->helpers.load(std::memory_order_relaxed)) chosen = job;
  }
  return chosen;
}

void Pool::help(Helper& self) {
  Worker& worker = Worker::of_this_thread();
  std::unique_lock lock(mutex_);
  self.id = worker.thread();
  while (!quit_) {
    Job* job = choose();
    if (job == nullptr) {
      const uint32_t seen = summons_.load(std::memory_order_acquire);
      lock.unlock();
      const bool called = look_around([&] {
        return summons_.load(std::memory_order_acquire) != seen || quit_.load(std::memory_order_relaxed);
      });
      lock.lock();
      if (called) continue;
      ++sleeping_;
      work_.wait(lock, [&] { return summons_.load(std::memory_order_acquire) != seen || quit_; });
      --sleeping_;
      continue;
    }
    self.job = job;
    self.interrupted = false;
    job->helpers.fetch_add(1);
    lock.unlock();
    const bool began = work(*job, worker, self.number);
    lock.lock();
    if (!began) job->starved = true;
    self.job = nullptr;
    if (job->helpers.fetch_sub(1) == 1) done_.notify_all();
  }
}

// Once each: it is enough (Landing::run), and of two signals that come together the second one would
// interrupt the first one's handler, where nobody sees any more where the code was.
void Pool::interrupt(Job& job, pid_t except) {
  const auto once = [&](pid_t thread, bool& interrupted) {
    if (thread == except || std::exchange(interrupted, true)) return;
    Landing::interrupt(thread);
  };
  once(job.caller, job.caller_interrupted);
  for (Helper& helper : helpers_)
    if (helper.job == &job) once(helper.id, helper.interrupted);
}

// ---- the host's wishes -----------------------------------------------------------------------------------

void Pool::look_after(Job& job, steady_clock::time_point now) {
  if (job.launch.cancel != nullptr && job.launch.cancel->load(std::memory_order_relaxed))
    job.request(Stop::cancelled);
  else if (job.deadline && now >= *job.deadline)
    job.request(Stop::timeout);
  if (job.stop.load() != 0) interrupt(job, 0);
  // Whoever began it has been at its first blocks for a period.
  if (std::exchange(job.seen, true) && may_share(job) && job.handout.left() != 0 &&
      !job.summoned.exchange(true))
    summon(job, static_cast<unsigned>(std::min<uint64_t>(job.handout.left(), threads_ - 1)));
}

void Pool::watch() {
  std::unique_lock lock(mutex_);
  int idle = 0;
  while (!quit_) {
    idle = jobs_ == nullptr ? idle + 1 : 0;
    if (idle > watch_idle_periods) {
      watcher_sleeps_ = true;
      watch_.wait(lock, [this] { return watcher_wanted_ || quit_; });
      watcher_sleeps_ = watcher_wanted_ = false;
      idle = 0;
      continue;
    }
    const auto now = steady_clock::now();
    for (Job* job = jobs_; job != nullptr; job = job->behind) look_after(*job, now);
    watch_.wait_for(lock, watch_period);
  }
}

}  // namespace heddle::exec::jit
