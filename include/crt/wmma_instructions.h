// Loading, multiplying and storing wmma fragments: one PTX instruction each (PTX ISA, "Warp-level Matrix
// Instructions").
#ifndef HEDDLE_CRT_WMMA_INSTRUCTIONS_H
#define HEDDLE_CRT_WMMA_INSTRUCTIONS_H

namespace nvcuda {
namespace wmma {

#define HEDDLE_WMMA_ static __device__ __forceinline__

template <class Use, int m, int n, int k, class T, class Layout, class Value>
HEDDLE_WMMA_ void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const Value& value) {
#pragma unroll
  for (int i = 0; i < f.num_storage_elements; ++i)
    f.x[i] = (typename fragment<Use, m, n, k, T, Layout>::storage_element_type)value;
}
HEDDLE_WMMA_ float __float_to_tf32(float value) {
  unsigned int bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

// A fragment as registers of `count` words: R is unsigned int for packed and 16-bit elements, else the
// element itself.
template <class R, int count, class Fragment>
HEDDLE_WMMA_ void registers_of(R (&to)[count], const Fragment& from) {
  static_assert(sizeof(to) == sizeof(from.x), "a fragment fills its registers");
  __builtin_memcpy(to, from.x, sizeof(to));
}
template <class R, int count, class Fragment>
HEDDLE_WMMA_ void fragment_of(Fragment& to, const R (&from)[count]) {
  static_assert(sizeof(from) == sizeof(to.x), "a fragment fills its registers");
  __builtin_memcpy((void*)to.x, from, sizeof(from));
}

// Operand lists of 1, 2, 4 and 8 registers: as text, as outputs, as inputs.
#define HEDDLE_TEXT_1(x) "{%[" #x "0]}"
#define HEDDLE_TEXT_2(x) "{%[" #x "0], %[" #x "1]}"
#define HEDDLE_TEXT_4(x) "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3]}"
#define HEDDLE_TEXT_8(x) \
  "{%[" #x "0], %[" #x "1], %[" #x "2], %[" #x "3], %[" #x "4], %[" #x "5], %[" #x "6], %[" #x "7]}"
#define HEDDLE_OUT_1(x, c) [x##0] "=" c(x[0])
#define HEDDLE_OUT_2(x, c) [x##0] "=" c(x[0]), [x##1] "=" c(x[1])
#define HEDDLE_OUT_4(x, c) [x##0] "=" c(x[0]), [x##1] "=" c(x[1]), [x##2] "=" c(x[2]), [x##3] "=" c(x[3])
#define HEDDLE_OUT_8(x, c)                                                                            \
  [x##0] "=" c(x[0]), [x##1] "=" c(x[1]), [x##2] "=" c(x[2]), [x##3] "=" c(x[3]), [x##4] "=" c(x[4]), \
      [x##5] "=" c(x[5]), [x##6] "=" c(x[6]), [x##7] "=" c(x[7])
#define HEDDLE_IN_1(x, c) [x##0] c(x[0])
#define HEDDLE_IN_2(x, c) [x##0] c(x[0]), [x##1] c(x[1])
#define HEDDLE_IN_4(x, c) [x##0] c(x[0]), [x##1] c(x[1]), [x##2] c(x[2]), [x##3] c(x[3])
#define HEDDLE_IN_8(x, c)                                                                         \
  [x##0] c(x[0]), [x##1] c(x[1]), [x##2] c(x[2]), [x##3] c(x[3]), [x##4] c(x[4]), [x##5] c(x[5]), \
      [x##6] c(x[6]), [x##7] c(x[7])

// ---- Loads and stores

#define HEDDLE_LOAD_AS_(use, letter, m, n, k, type, pointer, ptx, reg, c, count, layout, layout_ptx) \
  HEDDLE_WMMA_ void load_matrix_sync(fragment<use, m, n, k, type, layout>& f, const pointer* p,      \
                                     unsigned int ldm) {                                             \
    reg r[count];                                                                                    \
    asm volatile("wmma.load." letter ".sync.aligned." layout_ptx ".m" #m "n" #n "k" #k "." ptx       \
                 " " HEDDLE_TEXT_##count(r) ", [%[p]], %[ldm];"                                      \
                 : HEDDLE_OUT_##count(r, c)                                                          \
                 : [p] "l"(p), [ldm] "r"(ldm)                                                        \
                 : "memory");                                                                        \
    fragment_of(f, r);                                                                               \
  }
#define HEDDLE_LOAD_(m, n, k, type, pointer, ptx, reg, c, a_count, b_count)                      \
  HEDDLE_LOAD_AS_(matrix_a, "a", m, n, k, type, pointer, ptx, reg, c, a_count, row_major, "row") \
  HEDDLE_LOAD_AS_(matrix_a, "a", m, n, k, type, pointer, ptx, reg, c, a_count, col_major, "col") \
  HEDDLE_LOAD_AS_(matrix_b, "b", m, n, k, type, pointer, ptx, reg, c, b_count, row_major, "row") \
  HEDDLE_LOAD_AS_(matrix_b, "b", m, n, k, type, pointer, ptx, reg, c, b_count, col_major, "col")
// Only a by rows with b by columns.
#define HEDDLE_LOAD_ROW_COL_(m, n, k, type, ptx)                                                   \
  HEDDLE_LOAD_AS_(matrix_a, "a", m, n, k, type, void, ptx, unsigned int, "r", 1, row_major, "row") \
  HEDDLE_LOAD_AS_(matrix_b, "b", m, n, k, type, void, ptx, unsigned int, "r", 1, col_major, "col")
#define HEDDLE_ACCUMULATE_(m, n, k, type, ptx, reg, c, count)                                 \
  HEDDLE_WMMA_ void load_matrix_sync(fragment<accumulator, m, n, k, type>& f, const type* p,  \
                                     unsigned int ldm, layout_t layout) {                     \
    reg r[count];                                                                             \
    if (layout == mem_row_major)                                                              \
      asm volatile("wmma.load.c.sync.aligned.row.m" #m "n" #n "k" #k "." ptx                  \
                   " " HEDDLE_TEXT_##count(r) ", [%[p]], %[ldm];"                             \
                   : HEDDLE_OUT_##count(r, c)                                                 \
                   : [p] "l"(p), [ldm] "r"(ldm)                                               \
                   : "memory");                                                               \
    else                                                                                      \
      asm volatile("wmma.load.c.sync.aligned.col.m" #m "n" #n "k" #k "." ptx                  \
                   " " HEDDLE_TEXT_##count(r) ", [%[p]], %[ldm];"                             \
                   : HEDDLE_OUT_##count(r, c)                                                 \
                   : [p] "l"(p), [ldm] "r"(ldm)                                               \
                   : "memory");                                                               \
    fragment_of(f, r);                                                                        \
  }                                                                                           \
  HEDDLE_WMMA_ void store_matrix_sync(type* p, const fragment<accumulator, m, n, k, type>& f, \
                                      unsigned int ldm, layout_t layout) {                    \
    reg r[count];                                                                             \
    registers_of(r, f);                                                                       \
    if (layout == mem_row_major)                                                              \
      asm volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx                 \
                   " [%[p]], " HEDDLE_TEXT_##count(r) ", %[ldm];" ::[p] "l"(p),               \
                   [ldm] "r"(ldm), HEDDLE_IN_##count(r, c)                                    \
                   : "memory");                                                               \
    else                                                                                      \
      asm volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx                 \
                   " [%[p]], " HEDDLE_TEXT_##count(r) ", %[ldm];" ::[p] "l"(p),               \
                   [ldm] "r"(ldm), HEDDLE_IN_##count(r, c)                                    \
                   : "memory");                                                               \
  }

#define HEDDLE_LOAD_SHAPES_(type, ptx, square, long_side, short_side)                \
  HEDDLE_LOAD_(16, 16, 16, type, type, ptx, unsigned int, "r", square, square)       \
  HEDDLE_LOAD_(32, 8, 16, type, type, ptx, unsigned int, "r", long_side, short_side) \
  HEDDLE_LOAD_(8, 32, 16, type, type, ptx, unsigned int, "r", short_side, long_side)
HEDDLE_LOAD_SHAPES_(__half, "f16", 8, 8, 8)
HEDDLE_LOAD_SHAPES_(__nv_bfloat16, "bf16", 4, 8, 2)
HEDDLE_LOAD_SHAPES_(signed char, "s8", 2, 4, 1)
HEDDLE_LOAD_SHAPES_(unsigned char, "u8", 2, 4, 1)
HEDDLE_LOAD_(16, 16, 8, precision::tf32, float, "tf32", unsigned int, "r", 4, 4)
HEDDLE_LOAD_(8, 8, 4, double, double, "f64", double, "d", 1, 1)
HEDDLE_LOAD_ROW_COL_(8, 8, 32, experimental::precision::s4, "s4")
HEDDLE_LOAD_ROW_COL_(8, 8, 32, experimental::precision::u4, "u4")
HEDDLE_LOAD_ROW_COL_(8, 8, 128, experimental::precision::b1, "b1")
#define HEDDLE_ACCUMULATE_SHAPES_(type, ptx, reg, c, count) \
  HEDDLE_ACCUMULATE_(16, 16, 16, type, ptx, reg, c, count)  \
  HEDDLE_ACCUMULATE_(32, 8, 16, type, ptx, reg, c, count)   \
  HEDDLE_ACCUMULATE_(8, 32, 16, type, ptx, reg, c, count)
HEDDLE_ACCUMULATE_SHAPES_(__half, "f16", unsigned int, "r", 4)
HEDDLE_ACCUMULATE_SHAPES_(float, "f32", float, "f", 8)
HEDDLE_ACCUMULATE_SHAPES_(int, "s32", int, "r", 8)
HEDDLE_ACCUMULATE_(16, 16, 8, float, "f32", float, "f", 8)
HEDDLE_ACCUMULATE_(8, 8, 4, double, "f64", double, "d", 2)
HEDDLE_ACCUMULATE_(8, 8, 32, int, "s32", int, "r", 2)
HEDDLE_ACCUMULATE_(8, 8, 128, int, "s32", int, "r", 2)

// ---- Products: d = a b + c. `ab` are a's and b's registers, `dc` those of d and c.

#define HEDDLE_MMA_ASM_(text, d_count, d_c, a_count, b_count, ab_c, c_count, c_c)                          \
  asm volatile(text " " HEDDLE_TEXT_##d_count(d) ", " HEDDLE_TEXT_##a_count(a) ", " HEDDLE_TEXT_##b_count( \
                   b) ", " HEDDLE_TEXT_##c_count(c) ";"                                                    \
               : HEDDLE_OUT_##d_count(d, d_c)                                                              \
               : HEDDLE_IN_##a_count(a, ab_c), HEDDLE_IN_##b_count(b, ab_c), HEDDLE_IN_##c_count(c, c_c))
#define HEDDLE_MMA_AS_(la, la_ptx, lb, lb_ptx, m, n, k, type, reg, ab_c, a_count, b_count, d_type, d_reg,   \
                       d_c, d_count, c_type, c_reg, c_c, c_count, types, satisfy)                           \
  HEDDLE_WMMA_ void mma_sync(fragment<accumulator, m, n, k, d_type>& df,                                    \
                             const fragment<matrix_a, m, n, k, type, la>& af,                               \
                             const fragment<matrix_b, m, n, k, type, lb>& bf,                               \
                             const fragment<accumulator, m, n, k, c_type>& cf, bool satf = false) {         \
    reg a[a_count], b[b_count];                                                                             \
    c_reg c[c_count];                                                                                       \
    d_reg d[d_count];                                                                                       \
    registers_of(a, af);                                                                                    \
    registers_of(b, bf);                                                                                    \
    registers_of(c, cf);                                                                                    \
    if (satf)                                                                                               \
      HEDDLE_MMA_ASM_("wmma.mma.sync.aligned." la_ptx "." lb_ptx ".m" #m "n" #n "k" #k types satisfy,       \
                      d_count, d_c, a_count, b_count, ab_c, c_count, c_c);                                  \
    else                                                                                                    \
      HEDDLE_MMA_ASM_("wmma.mma.sync.aligned." la_ptx "." lb_ptx ".m" #m "n" #n "k" #k types, d_count, d_c, \
                      a_count, b_count, ab_c, c_count, c_c);                                                \
    fragment_of(df, d);                                                                                     \
  }
#define HEDDLE_MMA_(...)                                          \
  HEDDLE_MMA_AS_(row_major, "row", row_major, "row", __VA_ARGS__) \
  HEDDLE_MMA_AS_(row_major, "row", col_major, "col", __VA_ARGS__) \
  HEDDLE_MMA_AS_(col_major, "col", row_major, "row", __VA_ARGS__) \
  HEDDLE_MMA_AS_(col_major, "col", col_major, "col", __VA_ARGS__)

#define HEDDLE_MMA_HALF_(m, n, k)                                                                           \
  HEDDLE_MMA_(m, n, k, __half, unsigned int, "r", 8, 8, __half, unsigned int, "r", 4, __half, unsigned int, \
              "r", 4, ".f16.f16", ".satfinite")                                                             \
  HEDDLE_MMA_(m, n, k, __half, unsigned int, "r", 8, 8, float, float, "f", 8, __half, unsigned int, "r", 4, \
              ".f32.f16", ".satfinite")                                                                     \
  HEDDLE_MMA_(m, n, k, __half, unsigned int, "r", 8, 8, __half, unsigned int, "r", 4, float, float, "f", 8, \
              ".f16.f32", ".satfinite")                                                                     \
  HEDDLE_MMA_(m, n, k, __half, unsigned int, "r", 8, 8, float, float, "f", 8, float, float, "f", 8,         \
              ".f32.f32", ".satfinite")
HEDDLE_MMA_HALF_(16, 16, 16)
HEDDLE_MMA_HALF_(32, 8, 16)
HEDDLE_MMA_HALF_(8, 32, 16)
#define HEDDLE_MMA_SHAPES_(type, square, long_side, short_side, d_type, d_c, types, satisfy)               \
  HEDDLE_MMA_(16, 16, 16, type, unsigned int, "r", square, square, d_type, d_type, d_c, 8, d_type, d_type, \
              d_c, 8, types, satisfy)                                                                      \
  HEDDLE_MMA_(32, 8, 16, type, unsigned int, "r", long_side, short_side, d_type, d_type, d_c, 8, d_type,   \
              d_type, d_c, 8, types, satisfy)                                                              \
  HEDDLE_MMA_(8, 32, 16, type, unsigned int, "r", short_side, long_side, d_type, d_type, d_c, 8, d_type,   \
              d_type, d_c, 8, types, satisfy)
HEDDLE_MMA_SHAPES_(__nv_bfloat16, 4, 8, 2, float, "f", ".f32.bf16.bf16.f32", "")
HEDDLE_MMA_SHAPES_(signed char, 2, 4, 1, int, "r", ".s32.s8.s8.s32", ".satfinite")
HEDDLE_MMA_SHAPES_(unsigned char, 2, 4, 1, int, "r", ".s32.u8.u8.s32", ".satfinite")
HEDDLE_MMA_(16, 16, 8, precision::tf32, unsigned int, "r", 4, 4, float, float, "f", 8, float, float, "f", 8,
            ".f32.tf32.tf32.f32", "")
HEDDLE_MMA_(8, 8, 4, double, double, "d", 1, 1, double, double, "d", 2, double, double, "d", 2,
            ".f64.f64.f64.f64", "")
HEDDLE_MMA_AS_(row_major, "row", col_major, "col", 8, 8, 32, experimental::precision::s4, unsigned int, "r",
               1, 1, int, int, "r", 2, int, int, "r", 2, ".s32.s4.s4.s32", ".satfinite")
HEDDLE_MMA_AS_(row_major, "row", col_major, "col", 8, 8, 32, experimental::precision::u4, unsigned int, "r",
               1, 1, int, int, "r", 2, int, int, "r", 2, ".s32.u4.u4.s32", ".satfinite")

// Bits: xor or and of a row with a column, counted.
HEDDLE_WMMA_ void bmma_sync(fragment<accumulator, 8, 8, 128, int>& df,
                            const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& af,
                            const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& bf,
                            const fragment<accumulator, 8, 8, 128, int>& cf,
                            experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                            experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  unsigned int a[1], b[1];
  int c[2], d[2];
  registers_of(a, af);
  registers_of(b, bf);
  registers_of(c, cf);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if (op == experimental::bmmaBitOpAND) {
    HEDDLE_MMA_ASM_("wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, "r", 1, 1, "r", 2,
                    "r");
    fragment_of(df, d);
    return;
  }
#endif
  HEDDLE_MMA_ASM_("wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 2, "r", 1, 1, "r", 2, "r");
  fragment_of(df, d);
}
namespace experimental {
using wmma::bmma_sync;
}

#undef HEDDLE_WMMA_
#undef HEDDLE_TEXT_1
#undef HEDDLE_TEXT_2
#undef HEDDLE_TEXT_4
#undef HEDDLE_TEXT_8
#undef HEDDLE_OUT_1
#undef HEDDLE_OUT_2
#undef HEDDLE_OUT_4
#undef HEDDLE_OUT_8
#undef HEDDLE_IN_1
#undef HEDDLE_IN_2
#undef HEDDLE_IN_4
#undef HEDDLE_IN_8
#undef HEDDLE_LOAD_AS_
#undef HEDDLE_LOAD_
#undef HEDDLE_LOAD_ROW_COL_
#undef HEDDLE_ACCUMULATE_
#undef HEDDLE_LOAD_SHAPES_
#undef HEDDLE_ACCUMULATE_SHAPES_
#undef HEDDLE_MMA_ASM_
#undef HEDDLE_MMA_AS_
#undef HEDDLE_MMA_
#undef HEDDLE_MMA_HALF_
#undef HEDDLE_MMA_SHAPES_

}  // namespace wmma
}  // namespace nvcuda

#endif
