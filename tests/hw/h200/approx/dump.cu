// Dumps the ground truth of the PTX approximate instructions off a real GPU, compactly. Self-contained.
//   nvcc -O2 -arch=sm_90 dump.cu -o dump && ./dump OUT_DIR          (format: README.md; reader: decode.py)
//   ./dump OUT_DIR --emulate     the same sections from libm on the host, to test sizes and the reader
//   without a GPU
#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#define CK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t u16;
#define HD __host__ __device__

// murmur3 finaliser
HD inline u32 mix32(u32 h) {
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  h ^= h >> 16;
  return h;
}
// splitmix64
HD inline u64 mix64(u64 z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// ---- functions of one 32-bit word
static u32 fb(float f) {
  u32 b;
  memcpy(&b, &f, 4);
  return b;
}
static float bf(u32 b) {
  float f;
  memcpy(&f, &b, 4);
  return f;
}
#define F32(N, I, EMU)                               \
  struct N {                                         \
    static __device__ u32 f(u32 x) {                 \
      u32 r;                                         \
      asm volatile(I " %0, %1;" : "=r"(r) : "r"(x)); \
      return r;                                      \
    }                                                \
    static u32 h(u32 b) {                            \
      double x = bf(b);                              \
      (void)x;                                       \
      return fb((float)(EMU));                       \
    }                                                \
  };
// fake noise of an interpolator
static double wob(double x, double k = 0.4) {
  u64 b;
  memcpy(&b, &x, 8);
  return 1 + k * 5.96e-8 * ((double)(mix32((u32)(b >> 34)) >> 8) / 8388608.0 - 1);
}
// clang-format off
F32(rcp, "rcp.approx.f32", 1 / x * wob(x))
F32(rcp_ftz, "rcp.approx.ftz.f32", 1 / x * wob(x))
F32(rsqrt_, "rsqrt.approx.f32", 1 / sqrt(x) * wob(x))
F32(rsqrt_ftz, "rsqrt.approx.ftz.f32", 1 / sqrt(x) * wob(x))
F32(sqrt_, "sqrt.approx.f32", sqrt(x) * wob(x))
F32(sqrt_ftz, "sqrt.approx.ftz.f32", sqrt(x) * wob(x))
F32(sin_, "sin.approx.f32", sin(x) * wob(x))
F32(sin_ftz, "sin.approx.ftz.f32", sin(x) * wob(x))
F32(cos_, "cos.approx.f32", cos(x) * wob(x))
F32(cos_ftz, "cos.approx.ftz.f32", cos(x) * wob(x))
F32(lg2, "lg2.approx.f32", log2(x) * wob(x))
F32(lg2_ftz, "lg2.approx.ftz.f32", log2(x) * wob(x))
F32(ex2, "ex2.approx.f32", exp2(x) * wob(x))
F32(ex2_ftz, "ex2.approx.ftz.f32", exp2(x) * wob(x))
F32(tanh_, "tanh.approx.f32", tanh(x) * wob(x, 8))
// clang-format on
// f64: the argument is the high word; the low word is 0, a hash of the high word, or all ones.
#define F64(N, I, LO, OUT, EMU)                      \
  struct N {                                         \
    static __device__ u32 f(u32 hi) {                \
      u64 a = (u64)hi << 32 | (LO), r;               \
      asm volatile(I " %0, %1;" : "=l"(r) : "l"(a)); \
      return OUT;                                    \
    }                                                \
    static u32 h(u32 hi) {                           \
      u64 a = (u64)hi << 32 | (LO), r;               \
      double x;                                      \
      memcpy(&x, &a, 8);                             \
      x = EMU;                                       \
      memcpy(&r, &x, 8);                             \
      r &= ~0xffffffffull;                           \
      return OUT;                                    \
    }                                                \
  };
#define HI (u32)(r >> 32)
#define BOTH (u32)(r >> 32) ^ (u32)r * 0x85ebca6bu
#define F64ALL(N, I, EMU)                                                                                    \
  F64(N##_hi, I, 0u, HI, EMU)                                                                                \
  F64(N##_rhi, I, mix32(hi), HI, EMU) F64(N##_zero, I, 0u, BOTH, EMU) F64(N##_rand, I, mix32(hi), BOTH, EMU) \
      F64(N##_ones, I, 0xffffffffu, BOTH, EMU)
// clang-format off
F64ALL(rcp64, "rcp.approx.ftz.f64", 1 / x)
F64ALL(rsqrt64, "rsqrt.approx.f64", 1 / sqrt(x))
F64ALL(rsqrt64_ftz, "rsqrt.approx.ftz.f64", 1 / sqrt(x))
// clang-format on
// 16-bit formats; x2 forms are called with (x, hash of x) and must equal two scalar calls
#define F16(N, I)                                           \
  struct N {                                                \
    static __device__ u32 f(u32 x) {                        \
      u16 r, a = (u16)x;                                    \
      asm volatile(I " %0, %1;" : "=h"(r) : "h"(a));        \
      return r;                                             \
    }                                                       \
    static u32 h(u32 x) { return mix32(x & 0xffff) >> 16; } \
  };
#define F16X2(N, I)                                  \
  struct N {                                         \
    static __device__ u32 f(u32 x) {                 \
      u32 r;                                         \
      asm volatile(I " %0, %1;" : "=r"(r) : "r"(x)); \
      return r;                                      \
    }                                                \
    static u32 h(u32 x) { return x; }                \
  };
// clang-format off
F16(ex2_f16, "ex2.approx.f16")
F16(ex2_bf16, "ex2.approx.ftz.bf16")
F16(tanh_f16, "tanh.approx.f16")
F16(tanh_bf16, "tanh.approx.bf16")
F16X2(ex2_f16x2, "ex2.approx.f16x2")
F16X2(ex2_bf16x2, "ex2.approx.ftz.bf16x2")
F16X2(tanh_f16x2, "tanh.approx.f16x2")
F16X2(tanh_bf16x2, "tanh.approx.bf16x2")
// clang-format on
template <class V, class S>
struct Split {
  static __device__ u32 f(u32 x) {
    u32 y = x << 16 | (mix32(x) & 0xffff), r = V::f(y);
    return (r >> 16 == S::f(x) && (r & 0xffff) == S::f(y & 0xffff)) ? 0 : r | 1u;
  }
  static u32 h(u32) { return 0; }
};

// ---- functions of two 32-bit words, addressed by (mode, index)
// Operands of index i: h = mix64(i ^ mode << 56). mode 0: x = low word, y = high word. mode 1: the same with
// exponent fields 112..143. mode 2: x any, y with exponent field 120..135. mode 3: y any, quotient near 1: x
// has y's exponent + (-3..4) mod 256. mode 4: table x table. mode 5: |y| in 2^125..2^128, mode 6: x, y both
// with tiny exponent fields 0..3.
static const u32 SPECIAL_H[64] = {
    0,          1,          2,          3,          0x3ff,      0x1fffff,   0x200000,   0x3fffff,
    0x400000,   0x400001,   0x555555,   0x7fffff,   0x800000,   0x800001,   0xbfffff,   0xffffff,
    0x1000000,  0x1000001,  0x17fffff,  0x1800000,  0x2000000,  0x2ffffff,  0x6000000,  0xc000000,
    0x1f800000, 0x20000000, 0x20000001, 0x3e800000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000,
    0x3f800001, 0x3fc00000, 0x3fffffff, 0x40000000, 0x40490fdb, 0x40400000, 0x4b000000, 0x4b800000,
    0x5f000000, 0x60000000, 0x72000000, 0x7d800000, 0x7dffffff, 0x7e000000, 0x7e000001, 0x7e400000,
    0x7e7fffff, 0x7e800000, 0x7e800001, 0x7ec00000, 0x7effffff, 0x7f000000, 0x7f000001, 0x7f3fffff,
    0x7f400000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff};
__constant__ u32 SPECIAL_D[64];
HD inline void operands(int mode, u64 i, const u32* sp, u32& x, u32& y) {
  u64 h = mix64(i ^ (u64)mode << 56);
  x = (u32)h;
  y = (u32)(h >> 32);
  const u32 M = 0x807fffffu;
  if (mode == 1) {
    u32 ex = 112 + (x >> 26 & 31), ey = 112 + (y >> 26 & 31);
    x = (x & M) | ex << 23;
    y = (y & M) | ey << 23;
  } else if (mode == 2) {
    u32 ey = 120 + (y >> 26 & 15);
    y = (y & M) | ey << 23;
  } else if (mode == 3) {
    u32 ex = ((y >> 23 & 255) + (x >> 26 & 7) + 253) & 255;
    x = (x & M) | ex << 23;
  } else if (mode == 4) {
    u32 a = (u32)i & 127, b = (u32)(i >> 7) & 127;
    x = sp[a & 63] | a >> 6 << 31;
    y = sp[b & 63] | b >> 6 << 31;
  } else if (mode == 5) {
    u32 ey = 252 + (y >> 26 & 3);
    y = (y & M) | ey << 23;
  } else if (mode == 6) {
    u32 ex = x >> 26 & 3, ey = y >> 26 & 3;
    x = (x & M) | ex << 23;
    y = (y & M) | ey << 23;
  }
}
#define DIV(N, I)                                                                          \
  struct N {                                                                               \
    static __device__ u32 f(u32 x, u32 y) {                                                \
      u32 r;                                                                               \
      asm volatile(I " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));                           \
      return r;                                                                            \
    }                                                                                      \
    static u32 h(u32 x, u32 y) { return fb((float)((double)bf(x) / bf(y) * wob(bf(x)))); } \
  };
// clang-format off
DIV(div_approx, "div.approx.f32")
DIV(div_approx_ftz, "div.approx.ftz.f32")
DIV(div_full, "div.full.f32")
DIV(div_full_ftz, "div.full.ftz.f32")
// clang-format on
// IEEE round to nearest, subnormals kept
static u32 div_reference(u32 x, u32 y) {
  float q = bf(x) / bf(y);
  return q != q ? 0x7fffffffu : fb(q);
}

// ---- kernels
template <class F>
__global__ void k_fill(u32 start, u32 stride, u32 n, u32* o) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    o[i] = F::f(start + i * stride);
}
template <class F>
__global__ void k_fill2(int mode, u32 n, u32* o) {
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    u32 x, y;
    operands(mode, i, SPECIAL_D, x, y);
    o[i] = F::f(x, y);
  }
}
HD inline u32 hash_of(u32 r, u32 key) { return mix32(r ^ key * 0x9e3779b1u); }
// One 32-bit hash per 65536 consecutive inputs: the wrapping sum of hash_of(result, input).
__device__ void reduce(u32 s, u32* o) {
  __shared__ u32 t;
  if (!threadIdx.x) t = 0;
  __syncthreads();
  atomicAdd(&t, s);
  __syncthreads();
  if (!threadIdx.x) *o = t;
}
template <class F>
__global__ void k_hash(u32* o) {
  u32 s = 0, b = blockIdx.x << 16;
  for (u32 i = threadIdx.x; i < 65536; i += blockDim.x) s += hash_of(F::f(b + i), b + i);
  reduce(s, o + blockIdx.x);
}
template <class F>
__global__ void k_hash2(int mode, u32* o) {
  u32 s = 0, b = blockIdx.x << 16;
  for (u32 i = threadIdx.x; i < 65536; i += blockDim.x) {
    u32 x, y;
    operands(mode, b + i, SPECIAL_D, x, y);
    s += hash_of(F::f(x, y), b + i);
  }
  reduce(s, o + blockIdx.x);
}

// One clean kernel per instruction, for the disassembly.
#define S32(N) \
  extern "C" __global__ void sass_##N(u32* p) { p[1] = N::f(p[0]); }
// clang-format off
S32(rcp) S32(rcp_ftz) S32(rsqrt_) S32(rsqrt_ftz) S32(sqrt_) S32(sqrt_ftz)
S32(sin_) S32(sin_ftz) S32(cos_) S32(cos_ftz) S32(lg2) S32(lg2_ftz)
S32(ex2) S32(ex2_ftz) S32(tanh_)
S32(ex2_f16) S32(ex2_bf16) S32(tanh_f16) S32(tanh_bf16) S32(ex2_f16x2) S32(ex2_bf16x2)
S32(tanh_f16x2) S32(tanh_bf16x2)
// clang-format on
#define S2(N) \
  extern "C" __global__ void sass_##N(u32* p) { p[2] = N::f(p[0], p[1]); }
    // clang-format off
S2(div_approx) S2(div_approx_ftz) S2(div_full) S2(div_full_ftz)
// clang-format on
#define S64(N, I)                                     \
  extern "C" __global__ void sass_##N(u64* p) {       \
    u64 r;                                            \
    asm volatile(I " %0, %1;" : "=l"(r) : "l"(p[0])); \
    p[1] = r;                                         \
  }
    // clang-format off
S64(rcp64_ftz, "rcp.approx.ftz.f64")
S64(rsqrt64, "rsqrt.approx.f64")
S64(rsqrt64_ftz, "rsqrt.approx.ftz.f64")
    // clang-format on

    // ---- sections
    struct Section {
  std::string name, params, coding, codec;
  std::vector<u32> v;
  std::string blob;
  u64 raw = 0;
  int file = -1;
  u64 offset = 0;
  int mode = -1;
};
static bool emulate = false;
static std::string out_dir, tmp_dir;
static const char* codec = nullptr;
static u32* dev = nullptr;
static std::vector<Section*> sections;
static std::mutex queue_lock;
static std::vector<Section*> queue;
static std::atomic<bool> closed{false};
static std::atomic<int> pending{0};
static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Four byte planes (most significant first) of the zigzagged differences of order k; order 9 is the values
// themselves.
static std::string planes(const std::vector<u32>& v, int order) {
  size_t n = v.size();
  std::string s(n * 4, 0);
  u32 p1 = 0, p2 = 0;
  for (size_t i = 0; i < n; i++) {
    u32 d = order == 9 ? v[i] : v[i] - (order == 1 ? p1 : 2 * p1 - p2);
    p2 = p1;
    p1 = v[i];
    u32 z = order == 9 ? d : d << 1 ^ (u32)((int32_t)d >> 31);
    for (int k = 0; k < 4; k++) s[k * n + i] = (char)(z >> (24 - 8 * k));
  }
  return s;
}
static std::string slurp(const std::string& p) {
  std::string s;
  if (FILE* f = fopen(p.c_str(), "rb")) {
    char b[1 << 16];
    size_t k;
    while ((k = fread(b, 1, sizeof b, f)) > 0) s.append(b, k);
    fclose(f);
  }
  return s;
}
static void spill(const std::string& p, const std::string& s) {
  FILE* f = fopen(p.c_str(), "wb");
  if (!f || fwrite(s.data(), 1, s.size(), f) != s.size()) {
    fprintf(stderr, "cannot write %s\n", p.c_str());
    exit(1);
  }
  fclose(f);
}
static std::string squeeze(const std::string& s, const std::string& tag, std::string& used) {
  std::string p = tmp_dir + "/" + tag;
  spill(p, s);
  used = "raw";
  std::string r = s;
  if (codec) {
    std::string c = codec, q = p + ".c",
                cmd = c == "xz"     ? "xz -T1 -c --lzma2=preset=6,pb=0,lc=4 "
                      : c == "zstd" ? "zstd -q -19 -c "
                                    : "gzip -9 -c ";
    if (!system((cmd + p + " > " + q).c_str())) {
      std::string z = slurp(q);
      if (!z.empty() && z.size() < s.size()) {
        r = z;
        used = c;
      }
    }
    unlink(q.c_str());
  }
  unlink(p.c_str());
  return r;
}
static void encode(Section* s, int id) {
  s->raw = s->v.size() * 4ull;
  bool first = true;
  for (int order : {1, 2, 9}) {
    if (s->mode >= 0 && order != s->mode) continue;
    if (order == 9 && s->mode < 0 && s->v.size() > 1u << 20) continue;
    std::string used, z = squeeze(planes(s->v, order), "t" + std::to_string(id), used);
    if (first || z.size() < s->blob.size()) {
      s->blob = z;
      s->codec = used;
      s->coding = std::to_string(order);
    }
    first = false;
  }
  s->v.clear();
  s->v.shrink_to_fit();
}
static void worker(int id) {
  for (;;) {
    Section* s = nullptr;
    {
      std::lock_guard<std::mutex> g(queue_lock);
      if (!queue.empty()) {
        s = queue.front();
        queue.erase(queue.begin());
      } else if (closed)
        return;
    }
    if (s) {
      encode(s, id);
      pending--;
    } else
      usleep(5000);
  }
}
static void add(const std::string& name, const std::string& params, std::vector<u32> v, int mode = -1) {
  Section* s = new Section;
  s->name = name;
  s->params = params;
  s->v = std::move(v);
  s->mode = mode;
  sections.push_back(s);
  while (pending > 40) usleep(5000);
  pending++;
  std::lock_guard<std::mutex> g(queue_lock);
  queue.push_back(s);
}
static std::vector<u32> fetch(u32 n) {
  CK(cudaGetLastError());
  CK(cudaDeviceSynchronize());
  std::vector<u32> v(n);
  CK(cudaMemcpy(v.data(), dev, n * 4ull, cudaMemcpyDeviceToHost));
  return v;
}
template <class F>
std::vector<u32> eval(u32 start, u32 stride, u32 n) {
  if (emulate) {
    std::vector<u32> v(n);
    for (u32 i = 0; i < n; i++) v[i] = F::h(start + i * stride);
    return v;
  }
  k_fill<F><<<1056, 256>>>(start, stride, n, dev);
  return fetch(n);
}
template <class F>
void sweep(const char* name, u32 start, u32 stride, u32 n) {
  char p[80];
  snprintf(p, sizeof p, "0x%08x %u %u", start, stride, n);
  add(std::string("sweep ") + name, p, eval<F>(start, stride, n));
}
template <class F>
void hash_line(const char* name) {
  std::vector<u32> v(65536);
  if (emulate)
    for (u32 i = 0; i < 65536; i++) v[i] = mix32(i + (u32)sections.size());
  else {
    k_hash<F><<<65536, 256>>>(dev);
    v = fetch(65536);
  }
  add(std::string("hash ") + name, "65536", v, 9);
}
template <class F>
void div(const char* name) {
  for (int m = 0; m < 7; m++) {
    u32 n = m == 4 ? 16384 : m == 1 ? 1u << 20 : m == 0 ? 1u << 19 : 1u << 18;
    std::vector<u32> v(n);
    if (!emulate) {
      k_fill2<F><<<1056, 256>>>(m, n, dev);
      v = fetch(n);
    }
    for (u32 i = 0; i < n; i++) {
      u32 x, y;
      operands(m, i, SPECIAL_H, x, y);
      if (emulate) v[i] = F::h(x, y);
      u32 d = v[i] - div_reference(x, y);
      v[i] = d << 1 ^ (u32)((int32_t)d >> 31);
    }
    add(std::string("div ") + name, std::to_string(m) + " " + std::to_string(n), v, 9);
  }
  for (int m = 0; m < 7; m++)
    if (m != 4) {
      std::vector<u32> v(4096);
      if (!emulate) {
        k_hash2<F><<<4096, 256>>>(m, dev);
        v = fetch(4096);
      }
      add(std::string("divhash ") + name, std::to_string(m) + " 4096", v, 9);
    }
}
template <class V, class S>
void pairs(const char* name) {
  std::vector<u32> v = eval<Split<V, S>>(0, 1, 65536);
  u32 bad = 0;
  for (u32 x : v) bad += x != 0;
  printf("%s: %u of 65536 differ from two scalar calls\n", name, bad);
  add(std::string("pairs ") + name, "0x00000000 1 65536", v, 9);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: dump OUT_DIR [--emulate]\n");
    return 2;
  }
  out_dir = argv[1];
  emulate = argc > 2 && !strcmp(argv[2], "--emulate");
  double t0 = now();
  char tmpl[] = "/tmp/approx-dump-XXXXXX";
  if (!mkdtemp(tmpl)) return 1;
  tmp_dir = tmpl;
  for (const char* c : {"xz", "zstd", "gzip"})
    if (!system((std::string("command -v ") + c + " >/dev/null 2>&1").c_str())) {
      codec = c;
      break;
    }
  printf("codec %s\n", codec ? codec : "none");
  if (!emulate) {
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    printf("device %s cc %d.%d\n", p.name, p.major, p.minor);
    CK(cudaMalloc(&dev, 64u << 20));
    CK(cudaMemcpyToSymbol(SPECIAL_D, SPECIAL_H, sizeof SPECIAL_H));
  }
  int nw = std::max(1, std::min(16, (int)std::thread::hardware_concurrency()));
  std::vector<std::thread> ws;
  for (int i = 0; i < nw; i++) ws.emplace_back(worker, i);
  const u32 B = 1u << 23;
  auto E = [](u32 e) { return e << 23; };
  // In order of importance: what does not fit into the output budget is dropped from the end.
#define SW(F, START, STRIDE, N) sweep<F>(#F, START, STRIDE, N)
  SW(ex2_f16, 0, 1, 65536);
  SW(ex2_bf16, 0, 1, 65536);
  SW(tanh_f16, 0, 1, 65536);
  SW(tanh_bf16, 0, 1, 65536);
  pairs<ex2_f16x2, ex2_f16>("ex2_f16x2");
  pairs<ex2_bf16x2, ex2_bf16>("ex2_bf16x2");
  pairs<tanh_f16x2, tanh_f16>("tanh_f16x2");
  pairs<tanh_bf16x2, tanh_bf16>("tanh_bf16x2");
#define HS(F) hash_line<F>(#F)
  HS(rcp);
  HS(rcp_ftz);
  HS(rsqrt_);
  HS(rsqrt_ftz);
  HS(sqrt_);
  HS(sqrt_ftz);
  HS(sin_);
  HS(sin_ftz);
  HS(cos_);
  HS(cos_ftz);
  HS(lg2);
  HS(lg2_ftz);
  HS(ex2);
  HS(ex2_ftz);
  HS(tanh_);
  HS(rcp64_zero);
  HS(rcp64_rand);
  HS(rsqrt64_zero);
  HS(rsqrt64_rand);
  HS(rsqrt64_ftz_zero);
  HS(rsqrt64_ftz_rand);
  HS(rcp64_ones);
  HS(rsqrt64_ftz_ones);
  // one complete period of each table
  SW(rcp_ftz, E(127), 1, B);
  SW(rsqrt_ftz, E(127), 1, B);
  SW(rsqrt_ftz, E(128), 1, B);
  SW(sqrt_ftz, E(127), 1, B);
  SW(sqrt_ftz, E(128), 1, B);
  SW(lg2_ftz, E(127), 1, B);
  SW(lg2_ftz, E(126), 1, B);
  SW(ex2_ftz, E(127), 1, B);
  SW(ex2_ftz, E(126), 1, B);
  SW(ex2_ftz, E(127) | 1u << 31, 1, B);
  for (u32 e = 126; e <= 129; e++) {
    SW(sin_, E(e), 1, B);
    SW(cos_, E(e), 1, B);
  }
  for (u32 e = 122; e <= 129; e++) SW(tanh_, E(e), 1, B);
  // f64: the upper 20 mantissa bits, then all exponents thinly, with the low word 0 and hashed
#define SW64(N)                         \
  SW(N##_hi, 1023u << 20, 1, 1u << 21); \
  SW(N##_rhi, 0, 65521, 65552);         \
  SW(N##_hi, 0, 65521, 65552)
  SW64(rcp64);
  SW64(rsqrt64);
  SW64(rsqrt64_ftz);
  for (u32 s = 0; s < 2; s++) {
    u32 sb = s << 31;
    SW(rcp64_rhi, sb, 509, 8192);
    SW(rsqrt64_rhi, sb, 509, 8192);
    SW(rsqrt64_ftz_rhi, sb, 509, 8192);
    SW(rcp64_rhi, (0x7fd00000 | sb), 509, 8192);
    SW(rsqrt64_rhi, (0x7fd00000 | sb), 509, 8192);
  }
  div<div_approx>("div_approx");
  div<div_full>("div_full");
  div<div_approx_ftz>("div_approx_ftz");
  div<div_full_ftz>("div_full_ftz");
  // every function over the whole line, 65552 points (65521 is prime)
#define LINE(F) SW(F, 0, 65521, 65552)
  LINE(rcp);
  LINE(rcp_ftz);
  LINE(rsqrt_);
  LINE(rsqrt_ftz);
  LINE(sqrt_);
  LINE(sqrt_ftz);
  LINE(sin_);
  LINE(sin_ftz);
  LINE(cos_);
  LINE(cos_ftz);
  LINE(lg2);
  LINE(lg2_ftz);
  LINE(ex2);
  LINE(ex2_ftz);
  LINE(tanh_);
  // further exponents: rounding, truncation, range reduction
  SW(ex2_ftz, E(125), 1, B);
  SW(ex2_ftz, E(128), 1, B);
  SW(ex2_ftz, E(126) | 1u << 31, 1, B);
  SW(ex2_ftz, E(125) | 1u << 31, 1, B);
  SW(ex2_ftz, E(128) | 1u << 31, 1, B);
  SW(lg2_ftz, E(128), 1, B);
  SW(lg2_ftz, E(125), 1, B);
  SW(lg2_ftz, E(200), 1, B);
  SW(lg2_ftz, E(130), 1, B);
  SW(sin_, E(125), 1, B);
  SW(cos_, E(125), 1, B);
  SW(sin_, E(130), 1, B);
  SW(cos_, E(130), 1, B);
  SW(tanh_, E(121), 1, B);
  SW(tanh_, E(120), 1, B);
  SW(tanh_, E(130), 1, B);
  for (u32 e = 124; e >= 112; e--) {
    SW(ex2_ftz, E(e), 8, B / 8);
    SW(ex2_ftz, E(e) | 1u << 31, 8, B / 8);
  }
  for (u32 e = 129; e <= 133; e++) {
    SW(ex2_ftz, E(e), 8, B / 8);
    SW(ex2_ftz, E(e) | 1u << 31, 8, B / 8);
  }
  SW(ex2, E(133) | 1u << 31 | 0xfc0000u >> 1, 1, B / 4);  // -126 and below: subnormal results
  SW(rcp, 1u, 64, B / 32);
  SW(rsqrt_, 1u, 64, B / 32);
  SW(sqrt_, 1u, 64, B / 32);
  SW(lg2, 1u, 64, B / 32);
  SW(rcp, E(252), 64, B / 16);
  SW(rcp_ftz, E(252), 64, B / 16);
  for (u32 e = 124; e >= 100; e--) {
    SW(sin_, E(e), 64, B / 64);
    SW(cos_, E(e), 64, B / 64);
  }
  for (u32 e = 131; e <= 156; e++) {
    SW(sin_, E(e), 61, B / 61);
    SW(cos_, E(e), 61, B / 61);
  }
  for (u32 e = 119; e >= 96; e--) SW(tanh_, E(e), 8, B / 8);
  SW(rcp_ftz, E(1), 1, B);
  SW(rsqrt_ftz, E(1), 1, B);
  SW(sqrt_ftz, E(253), 1, B);
  double t1 = now();
  closed = true;
  for (auto& w : ws) w.join();
  double t2 = now();

  const u64 FILE_MAX = (16u << 20) - 4096, TOTAL_MAX = 62u << 20;
  const int FILES = 5;
  std::string part[FILES];
  u64 total = 0;
  int dropped = 0;
  std::string index =
      "# kind function | parameters | order codec file offset bytes raw_bytes   (see README.md)\n";
  for (Section* s : sections) {
    int f = 0;
    while (f < FILES && part[f].size() + s->blob.size() > FILE_MAX) f++;
    if (f == FILES || total + s->blob.size() > TOTAL_MAX) {
      dropped++;
      index +=
          "# dropped: " + s->name + " | " + s->params + " (" + std::to_string(s->blob.size()) + " bytes)\n";
      continue;
    }
    char l[160];
    snprintf(l, sizeof l, " | %s %s part%d.bin %llu %llu %llu\n", s->coding.c_str(), s->codec.c_str(), f,
             (unsigned long long)part[f].size(), (unsigned long long)s->blob.size(),
             (unsigned long long)s->raw);
    index += s->name + " | " + s->params + l;
    part[f] += s->blob;
    total += s->blob.size();
  }
  for (int f = 0; f < FILES; f++)
    if (!part[f].empty()) spill(out_dir + "/part" + std::to_string(f) + ".bin", part[f]);
  spill(out_dir + "/index.txt", index);
  char exe[512] = {};
  if (readlink("/proc/self/exe", exe, sizeof exe - 1) > 0) {
    std::string o = out_dir + "/sass.txt";
    if (system(("cuobjdump -sass " + std::string(exe) +
                " 2>&1 | awk '/Function :/{p=/sass_/} p' | head -c 1000000 > " + o)
                   .c_str()))
      printf("no disassembly\n");
  }
  rmdir(tmp_dir.c_str());
  printf("%zu sections, %d dropped, %.2f MiB, evaluation %.1f s, compression %.1f s more, %.1f s in all\n",
         sections.size(), dropped, total / 1048576.0, t1 - t0, t2 - t1, now() - t0);
  return 0;
}
