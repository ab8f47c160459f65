// What the machine can do at most, the best of a few short tries: bytes from and to memory, operations on
// 32-bit lanes. Prints `read GB/s`, `copy GB/s` (both directions counted, stores past the caches) and
// `operations G/s`.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

// A machine with narrower vectors does one in several steps.
using Vector = float __attribute__((vector_size(64)));
constexpr std::size_t bytes = std::size_t{256} << 20, vectors = bytes / sizeof(Vector);

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Vector* pages() {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) std::exit(1);
  madvise(place, bytes, MADV_HUGEPAGE);
  auto* result = static_cast<Vector*>(place);
  std::fill_n(result, vectors, Vector{});
  return result;
}

// The shortest of `tries` runs of part(thread) on all threads.
template <class Part>
double best(unsigned threads, int tries, Part part) {
  double shortest = 1e9;
  for (int i = 0; i < tries; ++i) {
    std::barrier start(threads + 1);
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; ++t)
      team.emplace_back([&, t] {
        start.arrive_and_wait();
        part(t);
      });
    start.arrive_and_wait();
    const double begin = seconds();
    for (std::thread& thread : team) thread.join();
    shortest = std::min(shortest, seconds() - begin);
  }
  return shortest;
}

void keep(Vector value) { asm volatile("" ::"m"(value)); }

}  // namespace

int main(int count, char** arguments) {
  const unsigned threads =
      count > 1 ? std::max(1, std::atoi(arguments[1])) : std::max(1u, std::thread::hardware_concurrency());
  Vector *from = pages(), *to = pages();
  const std::size_t share = vectors / threads / 8 * 8;
  const double read = best(threads, 5, [&](unsigned t) {
    Vector sums[8] = {};
    for (std::size_t i = t * share; i < (t + 1) * share; i += 8)
      for (std::size_t k = 0; k < 8; ++k) sums[k] += from[i + k];
    for (const Vector& sum : sums) keep(sum);
  });
  const double copy = best(threads, 5, [&](unsigned t) {
    for (std::size_t i = t * share; i < (t + 1) * share; ++i) __builtin_nontemporal_store(from[i], to + i);
  });
  constexpr std::size_t rounds = 4'000'000, chains = 12;
  const double arithmetic = best(threads, 5, [&](unsigned) {
    Vector sums[chains] = {};
    const Vector factor = Vector{} + 0.999f, term = Vector{} + 0.001f;
    for (std::size_t i = 0; i < rounds; ++i)
      for (Vector& sum : sums) sum = sum * factor + term;
    for (const Vector& sum : sums) keep(sum);
  });
  const double moved = static_cast<double>(share * threads * sizeof(Vector));
  std::printf("read %.2f\ncopy %.2f\noperations %.2f\n", moved / read * 1e-9, 2 * moved / copy * 1e-9,
              16.0 * static_cast<double>(rounds * chains) * threads / arithmetic * 1e-9);
  return 0;
}
