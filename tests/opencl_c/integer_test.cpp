// 6.15.3 integer functions and 6.15.6 relational ones, against arithmetic in 128 bits; vectors by one width
// each.
#include <functional>

#include "harness.h"
#include "numbers.h"

namespace heddle::opencl_c {
namespace {

using Wide = __int128;
using Reference = std::function<Wide(const Format&, Wide, Wide, Wide)>;

Wide most(const Format& f) { return (Wide{1} << (f.bits() - (f.is_signed ? 1 : 0))) - 1; }
Wide least(const Format& f) { return f.is_signed ? -most(f) - 1 : 0; }
Wide clamped(const Format& f, Wide x) { return x < least(f) ? least(f) : x > most(f) ? most(f) : x; }
uint64_t mask(const Format& f) { return f.bits() == 64 ? ~uint64_t{0} : (uint64_t{1} << f.bits()) - 1; }
Wide floor_half(Wide x) { return x >> 1; }

struct Function {
  std::string name;
  unsigned operands;
  bool unsigned_result;
  Reference reference;
};
const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"abs", 1, true, [](const Format&, Wide a, Wide, Wide) { return a < 0 ? -a : a; }},
      {"abs_diff", 2, true, [](const Format&, Wide a, Wide b, Wide) { return a < b ? b - a : a - b; }},
      {"add_sat", 2, false, [](const Format& f, Wide a, Wide b, Wide) { return clamped(f, a + b); }},
      {"sub_sat", 2, false, [](const Format& f, Wide a, Wide b, Wide) { return clamped(f, a - b); }},
      {"hadd", 2, false, [](const Format&, Wide a, Wide b, Wide) { return floor_half(a + b); }},
      {"rhadd", 2, false, [](const Format&, Wide a, Wide b, Wide) { return floor_half(a + b + 1); }},
      {"max", 2, false, [](const Format&, Wide a, Wide b, Wide) { return std::max(a, b); }},
      {"min", 2, false, [](const Format&, Wide a, Wide b, Wide) { return std::min(a, b); }},
      {"mul_hi", 2, false,
       [](const Format& f, Wide a, Wide b, Wide) {
         if (f.is_signed) return a * b >> f.bits();
         return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) >>
                                  f.bits());
       }},
      {"mad_hi", 3, false,
       [](const Format& f, Wide a, Wide b, Wide c) {
         if (f.is_signed) return (a * b >> f.bits()) + c;
         return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) >>
                                  f.bits()) +
                c;
       }},
      {"mad_sat", 3, false,
       [](const Format& f, Wide a, Wide b, Wide c) {
         if (!f.is_signed && f.bits() == 64) {
           const unsigned __int128 product =
               static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);
           return product > static_cast<unsigned __int128>(most(f))
                      ? most(f)
                      : clamped(f, static_cast<Wide>(product) + c);
         }
         return clamped(f, a * b + c);
       }},
      {"clz", 1, false,
       [](const Format& f, Wide a, Wide, Wide) {
         Wide n = 0;
         for (int i = static_cast<int>(f.bits()) - 1; i >= 0 && (a >> i & 1) == 0; --i) ++n;
         return n;
       }},
      {"ctz", 1, false,
       [](const Format& f, Wide a, Wide, Wide) {
         Wide n = 0;
         for (unsigned i = 0; i < f.bits() && (a >> i & 1) == 0; ++i) ++n;
         return n;
       }},
      {"popcount", 1, false,
       [](const Format& f, Wide a, Wide, Wide) {
         Wide n = 0;
         for (unsigned i = 0; i < f.bits(); ++i) n += a >> i & 1;
         return n;
       }},
      {"rotate", 2, false,
       [](const Format& f, Wide a, Wide b, Wide) {
         const uint64_t x = static_cast<uint64_t>(a) & mask(f);
         const unsigned by = static_cast<unsigned>(static_cast<uint64_t>(b) % f.bits());
         return static_cast<Wide>(by == 0 ? x : ((x << by) | (x >> (f.bits() - by))) & mask(f));
       }},
      {"clamp", 3, false, nullptr},
      {"bitselect", 3, false, [](const Format&, Wide a, Wide b, Wide c) { return (a & ~c) | (b & c); }},
  };
  return all;
}

Wide number(const Format& f, uint64_t bits) {
  if (!f.is_signed) return bits;
  const unsigned shift = 64 - f.bits();
  return static_cast<int64_t>(bits << shift) >> shift;
}
uint64_t bits_at(const Bytes& bytes, const Format& f, std::size_t i) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + i * f.bytes, f.bytes);
  return bits;
}

struct Integers : testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Of, Integers, testing::Range<std::size_t>(0, 8),
                         [](const auto& i) { return formats()[i.param].name; });

TEST_P(Integers, AreExact) {
  const Format& f = formats()[GetParam()];
  // Each type by another width, so that all are met; the functions of vectors are made of the scalar ones.
  constexpr std::array<const char*, 8> widths{"", "2", "3", "4", "8", "16", "", "2"};
  const std::string width = widths[GetParam()];
  constexpr std::size_t count = 48 * 16;
  const std::size_t each = width.empty() ? 1 : std::stoul(width), items = count / each;
  std::string source = prelude;
  for (const Function& function : functions()) {
    if (!function.reference) continue;
    const std::string u = function.unsigned_result && f.is_signed ? "u" + f.name : f.name;
    const auto load = [&](const char* from) {
      return width.empty() ? std::string(from) + "[i]" : "vload" + width + "(i, " + from + ")";
    };
    std::string call = function.name + "(" + load("a");
    if (function.operands > 1) call += ", " + load("b");
    if (function.operands > 2) call += ", " + load("c");
    call += ")";
    const std::string t = "global " + f.name + "* ";
    source += "kernel void test_" + function.name + "(" + t + "a, " + t + "b, " + t + "c, global " + u +
              "* o) { size_t i = get_global_id(0); " +
              (width.empty() ? "o[i] = " + call + "; }\n" : "vstore" + width + "(" + call + ", i, o); }\n");
  }
  std::array<Bytes, 3> given;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto values = samples(f, count, k + 1);
    given[k].resize(count * f.bytes);
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(given[k].data() + i * f.bytes, &values[(i * (k + 1) * 7 + k) % count], f.bytes);
  }
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    for (const Function& function : functions()) {
      if (!function.reference) continue;
      std::vector<Bytes> buffers{given[0], given[1], given[2], Bytes(count * f.bytes)};
      ASSERT_TRUE(program.run("test_" + function.name, buffers,
                              {.global = {static_cast<uint32_t>(items), 1, 1}, .local = {16, 1, 1}}));
      for (std::size_t i = 0; i < count; ++i) {
        const Wide a = number(f, bits_at(given[0], f, i)), b = number(f, bits_at(given[1], f, i)),
                   c = number(f, bits_at(given[2], f, i));
        const uint64_t want = static_cast<uint64_t>(function.reference(f, a, b, c)) & mask(f);
        ASSERT_EQ(bits_at(buffers[3], f, i), want)
            << function.name << " of " << f.name << width << " " << static_cast<int64_t>(a) << ", "
            << static_cast<int64_t>(b) << ", " << static_cast<int64_t>(c);
      }
    }
  });
}

TEST(Upsample, PutsTheHighHalfFirst) {
  const std::string source =
      "kernel void k(global char* a, global uchar* b, global short* o, global uint* u) { size_t i = "
      "get_global_id(0);\n"
      " o[i] = upsample(a[i], b[i]); vstore3(upsample((ushort3)(b[i]), (ushort3)(7, 8, 9)), i, u); }";
  std::vector<int8_t> a(64);
  std::vector<uint8_t> b(64);
  for (int i = 0; i < 64; ++i)
    a[static_cast<std::size_t>(i)] = static_cast<int8_t>(i * 5 - 100),
    b[static_cast<std::size_t>(i)] = static_cast<uint8_t>(i * 11);
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(a), bytes_of(b), Bytes(128), Bytes(64 * 12)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {64, 1, 1}, .local = {64, 1, 1}}));
    const auto o = values_of<int16_t>(buffers[2]);
    const auto u = values_of<uint32_t>(buffers[3]);
    for (std::size_t i = 0; i < 64; ++i) {
      EXPECT_EQ(o[i], static_cast<int16_t>(a[i] * 256 + b[i]));
      for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(u[3 * i + k], uint32_t{b[i]} << 16 | (7 + k));
    }
  });
}

// Scalars say 1, vectors -1; of NaNs only != and the unordered ones are true.
TEST(Relational, VectorsSayMinusOne) {
  constexpr std::array<const char*, 9> names{"isequal",        "isnotequal", "isgreater",
                                             "isgreaterequal", "isless",     "islessequal",
                                             "islessgreater",  "isordered",  "isunordered"};
  constexpr std::array<const char*, 5> tests{"isfinite", "isinf", "isnan", "isnormal", "signbit"};
  std::string source = prelude +
                       "kernel void k(global float* a, global float* b, global double* x, global int* o, "
                       "global long* l) {\n size_t i = get_global_id(0); int n = 0;\n";
  for (const char* name : names) {
    source += std::string("o[i * 64 + n] = ") + name + "(a[i], b[i]); l[i * 64 + n++] = " + name +
              "((double2)(x[i], 0), (double2)(b[i])).x;\n o[i * 64 + n++] = " + name +
              "((float3)(a[i]), (float3)(b[i])).z;\n";
  }
  for (const char* name : tests)
    source += std::string("o[i * 64 + n++] = ") + name + "(a[i]); o[i * 64 + n++] = " + name +
              "((float2)(a[i])).y;\n";
  source += "}";
  const std::vector<float> special{0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 1e-40f};
  std::vector<float> a, b;
  for (const float x : special)
    for (const float y : special) a.push_back(x), b.push_back(y);
  const auto truth = [](std::size_t which, double x, double y) {
    switch (which) {
      case 0: return x == y;
      case 1: return x != y;
      case 2: return x > y;
      case 3: return x >= y;
      case 4: return x < y;
      case 5: return x <= y;
      case 6: return x < y || x > y;
      case 7: return !std::isnan(x) && !std::isnan(y);
      default: return std::isnan(x) || std::isnan(y);
    }
  };
  const auto property = [](std::size_t which, float x) {
    switch (which) {
      case 0: return std::isfinite(x);
      case 1: return std::isinf(x);
      case 2: return std::isnan(x);
      case 3: return std::isnormal(x);
      default: return std::signbit(x);
    }
  };
  std::vector<double> wide(a.begin(), a.end());
  on_both(source, "-cl-std=CL3.0", [&](Program& program) {
    std::vector<Bytes> buffers{bytes_of(a), bytes_of(b), bytes_of(wide), Bytes(64 * 64 * 4),
                               Bytes(64 * 64 * 8)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {64, 1, 1}, .local = {64, 1, 1}}));
    const auto o = values_of<int32_t>(buffers[3]);
    const auto l = values_of<int64_t>(buffers[4]);
    for (std::size_t i = 0; i < 64; ++i) {
      for (std::size_t w = 0; w < names.size(); ++w) {
        const int want = truth(w, a[i], b[i]) ? 1 : 0;
        EXPECT_EQ(o[i * 64 + 2 * w], want) << names[w] << " " << a[i] << " " << b[i];
        EXPECT_EQ(o[i * 64 + 2 * w + 1], -want) << names[w] << " " << a[i] << " " << b[i];
        EXPECT_EQ(l[i * 64 + 2 * w], -want) << names[w] << " " << a[i] << " " << b[i];
      }
      for (std::size_t w = 0; w < tests.size(); ++w) {
        const int want = property(w, a[i]) ? 1 : 0;
        EXPECT_EQ(o[i * 64 + 18 + 2 * w], want) << tests[w] << " " << a[i];
        EXPECT_EQ(o[i * 64 + 19 + 2 * w], -want) << tests[w] << " " << a[i];
      }
    }
  });
}

TEST(Relational, SelectAnyAndAllLookAtTheHighestBit) {
  const std::string source =
      "kernel void k(global int* o) { int n = 0; volatile int top = 0x80000000, low = 1;\n"
      "o[n++] = select(3, 4, low); o[n++] = select((int2)(3, 5), (int2)(4, 6), (int2)(low, top)).x;\n"
      "o[n++] = select((int2)(3, 5), (int2)(4, 6), (int2)(low, top)).y; o[n++] = any(low); o[n++] = "
      "any((int4)(low, low, top, low));\n"
      "o[n++] = all((int3)(top, low, top)); o[n++] = all((int3)(top, top, -1)); o[n++] = any((char)-1);\n"
      "uint4 m = (uint4)(3, 6, 1, 4) + (uint4)(low - 1); int4 s = shuffle((int4)(10, 11, 12, 13), m); o[n++] "
      "= s.x; o[n++] = s.y; o[n++] = s.w;\n"
      "int2 t = shuffle2((int8)(0, 1, 2, 3, 4, 5, 6, 7), (int8)(8, 9, 10, 11, 12, 13, 14, 15), (uint2)(15, "
      "18) + (uint2)(low - 1)); o[n++] = t.x; o[n++] = t.y;\n}";
  on_both(source, "", [&](Program& program) {
    std::vector<Bytes> buffers{Bytes(13 * 4)};
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<int32_t>(buffers[0]),
              (std::vector<int32_t>{4, 3, 6, 0, 1, 0, 1, 1, 13, 12, 10, 15, 2}));
  });
}

// 6.3.4: -1 where it is so, 0 where not; of every type and width, from memory.
TEST(Comparisons, OfVectorsAreMinusOneOrZero) {
  struct Case {
    const char *type, *result;
    unsigned bytes;
  };
  for (const Case& c : {Case{"char", "char", 1},
                        {"short", "short", 2},
                        {"int", "int", 4},
                        {"long", "long", 8},
                        {"half", "short", 2},
                        {"float", "int", 4},
                        {"double", "long", 8}})
    for (const std::string n : {"2", "3", "4", "8", "16"}) {
      SCOPED_TRACE(c.type + n);
      const std::string vector = c.type + n, result = c.result + n;
      const std::string source =
          prelude + "kernel void k(global const " + vector + "* a, global const " + vector + "* b, global " +
          result +
          "* o) {\n"
          "  o[0] = a[0] == b[0]; o[1] = a[0] != b[0]; o[2] = a[0] < b[0]; o[3] = b[0] >= a[0];\n"
          "  o[4] = isequal_(a[0], b[0]);\n}\n";
      const bool floating = std::string(c.type) != c.result || c.type[0] == 'f' || c.type[0] == 'd';
      const std::string head =
          floating ? "#define isequal_ isequal\n" : "#define isequal_(a, b) ((a) == (b))\n";
      const unsigned width = static_cast<unsigned>(std::stoul(n)), step = width == 3 ? 4 : width;
      // Small positive patterns are in the order of their numbers in each of the formats.
      std::vector<uint8_t> a(step * c.bytes), b(step * c.bytes);
      for (unsigned i = 0; i < step; ++i) {
        a[i * c.bytes] = static_cast<uint8_t>(i);
        b[i * c.bytes] = static_cast<uint8_t>(i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : 0);
      }
      on_both(head + source, "", [&](Program& program) {
        std::vector<Bytes> buffers{bytes_of(a), bytes_of(b), Bytes(5 * step * c.bytes)};
        ASSERT_TRUE(program.run("k", buffers, {}));
        const auto out = values_of<uint8_t>(buffers[2]);
        for (unsigned i = 0; i < width; ++i) {
          const unsigned x = a[i * c.bytes], y = b[i * c.bytes];
          const bool expected[5] = {x == y, x != y, x < y, y >= x, x == y};
          for (unsigned k = 0; k < 5; ++k)
            for (unsigned byte = 0; byte < c.bytes; ++byte)
              EXPECT_EQ(out[(k * step + i) * c.bytes + byte], expected[k] ? 255 : 0)
                  << "comparison " << k << ", element " << i;
        }
      });
    }
}

}  // namespace
}  // namespace heddle::opencl_c
