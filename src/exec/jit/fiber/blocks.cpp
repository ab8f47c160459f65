#include "exec/jit/fiber/blocks.h"

#include <cstring>

#include "exec/fault.h"
#include "exec/memory_map.h"
#include "support/thread_object.h"

namespace heddle::exec::jit {

namespace {

// Frames of vector code with everything that it spills; pages are taken when they are touched.
constexpr std::size_t block_stack_bytes = std::size_t{512} << 10;

}  // namespace

void Blocks::run(Context& context, uint64_t first, uint64_t count, const BlockKernel& kernel) {
  hooks_.begin_host(&context);
  running_ = nullptr;
  if (!memory_.reserve(context, count, kernel.local_bytes, kernel.slot_bytes) ||
      !stacks_.reserve(count, block_stack_bytes))
    hooks_.fault(&context, ~0u, static_cast<uint32_t>(FaultKind::out_of_resources), 0, 0, 0, 0, 0);
  blocks_.assign(count, Block());
  for (uint64_t i = 0; i < count; ++i) {
    Block& block = blocks_[i];
    block.context = &context;
    block.entry = kernel.entry;
    block.number = first + i;
    block.memory = memory_.of(i);
    start(block, &run_block, stacks_.top(i));
  }
  std::byte *const own_slots = context.slots, *const own_local = context.local;
  for (uint64_t living = count; living != 0;) {
    for (Block& block : blocks_) {
      if (block.ended) continue;
      go_on(context, block);
      if (block.ended) --living;
    }
  }
  context.slots = own_slots;
  context.local = own_local;
  hooks_.end_host(&context);
}

void Blocks::go_on(Context& context, Block& block) {
  const GroupMemory::Place& kept = block.memory;
  context.slots = kept.slots;
  context.local = kept.local;
  if (block.begun) {
    std::memcpy(context.block, block.block, sizeof context.block);
    context.first_thread = block.first_thread;
    context.active = block.active;
    std::memcpy(context.shared, kept.shared, context.shared_bytes);
    std::memcpy(context.reserved_shared, kept.reserved, context.reserved_shared_bytes);
  }
  block.begun = true;
  running_ = &block;
  hooks_.end_host(&context);
  heddle_jit_resume(&block);
  hooks_.begin_host(&context);
  running_ = nullptr;
  if (block.request.want == Want::end) {
    block.ended = true;
    return;
  }
  std::memcpy(block.block, context.block, sizeof context.block);
  block.first_thread = context.first_thread;
  block.active = context.active;
  std::memcpy(kept.shared, context.shared, context.shared_bytes);
  std::memcpy(kept.reserved, context.reserved_shared, context.reserved_shared_bytes);
}

// UBSan looks for a function's type in front of it; before machine code of ours there may be no page.
__attribute__((no_sanitize("function"))) void Blocks::run_block(Fiber* fiber) {
  auto* block = static_cast<Block*>(fiber);
  block->entry(block->context, block->number, 1);
  block->request.want = Want::end;
  heddle_jit_yield(block);
}

void Blocks::give_way() {
  if (running_ == nullptr) return;
  running_->request.want = Want::turn;
  heddle_jit_yield(running_);
}

Blocks& worker_blocks() { return thread_object<Blocks>(worker_hooks()); }

extern "C" void heddle_jit_give_way(Context* context) {
  if (context->together != 0) worker_blocks().give_way();
}

}  // namespace heddle::exec::jit
