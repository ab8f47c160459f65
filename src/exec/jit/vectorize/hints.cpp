// Hints of what will be read or written soon (prefetch.h): in fast code, since they are worth nothing where
// lanes are missing.
#include "exec/jit/transform/stream.h"
#include "exec/jit/vectorize/unit.h"
#include "exec/jit/vectorize/weaver.h"
#include "module/image.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

constexpr int64_t line = 64;

class Hint {
 public:
  Hint(Unit& unit, const llvm::CallInst& call)
      : unit_(unit),
        weaver_(unit.weaver()),
        b_(weaver_.builder),
        address_(unit.get(call.getArgOperand(0))),
        lanes_(weaver_.geometry.lanes),
        bytes_(static_cast<int64_t>(immediate(call, 2))),
        rows_(immediate(call, 3) != 0) {}

  void emit() {
    if (bytes_ == 0) return emit_read();
    if (weaver_.streams != nullptr && !pattern().uniform()) emit_written();
  }

 private:
  const Pattern& pattern() const { return address_.pattern; }

  // Lines that lie side by side, or one of each lane's row.
  void emit_read() {
    if (rows_ && !pattern().lane_uniform()) {
      for (unsigned j = 0; j < unit_.vectors(); ++j) ask_for_places(j, false);
      return;
    }
    if (!pattern().stepped()) return;
    const int64_t span = pattern().lane_step * lanes_;
    if (span < 0 || span > 4 * line) return;
    const unsigned vectors = pattern().uniform() ? 1 : unit_.vectors();
    for (unsigned j = 0; j < vectors; ++j) ask_for_row(j, std::max<int64_t>(1, span), false);
  }

  // Lines that stores will look for. Those that go past the caches (stores.cpp) look for none.
  void emit_written() {
    Value* when = weaver_.streams;
    if (is_row()) {
      const auto row = static_cast<uint64_t>(bytes_ * lanes_);
      if (is_row_of_lines(pattern(), row, unit_.vectors()))
        when = b_.CreateAnd(when, b_.CreateNot(begins_at_line(b_, weaver_.lanes.base(address_, 0u), row)));
    } else {
      when = lies_scattered();
    }
    if (when == nullptr) return;
    llvm::BasicBlock *ask = weaver_.block("ask"), *done = weaver_.block("asked");
    b_.CreateCondBr(when, ask, done);
    b_.SetInsertPoint(ask);
    for (unsigned j = 0; j < unit_.vectors(); ++j)
      is_row() ? ask_for_row(j, bytes_ * lanes_, true) : ask_for_places(j, true);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

  bool is_row() const { return pattern().stepped() && pattern().lane_step == bytes_; }

  // Each lane has a quarter of a line at least, and few share it: lines of a column are the other warps' too,
  // each of which would ask for them.
  Value* lies_scattered() {
    if (weaver_.geometry.block.count() != weaver_.geometry.block.x) return nullptr;
    const int64_t apart = line / 4, span = apart * (lanes_ - 1);
    Value* flood = weaver_.writes_stream(apart);
    if (pattern().stepped()) return std::abs(pattern().lane_step) >= apart ? flood : nullptr;
    Value* places = weaver_.lanes.vector(address_, 0);
    Value* reach = b_.CreateSub(b_.CreateExtractElement(places, static_cast<uint64_t>(lanes_ - 1)),
                                b_.CreateExtractElement(places, uint64_t{0}));
    Value* near = b_.CreateICmpULT(b_.CreateAdd(reach, b_.getInt64(static_cast<uint64_t>(span - 1))),
                                   b_.getInt64(static_cast<uint64_t>(2 * span - 1)));
    return b_.CreateAnd(flood, b_.CreateNot(near));
  }

  void ask_for_row(unsigned j, int64_t span, bool written) {
    for (int64_t at = 0; at < span; at += line)
      ask(b_.CreateAdd(weaver_.lanes.base(address_, j), b_.getInt64(static_cast<uint64_t>(at))), written);
  }

  void ask_for_places(unsigned j, bool written) {
    const int64_t step = pattern().stepped() ? std::abs(pattern().lane_step) : line;
    Value* places = weaver_.lanes.vector(address_, j);
    for (int64_t lane = 0; lane < lanes_; lane += std::max<int64_t>(1, line / step))
      ask(b_.CreateExtractElement(places, static_cast<uint64_t>(lane)), written);
  }

  // What is read goes to the second cache: it is far ahead, and more of its lines can be on their way at once
  // (an AMD EPYC reads rows of 4 KiB that lie apart in 23 instead of 41 ms so).
  void ask(Value* place, bool written) {
    constexpr unsigned first_cache = 3, second_cache = 2;
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                       {b_.CreateIntToPtr(place, b_.getPtrTy()), b_.getInt32(written ? 1 : 0),
                        b_.getInt32(written ? first_cache : second_cache), b_.getInt32(1)});
  }

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  const Rep address_;
  const int64_t lanes_;
  const int64_t bytes_;  // that each thread will write; 0: what it will read
  const bool rows_;      // each thread a line of a row of its own
};

}  // namespace

void emit_prefetch(Unit& unit, const llvm::CallInst& call) {
  const auto space = static_cast<module::Space>(immediate(call, 1));
  if (!unit.masked() && space == module::Space::global) Hint(unit, call).emit();
}

}  // namespace heddle::exec::jit
