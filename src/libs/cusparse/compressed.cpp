#include "libs/cusparse/compressed.h"

namespace heddle::cusparse {

void bad_index(const void* place, std::size_t bytes, const char* words) {
  throw libs::BadAccess{reinterpret_cast<uint64_t>(place), bytes, false, words};
}

SparseMatrix of_batch(SparseMatrix m, int batch) {
  const auto move = [&](void*& pointer, int64_t stride, std::size_t bytes) {
    if (pointer != nullptr) pointer = moved(pointer, stride * batch, bytes);
  };
  move(m.offsets, m.offset_stride, bytes_of(m.offset_index));
  move(m.places, m.place_stride, bytes_of(m.place_index));
  move(m.values, m.value_stride, bytes_of(m.type));
  return m;
}

template <class N, class I>
Compressed<N, I>::Compressed(Access& access, const SparseMatrix& whole, int batch) {
  const SparseMatrix m = of_batch(whole, batch);
  const int64_t block = m.block_rows * m.block_columns;
  switch (m.format) {
    case CUSPARSE_FORMAT_CSR:
    case CUSPARSE_FORMAT_CSC: {
      turned_ = m.format == CUSPARSE_FORMAT_CSC;
      const int64_t rows = turned_ ? m.columns : m.rows, columns = turned_ ? m.rows : m.columns;
      if (rows == 0) {
        owned_.offsets = {0};
        view_ = owned_.view(0, columns);
        return;
      }
      offsets_ = std::make_unique<Indices<I>>(access, m.offsets, rows + 1, m.offset_index);
      check_offsets(offsets_->data(), rows, m.base, m.count);
      places_ = std::make_unique<Indices<I>>(access, m.places, m.count, m.place_index);
      values_ = std::make_unique<Values<N>>(access, m.values, m.count, m.type);
      view_ = {rows, columns, offsets_->data(), places_->data(), values_->data(), static_cast<I>(m.base)};
      return;
    }
    case CUSPARSE_FORMAT_COO:
      places_ = std::make_unique<Indices<I>>(access, m.places, m.count, m.place_index);
      values_ = std::make_unique<Values<N>>(access, m.values, m.count, m.type);
      coordinates(access, m, m.offsets);
      return;
    case CUSPARSE_FORMAT_BSR:
      places_ = std::make_unique<Indices<I>>(access, m.places, m.count / block, m.place_index);
      values_ = std::make_unique<Values<N>>(access, m.values, m.count, m.type);
      blocks(access, m, m.offsets);
      return;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      places_ = std::make_unique<Indices<I>>(
          access, m.places, (m.rows / m.block_rows) * (m.width / m.block_columns), m.place_index);
      values_ = std::make_unique<Values<N>>(access, m.values, m.count, m.type);
      blocked_ell(m);
      return;
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
      places_ = std::make_unique<Indices<I>>(access, m.places, m.padded, m.place_index);
      values_ = std::make_unique<Values<N>>(access, m.values, m.padded, m.type);
      sliced_ell(access, m, m.offsets);
      return;
  }
  refuse(Why::not_supported, "a format that is none");
}

template <class N, class I>
void Compressed<N, I>::take(Owned<N, I> owned, int64_t rows, int64_t columns) {
  owned_ = std::move(owned);
  view_ = owned_.view(rows, columns);
}

// By rows already, as documented, only offsets are made; else all is copied.
template <class N, class I>
void Compressed<N, I>::coordinates(Access& access, const SparseMatrix& m, const void* memory) {
  const Indices<I> rows(access, memory, m.count, m.offset_index);
  check_places(rows.data(), m.count, m.base, m.rows);
  const I base = static_cast<I>(m.base);
  owned_.offsets.assign(static_cast<std::size_t>(m.rows + 1), 0);
  bool in_order = true;
  for (int64_t p = 0; p < m.count; ++p) {
    ++owned_.offsets[static_cast<std::size_t>(rows.data()[p] - base) + 1];
    in_order &= p == 0 || rows.data()[p] >= rows.data()[p - 1];
  }
  std::partial_sum(owned_.offsets.begin(), owned_.offsets.end(), owned_.offsets.begin());
  if (in_order) {
    for (I& offset : owned_.offsets) offset += base;
    view_ = {m.rows, m.columns, owned_.offsets.data(), places_->data(), values_->data(), base};
    return;
  }
  std::vector<I> next(owned_.offsets.begin(), owned_.offsets.end() - 1);
  owned_.places.resize(static_cast<std::size_t>(m.count));
  sources_.resize(static_cast<std::size_t>(m.count));
  for (int64_t p = 0; p < m.count; ++p) {
    const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(rows.data()[p] - base)]++);
    owned_.places[to] = places_->data()[p] - base;
    sources_[to] = p;
  }
  finish(m.rows, m.columns);
}

template <class N, class I>
void Compressed<N, I>::begin(int64_t rows, std::size_t expected) {
  owned_.offsets.clear();
  owned_.offsets.reserve(static_cast<std::size_t>(rows) + 1);
  owned_.offsets.push_back(0);
  owned_.places.reserve(expected);
  sources_.reserve(expected);
}
template <class N, class I>
void Compressed<N, I>::finish(int64_t rows, int64_t columns) {
  owned_.values.resize(sources_.size());
  for (std::size_t p = 0; p < sources_.size(); ++p) owned_.values[p] = values_->data()[sources_[p]];
  view_ = owned_.view(rows, columns);
}

template <class N, class I>
void Compressed<N, I>::blocks(Access& access, const SparseMatrix& m, const void* memory) {
  const int64_t r = m.block_rows, c = m.block_columns, rows = m.rows / r, count = m.count / (r * c);
  if (rows == 0) {
    owned_.offsets = {0};
    view_ = owned_.view(0, m.columns);
    return;
  }
  const Indices<I> offsets(access, memory, rows + 1, m.offset_index);
  check_offsets(offsets.data(), rows, m.base, count);
  check_places(places_->data(), count, m.base, m.columns / c);
  begin(m.rows, static_cast<std::size_t>(m.count));
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t i = 0; i < r; ++i) {
      for (int64_t p = offsets.data()[b] - m.base; p < offsets.data()[b + 1] - m.base; ++p)
        for (int64_t j = 0; j < c; ++j)
          add((places_->data()[p] - m.base) * c + j, p * r * c + (m.blocks_by_rows ? i * c + j : i + j * r));
      add_row();
    }
  finish(m.rows, m.columns);
}

// Rows of blocks have the same number of them; -1 stands for none. A block's elements lie in rows of the
// whole width: those of one row of the matrix are together.
template <class N, class I>
void Compressed<N, I>::blocked_ell(const SparseMatrix& m) {
  const int64_t block = m.block_rows, in_row = m.width / block;
  begin(m.rows, static_cast<std::size_t>(m.count));
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t k = 0; k < in_row; ++k) {
      const I* const place = places_->data() + (i / block) * in_row + k;
      if (*place == -1) continue;
      check_places(place, 1, m.base, m.columns / block);
      for (int64_t j = 0; j < block; ++j) add((*place - m.base) * block + j, i * m.width + k * block + j);
    }
    add_row();
  }
  finish(m.rows, m.columns);
}

// Slices of rows, column by column in each.
template <class N, class I>
void Compressed<N, I>::sliced_ell(Access& access, const SparseMatrix& m, const void* memory) {
  const int64_t slices = (m.rows + m.slice - 1) / m.slice;
  const Indices<I> offsets(access, memory, slices + 1, m.offset_index);
  check_offsets(offsets.data(), slices, m.base, m.padded);
  begin(m.rows, static_cast<std::size_t>(m.count));
  for (int64_t i = 0; i < m.rows; ++i) {
    const int64_t s = i / m.slice;
    for (int64_t p = offsets.data()[s] - m.base + i % m.slice; p < offsets.data()[s + 1] - m.base;
         p += m.slice) {
      if (places_->data()[p] == -1) continue;
      check_places(places_->data() + p, 1, m.base, m.columns);
      add(places_->data()[p] - m.base, p);
    }
    add_row();
  }
  finish(m.rows, m.columns);
}

template <class N, class I>
void Compressed<N, I>::sort() {
  const Csr<N, I> a = view_;
  check_places(a.places, a.count(), a.base, a.columns);
  bool sorted = true;
  for (int64_t i = 0; sorted && i < a.rows; ++i)
    sorted = std::is_sorted(a.places + a.begin(i), a.places + a.end(i));
  if (sorted) return;
  Owned<N, I> made;
  const auto count = static_cast<std::size_t>(a.count());
  made.offsets.resize(static_cast<std::size_t>(a.rows + 1));
  for (int64_t i = 0; i <= a.rows; ++i)
    made.offsets[static_cast<std::size_t>(i)] = static_cast<I>(a.offsets[i] - a.base);
  made.places.resize(count);
  made.values.resize(count);
  std::vector<int64_t> order(count), sources(count);
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < a.rows; ++i)
    std::sort(order.begin() + a.begin(i), order.begin() + a.end(i), [&](int64_t p, int64_t q) {
      return a.places[p] != a.places[q] ? a.places[p] < a.places[q] : p < q;
    });
  for (std::size_t p = 0; p < count; ++p) {
    made.places[p] = static_cast<I>(a.column(order[p]));
    made.values[p] = a.values[order[p]];
    sources[p] = sources_.empty() ? order[p] : sources_[static_cast<std::size_t>(order[p])];
  }
  sources_ = std::move(sources);
  take(std::move(made), a.rows, a.columns);
}

template <class N, class I>
void Compressed<N, I>::turn() {
  if (!turned_) return;
  const Csr<N, I> a = view_;
  take(transposed(a, [](const N& value) { return value; }), a.columns, a.rows);
  turned_ = false;
}

#define HEDDLE_COMPRESSED(N)             \
  template class Compressed<N, int32_t>; \
  template class Compressed<N, int64_t>;
HEDDLE_COMPRESSED(int32_t)
HEDDLE_COMPRESSED(float)
HEDDLE_COMPRESSED(double)
HEDDLE_COMPRESSED(std::complex<float>)
HEDDLE_COMPRESSED(std::complex<double>)

}  // namespace heddle::cusparse
