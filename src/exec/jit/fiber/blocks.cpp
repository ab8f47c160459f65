#include "exec/jit/fiber/blocks.h"

#include <cstring>

#include "exec/fault.h"
#include "exec/jit/passes/costs.h"
#include "support/thread_object.h"

namespace heddle::exec::jit {

namespace {

void copy_bytes(std::byte* to, const std::byte* from, uint64_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace

void Blocks::run(Context& context, uint64_t first, uint64_t count, const BlockKernel& kernel) {
  hooks_.begin_host(&context);
  running_ = in_place_ = nullptr;
  kernel_ = kernel;
  workers_ = {.local = context.local, .slots = context.slots};
  if (!turns_.run(context, first, count, true, *this))
    hooks_.fault(&context, ~0u, static_cast<uint32_t>(FaultKind::out_of_resources), 0, 0, 0, 0, 0);
  context.local = workers_.local;
  context.slots = workers_.slots;
  hooks_.end_host(&context);
}

// One block uses the worker's memory. Several take turns in its shared memory, whose place the code knows by
// heart, and have local memory and slots of their own; the one that began alone keeps the worker's.
bool Blocks::make_room(Context& context, std::size_t place, bool alone) {
  if (place == blocks_.size()) blocks_.push_back(std::make_unique<Block>());
  Block& block = *blocks_[place];
  if (!block.stack.reserve(1, vector_stack_bytes, place)) return false;
  if (in_place_ == &block) in_place_ = nullptr;
  if (alone) {
    in_place_ = nullptr;
    block.kept = workers_;
    return true;
  }
  if (in_place_ != nullptr && in_place_->kept.shared == nullptr) {
    if (!keep_apart(context, *in_place_)) return false;
    in_place_->kept.local = workers_.local;
    in_place_->kept.slots = workers_.slots;
  }
  return keep_apart(context, block);
}

bool Blocks::keep_apart(const Context& context, Block& block) const {
  if (!block.own.reserve(context, 1, kernel_.local_bytes, kernel_.slot_bytes)) return false;
  block.kept = block.own.of(0);
  return true;
}

void Blocks::begin(Context& context, std::size_t place, uint64_t number) {
  Block& block = *blocks_[place];
  block.context = &context;
  block.entry = kernel_.entry;
  block.number = number;
  block.living = true;
  block.quiet = 0;
  block.first_thread = block.active = 0;
  find_block(context, number, block.block);
  start(block, &run_block, block.stack.top(0));
}

void Blocks::enter(Context& context, Block& block) {
  const auto change = [&](Block& other, bool out) {
    if (other.kept.shared == nullptr) return;
    const auto one = [&](std::byte* kept, std::byte* used, uint64_t bytes) {
      out ? copy_bytes(kept, used, bytes) : copy_bytes(used, kept, bytes);
    };
    one(other.kept.shared, context.shared, context.shared_bytes);
    one(other.kept.reserved, context.reserved_shared, context.reserved_shared_bytes);
  };
  if (in_place_ != &block) {
    if (in_place_ != nullptr && in_place_->living) change(*in_place_, true);
    change(block, false);
    in_place_ = &block;
  }
  context.slots = block.kept.slots;
  context.local = block.kept.local;
  std::memcpy(context.block, block.block, sizeof context.block);
  context.first_thread = block.first_thread;
  context.active = block.active;
}

Turn Blocks::go_on(Context& context, std::size_t place) {
  Block& block = *blocks_[place];
  context.cluster_number = static_cast<uint32_t>(place);
  enter(context, block);
  running_ = &block;
  hooks_.end_host(&context);
  heddle_jit_resume(&block);
  hooks_.begin_host(&context);
  running_ = nullptr;
  if (block.request.want == Want::end) {
    block.living = false;
    return Turn::ended;
  }
  block.first_thread = context.first_thread;
  block.active = context.active;
  // Whether it did something before it waited nobody knows. That further blocks begin too early does no harm.
  return block.request.what != 0 ? Turn::looked : Turn::spent;
}

// UBSan looks for a function's type in front of it; before machine code of ours there may be no page.
__attribute__((no_sanitize("function"))) void Blocks::run_block(Fiber* fiber) {
  auto* block = static_cast<Block*>(fiber);
  block->entry(block->context, block->number, 1);
  block->request.want = Want::end;
  heddle_jit_yield(block);
}

void Blocks::give_way(bool waits) {
  Block& block = *running_;
  if (waits) {
    // What a block that is alone waits for is another worker's, which is most often about to do it.
    if (!turns_.several() && ++block.quiet % cost::quiet_rounds_of_warps != 0) return;
  } else if (!turns_.is_spent()) {
    return;
  }
  block.request.want = Want::turn;
  block.request.what = waits ? 1 : 0;
  heddle_jit_yield(&block);
}

Blocks& worker_blocks() { return thread_object<Blocks>(worker_hooks()); }

extern "C" void heddle_jit_give_way(Context* context, uint32_t waits) {
  if (context->takes_turns != 0) worker_blocks().give_way(waits != 0);
}

}  // namespace heddle::exec::jit
