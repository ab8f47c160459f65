// Whether rows of memory that a loop goes along lie apart (tested_rows.h): asked once for all threads of a
// unit.
#include "exec/jit/vectorize/unit.h"

namespace heddle::exec::jit {

namespace {

using llvm::Value;

class RowTest {
 public:
  explicit RowTest(Unit& unit)
      : unit_(unit), weaver_(unit.weaver()), b_(weaver_.builder), lanes_(weaver_.lanes), all_(b_.getTrue()) {}

  Value* run(const llvm::CallInst& call) {
    all_are(unit_.get(call.getArgOperand(0)));
    const auto written = static_cast<unsigned>(immediate(call, 1));
    llvm::SmallVector<Row, 8> rows;
    for (unsigned a = 2; a + 1 < call.arg_size(); a += 2)
      rows.push_back(row_of(unit_.get(call.getArgOperand(a)), unit_.get(call.getArgOperand(a + 1))));
    for (unsigned w = 0; w < written; ++w) {
      lanes_apart(rows[w]);
      for (unsigned r = w + 1; r < rows.size(); ++r) apart(rows[w].whole, rows[r].whole);
    }
    return all_;
  }

 private:
  struct Range {
    Value *begin, *end;
  };
  struct Row {
    Rep first;
    Value* bytes;                           // at most
    llvm::SmallVector<Range, 4> of_vector;  // all lanes'
    Range whole;
  };

  void hold(Value* condition) { all_ = b_.CreateAnd(all_, condition); }
  Value* lowest(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); }
  Value* highest(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, a, b); }

  void all_are(const Rep& sure) {
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      if (sure.pattern.lane_uniform()) {
        hold(lanes_.base(sure, j));
        if (sure.pattern.uniform()) return;
        continue;
      }
      Value* bits = unit_.bits(lanes_.vector(sure, j));
      hold(b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())));
    }
  }

  Row row_of(const Rep& first, const Rep& bytes) {
    Row row{first, nullptr, {}, {}};
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      Value* most = bytes.pattern.lane_uniform() ? lanes_.base(bytes, j)
                                                 : b_.CreateIntMaxReduce(lanes_.vector(bytes, j), false);
      row.bytes = row.bytes == nullptr ? most : highest(row.bytes, most);
      if (bytes.pattern.uniform()) break;
    }
    hold(b_.CreateICmpULT(row.bytes, limit()));
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      Value *low = nullptr, *high = nullptr;
      if (first.pattern.stepped()) {
        const int64_t way = first.pattern.lane_step * (int64_t{lanes_.lanes()} - 1);
        low = lanes_.base(first, j), high = b_.CreateAdd(low, b_.getInt64(static_cast<uint64_t>(way)));
        if (way < 0) std::swap(low, high);
      } else {
        low = b_.CreateIntMinReduce(lanes_.vector(first, j), false);
        high = b_.CreateIntMaxReduce(lanes_.vector(first, j), false);
      }
      // No sum wraps then.
      hold(b_.CreateAnd(b_.CreateICmpULT(high, limit()), b_.CreateICmpULE(low, high)));
      const Range range{low, b_.CreateAdd(high, row.bytes)};
      row.of_vector.push_back(range);
      row.whole = j == 0 ? range : Range{lowest(row.whole.begin, low), highest(row.whole.end, range.end)};
    }
    return row;
  }

  Value* limit() { return b_.getInt64(uint64_t{1} << 62); }
  Value* before(const Range& a, const Range& b) { return b_.CreateICmpULE(a.end, b.begin); }
  void apart(const Range& a, const Range& b) { hold(b_.CreateOr(before(a, b), before(b, a))); }

  // Lanes of a vector begin equally far from one another, farther than they are long; the vectors of a warp
  // lie one behind the other, this way round or that. Between warps there is no order.
  void lanes_apart(const Row& row) {
    const unsigned n = lanes_.lanes(), warp = weaver_.geometry.warp_vectors();
    for (unsigned j = 0; j < unit_.vectors(); ++j) {
      Value* step = nullptr;
      if (row.first.pattern.stepped()) {
        step = b_.getInt64(static_cast<uint64_t>(row.first.pattern.lane_step));
      } else {
        Value* places = lanes_.vector(row.first, j);
        Value* base = b_.CreateExtractElement(places, uint64_t{0});
        step = b_.CreateSub(b_.CreateExtractElement(places, uint64_t{1}), base);
        llvm::SmallVector<llvm::Constant*, 16> numbers;
        for (unsigned lane = 0; lane < n; ++lane) numbers.push_back(b_.getInt64(lane));
        Value* even =
            b_.CreateAdd(b_.CreateVectorSplat(n, base),
                         b_.CreateMul(b_.CreateVectorSplat(n, step), llvm::ConstantVector::get(numbers)));
        Value* bits = unit_.bits(b_.CreateICmpEQ(places, even));
        hold(b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType())));
      }
      hold(b_.CreateICmpUGE(b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, step, b_.getFalse()), row.bytes));
    }
    for (unsigned first = 0; first < unit_.vectors() && warp > 1; first += warp) {
      Value *up = b_.getTrue(), *down = b_.getTrue();
      for (unsigned j = first; j + 1 < first + warp; ++j) {
        up = b_.CreateAnd(up, before(row.of_vector[j], row.of_vector[j + 1]));
        down = b_.CreateAnd(down, before(row.of_vector[j + 1], row.of_vector[j]));
      }
      hold(b_.CreateOr(up, down));
    }
  }

  Unit& unit_;
  Weaver& weaver_;
  llvm::IRBuilder<>& b_;
  LaneBuilder& lanes_;
  Value* all_;
};

}  // namespace

// Under masks the loop stays as it is.
void emit_rows_apart(Unit& unit, const llvm::CallInst& call) {
  llvm::IRBuilder<>& b = unit.weaver().builder;
  unit.define(&call, {unit.patterns().of(&call), {unit.masked() ? b.getFalse() : RowTest(unit).run(call)}});
}

}  // namespace heddle::exec::jit
