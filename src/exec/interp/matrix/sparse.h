// Half of A's elements along k are zero and not stored; metadata says where the stored ones stand (PTX
// ISA 9.7.14.6.1, for warpgroups 9.7.15.6.1).
#pragma once

#include "exec/interp/matrix/fragment.h"

namespace heddle::exec::interp {

// How stored elements are chosen: of every `of` elements along k, groups of `together` neighbours are kept or
// not. An index takes two bits, and a choice of one in two is written as one of 0b0100 and 0b1110 (tf32): its
// groups are halves of elements.
struct Sparsity {
  int of;        // elements along k that four bits of metadata describe
  int kept;      // of which are stored
  int together;  // stored side by side under one index
};

inline Sparsity sparsity_of(const ElementType& e) {
  if (e.bits == 32) return {2, 1, 1};  // tf32: one of two
  if (e.bits == 4) return {8, 4, 2};   // four of eight, in pairs
  return {4, 2, 1};
}

// The operand with the metadata, and the one that says which lanes of a quad count where fewer than four are
// needed.
struct Metadata {
  int operand, selector;
};

// The 4 bits that describe group `index` of a row. For 16- and 32-bit elements a lane has four groups of row
// g in its low half-word and four of row g + 8 in the high one; for smaller elements it has eight groups of
// one row, the lane after it those of row g + 8.
inline unsigned nibble(const Step& s, Metadata metadata, bool small, int row, int index, int groups) {
  const int lanes = groups / 4;  // of the quad, for both rows
  const int first = static_cast<int>(s.operand(metadata.selector).value) * lanes, lower = row >> 3;
  const int offset = small ? 2 * (index / 8) + lower : index / 4;
  const int shift = small ? 4 * (index % 8) : 16 * lower + 4 * (index % 4);
  return s.get<uint32_t>(metadata.operand, 4 * (row & 7) + (first + offset) % 4) >> shift & 15;
}

// Column of stored element `i` of a row.
inline int column_of(const Step& s, Metadata metadata, const Sparsity& sparsity, bool small, int row, int i,
                     int groups) {
  const int group = i / sparsity.kept, inside = i % sparsity.kept;
  const unsigned bits = nibble(s, metadata, small, row, group, groups);
  if (sparsity.of == 2) return 2 * group + (bits == 0b1110 ? 1 : 0);
  const int chosen = static_cast<int>(bits >> 2 * (inside / sparsity.together) & 3);
  return sparsity.of * group + chosen * sparsity.together + inside % sparsity.together;
}

// A with all of its k columns, of the stored half.
template <class T>
Matrix<T> spread(const Step& s, Metadata metadata, const ElementType& e, Matrix<T>& packed, int k) {
  const Sparsity sparsity = sparsity_of(e);
  const int groups = k / sparsity.of;
  Matrix<T> full(packed.rows, k);
  for (int row = 0; row < packed.rows; ++row)
    for (int i = 0; i < packed.columns; ++i)
      full.at(row, column_of(s, metadata, sparsity, e.bits < 16, row, i, groups)) = packed.at(row, i);
  return full;
}

}  // namespace heddle::exec::interp
