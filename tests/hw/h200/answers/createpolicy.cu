// What createpolicy gives: fractions, and ranges at several addresses.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#define FRACTION(name, priorities)                                                                    \
  __global__ void name(float part, uint64_t* to) {                                                    \
    uint64_t policy;                                                                                  \
    asm volatile("createpolicy.fractional." priorities ".b64 %0, %1;" : "=l"(policy) : "f"(part));    \
    *to = policy;                                                                                     \
  }
FRACTION(f_last, "L2::evict_last")
FRACTION(f_normal, "L2::evict_normal")
FRACTION(f_first, "L2::evict_first")
FRACTION(f_unch, "L2::evict_unchanged")
FRACTION(f_last_first, "L2::evict_last.L2::evict_first")
FRACTION(f_last_unch, "L2::evict_last.L2::evict_unchanged")
FRACTION(f_normal_first, "L2::evict_normal.L2::evict_first")
FRACTION(f_first_unch, "L2::evict_first.L2::evict_unchanged")

#define RANGE(name, priorities)                                                       \
  __global__ void name(uint64_t at, uint32_t primary, uint32_t total, uint64_t* to) { \
    uint64_t policy;                                                                  \
    asm volatile("createpolicy.range.global." priorities ".b64 %0, [%1], %2, %3;"     \
                 : "=l"(policy)                                                       \
                 : "l"(at), "r"(primary), "r"(total));                                \
    *to = policy;                                                                     \
  }
RANGE(r_last, "L2::evict_last")
RANGE(r_first, "L2::evict_first")
RANGE(r_normal, "L2::evict_normal")
RANGE(r_last_first, "L2::evict_last.L2::evict_first")
RANGE(r_unch, "L2::evict_unchanged")

template <class... Of, class... Given>
void ask(const char* name, void (*kernel)(Of...), Given... given) {
  uint64_t *to, policy = 1;
  cudaMalloc(&to, sizeof *to);
  kernel<<<1, 1>>>(given..., to);
  const int status = cudaMemcpy(&policy, to, sizeof policy, cudaMemcpyDeviceToHost);
  std::printf(" %d %016llx\n", status, static_cast<unsigned long long>(policy));
  cudaFree(to);
}

int main() {
  const float parts[] = {0.f,   1e-9f, 0.01f, 0.03125f, 0.0624f, 0.0625f, 0.0626f, 0.1f,    0.124f, 0.125f, 0.1251f, 0.2f,
                         0.25f, 0.3f,  0.3125f, 0.5f,   0.6f,    0.75f,   0.9f,    0.9375f, 0.95f,  1.0f,   1.5f,    -0.5f};
#define FRACTIONS(kernel) \
  for (const float part : parts) std::printf(#kernel " %a", part), ask(#kernel, kernel, part);
  FRACTIONS(f_last)
  FRACTIONS(f_normal)
  FRACTIONS(f_first)
  FRACTIONS(f_unch)
  FRACTIONS(f_last_first)
  FRACTIONS(f_last_unch)
  FRACTIONS(f_normal_first)
  FRACTIONS(f_first_unch)
  const uint64_t places[] = {0, 0x1000, 0x123400, 0x7f0012345678, 0x10000000, 0x7f00ffffffff, 0x7f0000000fff};
  const uint32_t sizes[][2] = {{0, 0}, {0, 1}, {1, 1}, {16, 4096}, {100, 100}, {4096, 4096}, {4096, 8192}, {4097, 4097},
                               {10000, 30000}, {65536, 65536}, {1 << 19, 1 << 19}, {(1 << 19) + 1, (1 << 19) + 1},
                               {1 << 20, 1 << 20}, {1 << 20, 1 << 21}, {3 << 19, 3 << 20}, {1000000, 5000000},
                               {1 << 24, 1 << 26}, {1 << 28, 1 << 30}, {0x7fffffff, 0x7fffffff}, {0x80000000, 0x80000000},
                               {0xffffffff, 0xffffffff}, {1, 0xffffffff}, {0x01000000, 0xffffffff}, {4096, 2048},
                               {130 * 4096, 130 * 4096}, {127 * 4096, 127 * 4096}, {128 * 4096, 128 * 4096},
                               {126 * 4096, 126 * 4096}, {129 * 4096, 200 * 4096}};
#define RANGES(kernel)                                                                                 \
  for (const uint64_t at : places)                                                                     \
    for (const auto& [primary, total] : sizes)                                                         \
      std::printf(#kernel " %llx %u %u", static_cast<unsigned long long>(at), primary, total),         \
          ask(#kernel, kernel, at, primary, total);
  RANGES(r_last)
  RANGES(r_first)
  RANGES(r_normal)
  RANGES(r_last_first)
  RANGES(r_unch)
}
