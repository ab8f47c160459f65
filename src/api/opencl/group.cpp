#include "api/opencl/group.h"

#include <algorithm>
#include <bit>

namespace heddle::opencl {

namespace {

using Three = std::array<size_t, 3>;

// What the executor likes (docs/reference/opencl.md, Commands, has the reasons; they were measured).
constexpr size_t warp = 32;
constexpr size_t vector = 16;         // work-items along x that are one access
constexpr size_t good_group = 256;    // beyond, groups gain nothing more
constexpr size_t least_group = 64;    // below, groups lose
constexpr size_t good_rows = 16;      // of a tile: a line of the cache, for kernels that walk along y
constexpr size_t enough_groups = 64;  // for the threads that share the work

size_t largest_divisor(size_t number, size_t most) {
  for (size_t divisor = std::min(number, most); divisor > 1; --divisor)
    if (number % divisor == 0) return divisor;
  return 1;
}

size_t power_of_two_in(size_t number, size_t most) {
  return std::min(number & (~number + 1), std::bit_floor(std::max<size_t>(most, 1)));
}

// Number and most of one dimension, x first; dimensions of one work-item are none.
struct Axis {
  size_t global = 1, most = 1, local = 1;
};

class Choice {
 public:
  explicit Choice(const GroupQuestion& question)
      : good_(std::min(question.most, good_group)), may_be_non_uniform_(question.may_be_non_uniform) {
    size_t next = 0;
    for (size_t i = 0; i < 3; ++i)
      if (question.global[i] > 1)
        axes_[next++] = {question.global[i], std::min(question.limits[i], question.most)};
  }

  void choose() {
    if (y().global == 1)
      choose_line();
    else if (x().global % vector == 0)
      choose_tile();
    else
      choose_rows();
    shrink();
  }
  size_t local(size_t axis) const { return axes_[axis].local; }

 private:
  Axis& x() { return axes_[0]; }
  Axis& y() { return axes_[1]; }
  Axis& z() { return axes_[2]; }
  size_t items() const { return axes_[0].local * axes_[1].local * axes_[2].local; }
  bool has_groups_enough() const {
    size_t groups = 1;
    for (const Axis& axis : axes_) {
      const size_t whole = axis.global / axis.local;
      if (whole >= enough_groups) return true;
      groups *= whole + (axis.global % axis.local != 0 ? 1 : 0);
    }
    return groups >= enough_groups;
  }
  size_t room(const Axis& axis) const { return std::min(good_ / items(), axis.most); }

  // Whole warps, or as large a part of the line as leaves few that are not whole.
  void choose_line() {
    for (size_t local = room(x()) / warp * warp; local > 0; local -= warp)
      if (x().global % local == 0) {
        x().local = local;
        return;
      }
    const size_t whole = std::min(good_, x().most) / warp * warp;
    if (may_be_non_uniform_ && whole > 0 && x().global > whole)
      x().local = whole;
    else
      x().local = long_part();
  }

  // A part of the row, as long as there are groups enough: at its end is a warp that may not be whole.
  size_t long_part() {
    const size_t rows = std::min(y().global, enough_groups) * std::min(z().global, enough_groups);
    const size_t row = std::min(x().global, x().most * enough_groups);
    const size_t shared = largest_divisor(x().global, std::min(x().most, row * rows / enough_groups));
    if (shared >= least_group) return shared;
    const size_t good = largest_divisor(x().global, std::min(good_, x().most));
    return good >= least_group ? good : largest_divisor(x().global, x().most);
  }

  // Rows of whole vectors, several of them where they can be: kernels that walk along y find lines of the
  // cache used by neighbours then, and those that walk along x lose nothing.
  void choose_tile() {
    if (good_ < vector || x().most < vector) {
      x().local = power_of_two_in(x().global, room(x()));
      return;
    }
    y().local = power_of_two_in(y().global, std::min({good_rows, y().most, good_ / vector}));
    x().local = vector;
    for (size_t local = std::min(good_ / y().local, x().most) / vector * vector; local > vector;
         local -= vector) {
      if (x().global % local != 0) continue;
      const bool whole_warps = local * y().local % warp == 0;
      if (whole_warps || x().local == vector) x().local = local;
      if (whole_warps) break;
    }
    fill(z());
  }

  // Rows that are no whole vectors: one each if they are long; of short ones as many as are whole warps.
  void choose_rows() {
    x().local = long_part();
    if (may_be_non_uniform_ && x().local < least_group && x().local != x().global && good_ >= good_group) {
      x().local = std::min(vector, x().most);
      const size_t rows = std::min({good_rows, y().global, y().most});
      y().local = power_of_two_in(y().global, rows);
      if (y().local < rows / 2) y().local = rows;
      return;
    }
    if (x().local >= least_group) return;
    for (size_t local = power_of_two_in(y().global, room(y())); local > 1; local /= 2)
      if (x().local * local % warp == 0) {
        y().local = local;
        break;
      }
    if (x().local < warp && y().local == 1) y().local = largest_divisor(y().global, room(y()));
    fill(z());
  }

  void fill(Axis& axis) {
    if (items() < least_group) axis.local = largest_divisor(axis.global, room(axis));
  }

  void shrink() {
    while (!has_groups_enough() && items() >= 2 * least_group) {
      const auto halves = [&](const Axis& axis) {
        return axis.local % 2 == 0 && axis.global % axis.local == 0 && items() / 2 % warp == 0;
      };
      if (halves(z()))
        z().local /= 2;
      else if (halves(y()))
        y().local /= 2;
      else if (halves(x()) && x().local / 2 % vector == 0)
        x().local /= 2;
      else
        return;
    }
  }

  const size_t good_;
  const bool may_be_non_uniform_;
  std::array<Axis, 3> axes_;
};

}  // namespace

Three chosen_group(const GroupQuestion& question) {
  Choice choice(question);
  choice.choose();
  Three local{1, 1, 1};
  size_t next = 0;
  for (size_t i = 0; i < 3; ++i)
    if (question.global[i] > 1) local[i] = choice.local(next++);
  return local;
}

}  // namespace heddle::opencl
