#include "plain.h"

#include <cmath>
#include <cstring>

namespace heddle::bench {

namespace {

using uint = uint32_t;

// The row's first launch: its arguments by position.
float* floats(Problem& p, uint i) { return p.arrays[i].as<float>(); }
uint* words(Problem& p, uint i) { return p.arrays[i].as<uint>(); }
uint length(Problem& p, uint i) { return static_cast<uint>(p.arrays[i].bytes() / 4); }

void vecadd(Problem& p) {
  const float* __restrict__ a = floats(p, 0), * __restrict__ b = floats(p, 1);
  float* __restrict__ c = floats(p, 2);
  const uint n = length(p, 2);
#pragma omp parallel for schedule(static)
  for (uint i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

void saxpy(Problem& p) {
  const float* __restrict__ x = floats(p, 0), * __restrict__ y = floats(p, 1);
  float* __restrict__ z = floats(p, 2);
  const uint n = length(p, 2);
#pragma omp parallel for schedule(static)
  for (uint i = 0; i < n; ++i) z[i] = 2.5f * x[i] + y[i];
}

void offcopy(Problem& p) {
  const float* __restrict__ in = floats(p, 0);
  float* __restrict__ out = floats(p, 1);
  const uint n = length(p, 1) - 16;
#pragma omp parallel for schedule(static)
  for (uint i = 13; i < n + 13; ++i) out[i] = in[i];
}

void strcopy(Problem& p) {
  const float* __restrict__ in = floats(p, 0);
  float* __restrict__ out = floats(p, 1);
  const uint n = length(p, 1) / 8;
#pragma omp parallel for schedule(static)
  for (uint i = 0; i < n; ++i) out[i * 8] = in[i * 8] + 1.0f;
}

void stencil(Problem& p) {
  const float* __restrict__ in = floats(p, 0);
  float* __restrict__ out = floats(p, 1);
  const uint n = length(p, 1) - 64;
#pragma omp parallel for schedule(static)
  for (uint i = 3; i < n + 3; ++i)
    out[i] = in[i - 3] + in[i - 2] + in[i - 1] + in[i] + in[i + 1] + in[i + 2] + in[i + 3];
}

void reduce(Problem& p) {
  const float* __restrict__ in = floats(p, 0);
  const uint n = length(p, 0);
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (uint i = 0; i < n; ++i) sum += in[i];
  floats(p, 2)[0] = sum;
}

void hist(Problem& p) {
  const uint* __restrict__ data = words(p, 0);
  uint* __restrict__ counts = words(p, 1);
  const uint n = length(p, 0);
  std::memset(counts, 0, 4 * 256);
#pragma omp parallel
  {
    uint own[4][256] = {};
#pragma omp for schedule(static)
    for (uint i = 0; i < n; i += 4)
      for (uint k = 0; k < 4; ++k) ++own[k][data[i + k] & 255];
#pragma omp critical
    for (uint i = 0; i < 256; ++i) counts[i] += own[0][i] + own[1][i] + own[2][i] + own[3][i];
  }
}

void matrix_vector(Problem& p) {
  const float* __restrict__ m = floats(p, 0), * __restrict__ v = floats(p, 1);
  float* __restrict__ w = floats(p, 2);
  const uint width = length(p, 1), height = length(p, 2);
#pragma omp parallel for schedule(static)
  for (uint y = 0; y < height; ++y) {
    const float* __restrict__ row = m + std::size_t{y} * width;
    float dot = 0;
#pragma omp simd reduction(+ : dot)
    for (uint x = 0; x < width; ++x) dot += row[x] * v[x];
    w[y] = dot;
  }
}

// A tile of 4 x 64 sums in registers.
void matrix_product(Problem& p) {
  const float* __restrict__ a = floats(p, 0), * __restrict__ b = floats(p, 1);
  float* __restrict__ c = floats(p, 2);
  const auto n = static_cast<std::size_t>(std::sqrt(static_cast<double>(length(p, 2))) + 0.5);
#pragma omp parallel for schedule(static) collapse(2)
  for (std::size_t x = 0; x < n; x += 64)
    for (std::size_t y = 0; y < n; y += 4) {
      float sums[4][64] = {};
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t r = 0; r < 4; ++r)
          for (std::size_t i = 0; i < 64; ++i) sums[r][i] += a[(y + r) * n + k] * b[k * n + x + i];
      for (std::size_t r = 0; r < 4; ++r) std::memcpy(c + (y + r) * n + x, sums[r], sizeof sums[r]);
    }
}

void transpose(Problem& p) {
  const uint* __restrict__ in = words(p, 0);
  uint* __restrict__ out = words(p, 1);
  const auto n = static_cast<std::size_t>(std::sqrt(static_cast<double>(length(p, 1))) + 0.5);
#pragma omp parallel for schedule(static) collapse(2)
  for (std::size_t tile_y = 0; tile_y < n; tile_y += 32)
    for (std::size_t tile_x = 0; tile_x < n; tile_x += 32)
      for (std::size_t y = tile_y; y < tile_y + 32; ++y)
        for (std::size_t x = tile_x; x < tile_x + 32; ++x) out[y * n + x] = in[x * n + y];
}

void spmv(Problem& p) {
  const uint* __restrict__ rows = words(p, 0), * __restrict__ columns = words(p, 1);
  const float* __restrict__ values = floats(p, 2), * __restrict__ x = floats(p, 3);
  float* __restrict__ y = floats(p, 4);
  const uint count = length(p, 4);
  for (std::size_t repetition = 0; repetition < p.steps.size(); ++repetition) {
#pragma omp parallel for schedule(static)
    for (uint r = 0; r < count; ++r) {
      float sum = 0;
      for (uint k = rows[r]; k < rows[r + 1]; ++k) sum += values[k] * x[columns[k]];
      y[r] = sum;
    }
  }
}

inline float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float tail =
      0.39894228040143267794f * std::exp(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

void black_scholes(Problem& p) {
  float* __restrict__ call = floats(p, 0), * __restrict__ put = floats(p, 1);
  const float* __restrict__ price = floats(p, 2), * __restrict__ strike = floats(p, 3), * __restrict__ years = floats(p, 4);
  const uint n = length(p, 0);
  const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for simd schedule(static)
  for (uint i = 0; i < n; ++i) {
    const float s = price[i], x = strike[i], t = years[i], root = std::sqrt(t);
    const float d1 = (std::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal_distribution(d1), n2 = normal_distribution(d2), discount = std::exp(-rate * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
  }
}

void nbody(Problem& p) {
  const uint n = length(p, 0) / 4;
  const float* bodies = floats(p, 0);
  float* forces = floats(p, 1);
  std::vector<float> fields(std::size_t{4} * n);
  float* __restrict__ xs = fields.data(), * __restrict__ ys = xs + n, * __restrict__ zs = ys + n, * __restrict__ masses = zs + n;
  for (uint i = 0; i < n; ++i) {
    xs[i] = bodies[4 * i];
    ys[i] = bodies[4 * i + 1];
    zs[i] = bodies[4 * i + 2];
    masses[i] = bodies[4 * i + 3];
  }
#pragma omp parallel for schedule(static)
  for (uint i = 0; i < n; ++i) {
    const float x = xs[i], y = ys[i], z = zs[i];
    float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (uint j = 0; j < n; ++j) {
      const float dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
      const float r = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      const float f = masses[j] * r * r * r;
      ax += dx * f;
      ay += dy * f;
      az += dz * f;
    }
    forces[4 * i] = ax;
    forces[4 * i + 1] = ay;
    forces[4 * i + 2] = az;
  }
}

// 32 points at a time: compilers do not make vectors of the obvious loop, which takes ten times as long.
void mandel(Problem& p) {
  int* out = p.arrays[0].as<int>();
  const auto width = static_cast<uint>(std::sqrt(static_cast<double>(length(p, 0))) + 0.5);
  const int most = 512;
#pragma omp parallel for schedule(dynamic, 8)
  for (uint y = 0; y < width; ++y)
    for (uint left = 0; left < width; left += 32) {
      float cx[32], zx[32] = {}, zy[32] = {};
      int count[32] = {};
      const float cy = -1.25f + 2.5f * static_cast<float>(y) / static_cast<float>(width);
      for (uint l = 0; l < 32; ++l)
        cx[l] = -2.0f + 2.5f * static_cast<float>(left + l) / static_cast<float>(width);
      for (int i = 0; i < most; ++i) {
        int any = 0;
        for (uint l = 0; l < 32; ++l) {
          const float a = zx[l], b = zy[l];
          const int inside = a * a + b * b < 4.0f;
          any |= inside;
          count[l] += inside;
          zy[l] = inside ? 2 * a * b + cy : b;
          zx[l] = inside ? a * a - b * b + cx[l] : a;
        }
        if (any == 0) break;
      }
      std::memcpy(out + std::size_t{y} * width + left, count, sizeof count);
    }
}

void bitonic(Problem& p) {
  uint* __restrict__ data = words(p, 1);
  const uint n = length(p, 1);
  std::memcpy(data, words(p, 0), std::size_t{4} * n);
  for (uint k = 2; k <= n; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
#pragma omp parallel for schedule(static)
      for (uint pair = 0; pair < n / 2; ++pair) {
        const uint i = ((pair & ~(j - 1)) << 1) | (pair & (j - 1)), other = i | j;
        const uint a = data[i], b = data[other], low = a < b ? a : b, high = a < b ? b : a;
        const bool up = (i & k) == 0;
        data[i] = up ? low : high;
        data[other] = up ? high : low;
      }
    }
}

// Another algorithm than the kernels': each thread sums its part, then scans it.
void scan(Problem& p) {
  const uint* __restrict__ in = words(p, 0);
  uint* __restrict__ out = words(p, 1);
  const uint n = length(p, 0);
  constexpr uint parts = 8;
  uint sums[parts] = {};
#pragma omp parallel for schedule(static)
  for (uint part = 0; part < parts; ++part) {
    uint sum = 0;
    for (uint i = n / parts * part; i < n / parts * (part + 1); ++i) sum += in[i];
    sums[part] = sum;
  }
#pragma omp parallel for schedule(static)
  for (uint part = 0; part < parts; ++part) {
    uint sum = 0;
    for (uint i = 0; i < part; ++i) sum += sums[i];
    for (uint i = n / parts * part; i < n / parts * (part + 1); ++i) {
      const uint x = in[i];
      out[i] = sum;
      sum += x;
    }
  }
}

void barheavy(Problem& p) {
  float* __restrict__ out = floats(p, 0);
  const uint blocks = length(p, 0) / 256;
#pragma omp parallel for schedule(static)
  for (uint block = 0; block < blocks; ++block) {
    float ring[264];
    for (uint l = 0; l < 256; ++l) ring[l] = static_cast<float>(l) * 0.001f;
    for (uint i = 0; i < 32; ++i) {
      ring[256] = ring[0];
      for (uint l = 0; l < 256; ++l) ring[l] = ring[l + 1] * 0.999f + 0.001f;
    }
    std::memcpy(out + std::size_t{256} * block, ring, 4 * 256);
  }
}

void tiny(Problem& p) {
  uint* __restrict__ out = words(p, 0);
  const uint n = length(p, 0);
#pragma omp parallel for schedule(static)
  for (uint i = 0; i < n; ++i) out[i] = i * 3 + 1;
}

constexpr std::pair<std::string_view, PlainRow> rows[] = {
    {"vecadd", vecadd},
    {"saxpy", saxpy},
    {"offcopy", offcopy},
    {"strcopy", strcopy},
    {"stencil", stencil},
    {"reduce", reduce},
    {"hist", hist},
    {"mv_L2", matrix_vector},
    {"mv_L3", matrix_vector},
    {"mv_L4", matrix_vector},
    {"mv_L5", matrix_vector},
    {"mv_L6", matrix_vector},
    {"mv_L7", matrix_vector},
    {"mm_naive", matrix_product},
    {"mm_tiled", matrix_product},
    {"tr_naive", transpose},
    {"tr_tiled", transpose},
    {"spmv", spmv},
    {"bs", black_scholes},
    {"nbody", nbody},
    {"mandel", mandel},
    {"bitonic", bitonic},
    {"scan", scan},
    {"barheavy", barheavy},
    {"tiny", tiny},
};

}  // namespace

PlainRow plain_row(std::string_view name) {
  for (const auto& [known, run] : rows)
    if (known == name) return run;
  return nullptr;
}

}  // namespace heddle::bench
