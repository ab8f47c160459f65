// The device math functions beside the host's vector library, one vector at a time, as the fast executor and
// a compiler with -ffast-math call them. bench/math builds and runs it.
#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "math/math.h"

namespace {

using heddle::math::code;
using heddle::math::Function;

// Arguments as programs have them: even between low and high.
struct Row {
  const char* name;
  double low, high;
  double second_low = 0, second_high = 0;  // of functions of two
};
constexpr Row rows[] = {
    {"exp", -20, 20},   {"exp2", -20, 20},   {"exp10", -20, 20},      {"expm1", -5, 5},
    {"log", 1e-3, 1e3}, {"log2", 1e-3, 1e3}, {"log10", 1e-3, 1e3},    {"log1p", 0, 10},
    {"sin", -10, 10},   {"cos", -10, 10},    {"tan", -10, 10},        {"asin", -1, 1},
    {"acos", -1, 1},    {"atan", -10, 10},   {"atan2", -5, 5, -5, 5}, {"sinh", -5, 5},
    {"cosh", -5, 5},    {"tanh", -5, 5},     {"asinh", -5, 5},        {"acosh", 1, 50},
    {"atanh", -1, 1},   {"cbrt", -100, 100}, {"hypot", -5, 5, -5, 5}, {"pow", 0.1, 10, -5, 5},
    {"erf", -3, 3},     {"erfc", -3, 5},     {"sinpi", -5, 5},        {"rsqrt", 0.1, 100},
    {"rcbrt", 1, 100},  {"normcdf", -4, 4},  {"normcdfinv", 0, 1},    {"erfinv", -1, 1},
    {"erfcx", -1, 5},   {"lgamma", 0.5, 20}, {"tgamma", 0.5, 10},     {"fmod", -100, 100, 1, 10},
    {"j0", 0, 20},
};

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr unsigned lanes = 2048;
constexpr int repeats = 40;

template <class T, class V>
class Contest {
 public:
  explicit Contest(const Row& row) : two_(row.second_low != row.second_high) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> first(row.low, row.high), second(row.second_low, row.second_high);
    for (unsigned i = 0; i < lanes; ++i) {
      x_[i] = static_cast<T>(first(random));
      y_[i] = static_cast<T>(two_ ? second(random) : 0);
    }
  }
  bool two() const { return two_; }
  // Nanoseconds a lane, once through `repeats` times.
  double time(const void* function) {
    const double begin = seconds();
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (unsigned i = 0; i < lanes; i += sizeof(V) / sizeof(T)) {
        V x, y, result;
        std::memcpy(&x, x_ + i, sizeof x);
        std::memcpy(&y, y_ + i, sizeof y);
        if (two_)
          result = reinterpret_cast<V (*)(V, V)>(const_cast<void*>(function))(x, y);
        else
          result = reinterpret_cast<V (*)(V)>(const_cast<void*>(function))(x);
        std::memcpy(result_ + i, &result, sizeof result);
      }
    return (seconds() - begin) * 1e9 / (repeats * lanes);
  }

 private:
  alignas(64) T x_[lanes] = {}, y_[lanes] = {}, result_[lanes] = {};
  bool two_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class T, class V>
void compete(const Row& row, void* library, int rounds) {
  Contest<T, V> contest(row);
  const bool single = sizeof(T) == 4;
  const std::string suffix = single ? "f" : "";
  const Function* f = heddle::math::find(std::string("__nv_") + row.name + suffix);
  if (f == nullptr) return;
  const void* ours = code(heddle::math::id_of(*f), 8 * sizeof(V));
  // The x86-64 ABI for vector functions: d is 256 bits, e is 512.
  const std::string theirs_name = std::string("_ZGV") + (sizeof(V) == 64 ? "e" : "d") + "N" +
                                  std::to_string(sizeof(V) / sizeof(T)) + (contest.two() ? "vv_" : "v_") +
                                  row.name + suffix;
  const void* theirs = library == nullptr ? nullptr : dlsym(library, theirs_name.c_str());
  std::vector<double> our_times, their_times;
  for (int round = 0; round <= rounds; ++round) {
    const double our_time = contest.time(ours), their_time = theirs == nullptr ? 0 : contest.time(theirs);
    if (round == 0) continue;
    our_times.push_back(our_time);
    their_times.push_back(their_time);
  }
  std::printf("%s,%s,%.3f", row.name, single ? "f32" : "f64", median(our_times));
  if (theirs != nullptr) std::printf(",%.3f", median(their_times));
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::max(1, std::atoi(arguments[1])) : 9;
  void* library = dlopen("libmvec.so.1", RTLD_NOW);
  const bool wide = code(static_cast<heddle::math::Id>(0), 512) != nullptr;
  if (!wide && code(static_cast<heddle::math::Id>(0), 256) == nullptr) {
    std::fprintf(stderr, "bench_math: this host has no AVX2\n");
    return 1;
  }
  for (const Row& row : rows) {
    if (wide) {
      compete<float, __m512>(row, library, rounds);
      compete<double, __m512d>(row, library, rounds);
    } else {
      compete<float, __m256>(row, library, rounds);
      compete<double, __m256d>(row, library, rounds);
    }
    std::fflush(stdout);
  }
  return 0;
}
