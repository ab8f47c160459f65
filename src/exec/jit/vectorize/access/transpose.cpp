#include "exec/jit/vectorize/access/transpose.h"

#include <algorithm>
#include <bit>

#include "llvm/IR/DerivedTypes.h"

namespace heddle::exec::jit {

using llvm::Value;

namespace {

using Registers = llvm::SmallVector<Value*, 16>;
using Mask = llvm::SmallVector<int, 64>;

unsigned size_of(const Value* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

class Transposition {
 public:
  Transposition(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> rows)
      : b_(builder),
        rows_(rows),
        count_(static_cast<unsigned>(rows.size())),
        columns_(size_of(rows[0])),
        chunk_(16 / (rows[0]->getType()->getScalarSizeInBits() / 8)) {}

  Registers run() {
    if (count_ == 1) return single();
    if (columns_ < chunk_) return short_rows();
    const unsigned together = std::min(chunk_, count_);
    std::vector<Registers> groups;
    for (unsigned first = 0; first < count_; first += together) {
      Registers group(rows_.begin() + first, rows_.begin() + first + together);
      for (unsigned round = 1; round < together; round *= 2) group = zip_halves(group);
      groups.push_back(std::move(group));
    }
    Registers result(columns_);
    if (groups.size() == 1) {
      for (unsigned column = 0; column < columns_; ++column) {
        const unsigned in_chunk = column % chunk_ * together;
        result[column] =
            slice(b_, groups[0][in_chunk / chunk_], column / chunk_ * chunk_ + in_chunk % chunk_, together);
      }
      return result;
    }
    for (unsigned q = 0; q < chunk_; ++q) {
      Registers of_column;
      for (const Registers& group : groups) of_column.push_back(group[q]);
      const Registers whole = chunks(of_column);
      for (unsigned h = 0; h < whole.size(); ++h) result[h * chunk_ + q] = whole[h];
    }
    return result;
  }

 private:
  Registers single() {
    Registers result;
    for (unsigned column = 0; column < columns_; ++column) result.push_back(slice(b_, rows_[0], column, 1));
    return result;
  }

  // Rows of less than a chunk: all in one, and what is in step out of it.
  Registers short_rows() {
    Value* all = concatenate(b_, rows_);
    Registers result;
    for (unsigned column = 0; column < columns_; ++column) {
      Mask mask;
      for (unsigned row = 0; row < count_; ++row) mask.push_back(static_cast<int>(row * columns_ + column));
      result.push_back(b_.CreateShuffleVector(all, mask));
    }
    return result;
  }

  // In every chunk, with the registers' elements numbered from the first register's to the last one's: bits
  // of the number rotate to the left by one. As often as the number of registers has bits, and they have
  // changed places with those of the columns.
  Registers zip_halves(const Registers& in) {
    Registers out;
    for (unsigned i = 0; i < in.size() / 2; ++i)
      for (const unsigned half : {0u, chunk_ / 2}) {
        Mask mask;
        for (unsigned at = 0; at < columns_; at += chunk_)
          for (unsigned e = 0; e < chunk_ / 2; ++e) {
            mask.push_back(static_cast<int>(at + half + e));
            mask.push_back(static_cast<int>(columns_ + at + half + e));
          }
        out.push_back(b_.CreateShuffleVector(in[i], in[i + in.size() / 2], mask));
      }
    return out;
  }

  // The same for chunks as elements, any number of registers: G registers of H chunks, H of G.
  Registers chunks(const Registers& in) {
    const unsigned count = static_cast<unsigned>(in.size()), width = columns_ / chunk_;
    const unsigned side = std::min(count, width);
    std::vector<Registers> parts(width);
    for (unsigned first = 0; first < count; first += side)
      for (unsigned at = 0; at < width; at += side) {
        Registers square;
        for (unsigned i = 0; i < side; ++i)
          square.push_back(slice(b_, in[first + i], at * chunk_, side * chunk_));
        for (unsigned round = 1; round < side; round *= 2) square = separate(square, side);
        for (unsigned i = 0; i < side; ++i) parts[at + i].push_back(square[i]);
      }
    Registers out;
    for (const Registers& column : parts) out.push_back(concatenate(b_, column));
    return out;
  }

  // Chunks at even places, and at odd ones: the bits rotate to the right.
  Registers separate(const Registers& in, unsigned side) {
    Registers out(in.size());
    for (unsigned i = 0; i < in.size() / 2; ++i)
      for (const unsigned odd : {0u, 1u}) {
        Mask mask;
        for (unsigned c = odd; c < 2 * side; c += 2)
          for (unsigned e = 0; e < chunk_; ++e) mask.push_back(static_cast<int>(c * chunk_ + e));
        out[i + odd * in.size() / 2] = b_.CreateShuffleVector(in[2 * i], in[2 * i + 1], mask);
      }
    return out;
  }

  llvm::IRBuilder<>& b_;
  llvm::ArrayRef<Value*> rows_;
  const unsigned count_, columns_, chunk_;  // chunk: elements of 16 bytes
};

}  // namespace

llvm::SmallVector<Value*, 16> transpose(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> rows) {
  return Transposition(builder, rows).run();
}

Value* concatenate(llvm::IRBuilder<>& builder, llvm::ArrayRef<Value*> parts) {
  llvm::SmallVector<Value*, 16> joined(parts.begin(), parts.end());
  while (joined.size() > 1) {
    llvm::SmallVector<Value*, 16> pairs;
    Mask mask;
    for (unsigned i = 0; i < 2 * size_of(joined[0]); ++i) mask.push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < joined.size(); i += 2)
      pairs.push_back(builder.CreateShuffleVector(joined[i], joined[i + 1], mask));
    joined = std::move(pairs);
  }
  return joined[0];
}

Value* slice(llvm::IRBuilder<>& builder, Value* vector, unsigned first, unsigned count) {
  if (count == size_of(vector)) return vector;
  Mask mask;
  for (unsigned i = 0; i < count; ++i) mask.push_back(static_cast<int>(first + i));
  return builder.CreateShuffleVector(vector, mask);
}

}  // namespace heddle::exec::jit
