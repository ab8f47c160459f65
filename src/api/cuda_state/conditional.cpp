#include "api/cuda_state/conditional.h"

#include <atomic>

namespace heddle::cuda {
namespace {

class Conditional final : public runtime::Operation {
 public:
  Conditional(ConditionRef value, ConditionalKind kind, std::vector<Body> bodies)
      : value_(std::move(value)), kind_(kind), bodies_(std::move(bodies)) {}

  bool is_launch() const override { return true; }
  runtime::Done run(runtime::Context& context, runtime::Task& task) const override {
    switch (kind_) {
      case ConditionalKind::if_:
        if (value_->read() != 0) return run(bodies_[0], context, task);
        return bodies_.size() > 1 ? run(bodies_[1], context, task) : runtime::Done(Unit{});
      case ConditionalKind::while_:
        while (value_->read() != 0) {
          if (context.cancelled().load(std::memory_order_relaxed)) return context.check();
          if (runtime::Done done = run(bodies_[0], context, task); !done) return done;
        }
        return Unit{};
      case ConditionalKind::switch_: {
        const uint32_t chosen = value_->read();
        return chosen < bodies_.size() ? run(bodies_[chosen], context, task) : runtime::Done(Unit{});
      }
    }
    return Unit{};
  }

 private:
  static runtime::Done run(const Body& body, runtime::Context& context, runtime::Task& task) {
    for (const runtime::OperationRef& operation : body)
      if (runtime::Done done = operation->run(context, task); !done) return done;
    return Unit{};
  }

  const ConditionRef value_;
  const ConditionalKind kind_;
  const std::vector<Body> bodies_;
};

class Assignment final : public runtime::Operation {
 public:
  explicit Assignment(std::vector<ConditionRef> values) : values_(std::move(values)) {}
  runtime::Done run(runtime::Context&, runtime::Task&) const override {
    for (const ConditionRef& value : values_) value->assign_usual();
    return Unit{};
  }

 private:
  const std::vector<ConditionRef> values_;
};

}  // namespace

Answer<ConditionRef> ConditionValue::create(Context& context, uint32_t usual, bool every_launch) {
  auto memory = context.runtime()->allocate_host(sizeof usual, true);
  if (!memory) return failure_of(memory.error());
  return std::make_shared<ConditionValue>(*memory, context.process().system(), usual, every_launch);
}

ConditionValue::ConditionValue(runtime::AllocationRef memory, runtime::System& system, uint32_t usual,
                               bool every_launch)
    : memory_(std::move(memory)), system_(system), usual_(usual), every_launch_(every_launch) {
  assign_usual();
}
ConditionValue::~ConditionValue() { system_.memory().release(memory_); }

uint32_t ConditionValue::read() const {
  return std::atomic_ref(*reinterpret_cast<uint32_t*>(memory_->address)).load(std::memory_order_acquire);
}

void ConditionValue::assign_usual() const {
  std::atomic_ref(*reinterpret_cast<uint32_t*>(memory_->address)).store(usual_, std::memory_order_release);
}

runtime::OperationRef make_conditional(const ConditionalWork& work, std::vector<Body> bodies) {
  return std::make_shared<Conditional>(work.value, work.kind, std::move(bodies));
}

runtime::OperationRef make_assignment(std::vector<ConditionRef> values) {
  return std::make_shared<Assignment>(std::move(values));
}

}  // namespace heddle::cuda
