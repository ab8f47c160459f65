#include "observe/several.h"

#include <utility>

#include "observe/carried.h"
#include "observe/choice.h"
#include "observe/operands.h"
#include "observe/schedule.h"
#include "observe/texels.h"
#include "observe/time.h"
#include "observe/values_of.h"

namespace heddle::observe {

namespace {

Needs needs_of(const std::vector<Observer*>& observers) {
  // What one of them needs is told, and windows are of one sink alone.
  unsigned all = nothing, spared = spares & ~unsigned{spares_windows};
  for (const Observer* observer : observers) {
    all |= observer->needs() & ~unsigned{spares};
    if ((observer->needs() & accesses) != 0) spared &= observer->needs();
  }
  return static_cast<Needs>(all | ((all & accesses) != 0 ? spared : 0));
}

}  // namespace

// The addresses of an access may be changed by nobody, so all can have the same.
class Several::Fan final : public OperandSink,
                           public ValueKindsSink,
                           public CarriedSink,
                           public TexelSink,
                           public ChoosingSink,
                           public TimeSink,
                           public ScheduledSink {
 public:
  explicit Fan(const std::vector<Observer*>& observers) {
    for (Observer* observer : observers) {
      Sink& sink = observer->sink();
      if (schedule_ == nullptr) schedule_ = schedule_of(observer);
      if ((observer->needs() & counts) != 0) counting_.push_back(&sink);
      if ((observer->needs() & accesses) != 0) accessing_.push_back(&sink);
      if ((observer->needs() & visits) != 0) visiting_.push_back(&sink);
      if ((observer->needs() & syncs) != 0) syncing_.push_back(&sink);
      choosing_.push_back(choosing_sink(&sink));
      if ((observer->needs() & (accesses | visits)) != 0)
        all_choose_ = all_choose_ && choosing_.back() != nullptr;
      if (TexelSink* texels = texel_sink(&sink)) looking_.push_back(texels);
      if (timing_ == nullptr) timing_ = time_sink(&sink);
      if (const uint8_t kinds = values_of(observer); kinds != no_values) {
        // Nothing is only counted unless each of them can add up.
        const bool counts = (kinds & counts_carried) != 0 && carrying_.size() == valuing_.size();
        values_ = static_cast<uint8_t>((values_ | kinds) & ~unsigned{counts_carried});
        if (counts) values_ |= counts_carried, carrying_.push_back(dynamic_cast<CarriedSink*>(&sink));
        valuing_.push_back(static_cast<ValueSink*>(&sink));
        if ((kinds & all_operands) != 0) following_.push_back(static_cast<OperandSink*>(&sink));
      }
    }
  }
  void access(const Access& access) override {
    for (Sink* sink : accessing_) sink->access(access);
    choose();
  }
  void visit(const Visit& visit) override {
    for (Sink* sink : visiting_) sink->visit(visit);
    choose();
  }
  void sync(const Sync& sync) override {
    for (Sink* sink : syncing_) sink->sync(sync);
  }
  uint8_t values() const override { return values_; }
  const Schedule* schedule() const override { return schedule_; }
  void value(const Value& value) override {
    for (ValueSink* sink : valuing_) sink->value(value);
  }
  void carried(Place place, const Carried& carried) override {
    for (CarriedSink* sink : carrying_) sink->carried(place, carried);
  }
  void executed(const Executed& executed) override {
    for (OperandSink* sink : following_) sink->executed(executed);
  }
  void count(Place place, const Count& count) override {
    for (Sink* sink : counting_) sink->count(place, count);
  }
  bool wants_texels() const override { return !looking_.empty(); }
  void look(const Look& look) override {
    for (TexelSink* sink : looking_) sink->look(look);
  }
  bool chooses() const override { return all_choose_; }
  void begin(uint64_t block, uint32_t& warps) override {
    told_ = &warps;
    wanted_.assign(choosing_.size(), 0);
    for (std::size_t i = 0; i < choosing_.size(); ++i)
      if (choosing_[i] != nullptr) choosing_[i]->begin(block, wanted_[i]);
    choose();
  }
  // A program can be told one time: that of the first of them who tells any.
  bool tells_time() const override { return timing_ != nullptr; }
  Time time(const TimeAsked& asked) override { return timing_->time(asked); }

 private:
  // The warps that one of them wants to be told of.
  void choose() {
    if (told_ == nullptr) return;
    *told_ = 0;
    for (const uint32_t warps : wanted_) *told_ |= warps;
  }

  std::vector<Sink*> counting_, accessing_, visiting_, syncing_;
  std::vector<TexelSink*> looking_;
  std::vector<ValueSink*> valuing_;
  std::vector<CarriedSink*> carrying_;
  std::vector<OperandSink*> following_;
  std::vector<ChoosingSink*> choosing_;  // by observer; nullptr: it does not choose
  std::vector<uint32_t> wanted_;         // likewise
  uint32_t* told_ = nullptr;
  bool all_choose_ = true;
  TimeSink* timing_ = nullptr;
  uint8_t values_ = no_values;
  const Schedule* schedule_ = nullptr;
};

Several::Several(std::vector<Observer*> observers)
    : observers_(std::move(observers)), needs_(needs_of(observers_)) {}
Several::~Several() = default;

Sink& Several::sink() {
  auto fan = std::make_unique<Fan>(observers_);
  const std::lock_guard lock(mutex_);
  return *fans_.emplace_back(std::move(fan));
}

}  // namespace heddle::observe
