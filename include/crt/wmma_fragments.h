// The fragments of nvcuda::wmma: each thread's share of a matrix, in registers. Which elements a thread has
// is the machine's secret; how many it has is PTX ISA's, "Matrix Fragments for WMMA".
#ifndef HEDDLE_CRT_WMMA_FRAGMENTS_H
#define HEDDLE_CRT_WMMA_FRAGMENTS_H

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;

enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

// What a fragment's elements are kept as: themselves, or packed numbers in an int.
template <class T>
struct HeddleStorage {
  typedef T element_type;
  typedef T storage_element_type;
  static const int packed = 1;
};
template <>
struct HeddleStorage<precision::tf32> {
  typedef precision::tf32 element_type;
  typedef float storage_element_type;
  static const int packed = 1;
};
#define HEDDLE_PACKED_(name, bits)                      \
  template <>                                           \
  struct HeddleStorage<experimental::precision::name> { \
    typedef experimental::precision::name element_type; \
    typedef int storage_element_type;                   \
    static const int packed = 32 / bits;                \
  };
HEDDLE_PACKED_(u4, 4)
HEDDLE_PACKED_(s4, 4)
HEDDLE_PACKED_(b1, 1)
#undef HEDDLE_PACKED_

template <class T, int storage_elements>
struct HeddleFragment {
  typedef typename HeddleStorage<T>::element_type element_type;
  typedef typename HeddleStorage<T>::storage_element_type storage_element_type;
  enum {
    num_storage_elements = storage_elements,
    num_elements = storage_elements * HeddleStorage<T>::packed
  };
  __attribute__((aligned(storage_elements * sizeof(storage_element_type) >= 16
                             ? 16
                             : 4))) storage_element_type x[storage_elements];
};

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment;

#define HEDDLE_INPUT_(use, m, n, k, type, elements) \
  template <class Layout>                           \
  class fragment<use, m, n, k, type, Layout> : public HeddleFragment<type, elements> {};
#define HEDDLE_INPUTS_(m, n, k, type, a_elements, b_elements) \
  HEDDLE_INPUT_(matrix_a, m, n, k, type, a_elements)          \
  HEDDLE_INPUT_(matrix_b, m, n, k, type, b_elements)
#define HEDDLE_ACCUMULATOR_(m, n, k, type, elements) \
  template <>                                        \
  class fragment<accumulator, m, n, k, type> : public HeddleFragment<type, elements> {};

#define HEDDLE_SHAPES_(type, square, long_side, short_side) \
  HEDDLE_INPUTS_(16, 16, 16, type, square, square)          \
  HEDDLE_INPUTS_(32, 8, 16, type, long_side, short_side)    \
  HEDDLE_INPUTS_(8, 32, 16, type, short_side, long_side)
HEDDLE_SHAPES_(__half, 16, 16, 16)
HEDDLE_SHAPES_(__nv_bfloat16, 8, 16, 4)
HEDDLE_SHAPES_(signed char, 8, 16, 4)
HEDDLE_SHAPES_(unsigned char, 8, 16, 4)
HEDDLE_INPUTS_(16, 16, 8, precision::tf32, 4, 4)
HEDDLE_INPUTS_(8, 8, 4, double, 1, 1)
HEDDLE_INPUTS_(8, 8, 32, experimental::precision::s4, 1, 1)
HEDDLE_INPUTS_(8, 8, 32, experimental::precision::u4, 1, 1)
HEDDLE_INPUTS_(8, 8, 128, experimental::precision::b1, 1, 1)

#define HEDDLE_ACCUMULATORS_(type)         \
  HEDDLE_ACCUMULATOR_(16, 16, 16, type, 8) \
  HEDDLE_ACCUMULATOR_(32, 8, 16, type, 8)  \
  HEDDLE_ACCUMULATOR_(8, 32, 16, type, 8)
HEDDLE_ACCUMULATORS_(__half)
HEDDLE_ACCUMULATORS_(float)
HEDDLE_ACCUMULATORS_(int)
HEDDLE_ACCUMULATOR_(16, 16, 8, float, 8)
HEDDLE_ACCUMULATOR_(8, 8, 4, double, 2)
HEDDLE_ACCUMULATOR_(8, 8, 32, int, 2)
HEDDLE_ACCUMULATOR_(8, 8, 128, int, 2)

#undef HEDDLE_ACCUMULATORS_
#undef HEDDLE_SHAPES_
#undef HEDDLE_ACCUMULATOR_
#undef HEDDLE_INPUTS_
#undef HEDDLE_INPUT_

}  // namespace wmma
}  // namespace nvcuda

#endif
