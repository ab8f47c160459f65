#include "rows.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace heddle::bench {

namespace {

struct Row {
  std::string_view name;
  Problem (*make)(Size);
};

template <auto make, const char* kernel>
Problem with(Size size) {
  return make(size, kernel);
}
constexpr char l2[] = "mv_L2", l3[] = "mv_L3", l4[] = "mv_L4", l5[] = "mv_L5", l6[] = "mv_L6", l7[] = "mv_L7";
constexpr char naive[] = "mm_naive", tiled[] = "mm_tiled", tr_naive[] = "tr_naive", tr_tiled[] = "tr_tiled";

constexpr Row rows[] = {
    {"vecadd", vecadd},
    {"saxpy", saxpy},
    {"offcopy", offcopy},
    {"strcopy", strcopy},
    {"stencil", stencil},
    {"reduce", reduce},
    {"mv_L2", with<matrix_vector, l2>},
    {"mv_L3", with<matrix_vector, l3>},
    {"mv_L4", with<matrix_vector, l4>},
    {"mv_L5", with<matrix_vector, l5>},
    {"mv_L6", with<matrix_vector, l6>},
    {"mv_L7", with<matrix_vector, l7>},
    {"mm_naive", with<matrix_product, naive>},
    {"mm_tiled", with<matrix_product, tiled>},
    {"tr_naive", with<transpose, tr_naive>},
    {"tr_tiled", with<transpose, tr_tiled>},
    {"hist", hist},
    {"bs", black_scholes},
    {"nbody", nbody},
    {"mandel", mandel},
    {"bitonic", bitonic},
    {"scan", scan},
    {"spmv", spmv},
    {"barheavy", barheavy},
    {"tiny", tiny},
};

constexpr auto names = [] {
  std::array<std::string_view, std::size(rows)> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = rows[i].name;
  return result;
}();

}  // namespace

std::span<const std::string_view> row_names() { return names; }

Problem make_problem(std::string_view row, Size size) {
  for (const Row& known : rows)
    if (known.name == row) return known.make(size);
  throw std::invalid_argument("no row is called '" + std::string(row) + "'");
}

std::vector<Array> arrays(std::initializer_list<std::size_t> bytes) {
  std::vector<Array> result;
  result.reserve(bytes.size());
  for (const std::size_t n : bytes) result.emplace_back(n);
  return result;
}

void fill_with_fractions(Array& array, Random& random) {
  for (float& x : std::span(array.as<float>(), array.bytes() / sizeof(float))) x = random.fraction();
}

std::string wrong_at(std::size_t index, double got, double wanted) {
  char text[128];
  std::snprintf(text, sizeof text, "element %zu is %.9g, wanted %.9g", index, got, wanted);
  return text;
}

std::string relative_errors(const float* got, std::span<const double> wanted, double tolerance) {
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double error = std::abs(double{got[i]} - wanted[i]) / (std::abs(wanted[i]) + 1e-3);
    if (error <= tolerance) continue;  // a NaN is none
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return {};
  return std::to_string(wrong) + " of " + std::to_string(wanted.size()) + " wrong; " +
         wrong_at(first, double{got[first]}, wanted[first]);
}

}  // namespace heddle::bench
