// Which products there are: types that go together, sizes, orders.
#include <algorithm>
#include <span>

#include "libs/cublaslt/matmul.h"

namespace heddle::cublaslt {
namespace {

constexpr auto fp4 = CUDA_R_4F_E2M1;

// cuBLASLt, "cublasLtMatmul": computation, scale, A and B, C, and D, where `same` is the type of C.
constexpr int same = -1;
struct Combination {
  int scale, a, b, c, d;
};
constexpr Combination in_half[] = {{CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, same}};
constexpr Combination in_integer[] = {{CUDA_R_32I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, same},
                                      {CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, same}};
constexpr Combination in_double[] = {{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, same},
                                     {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, same}};
constexpr Combination in_fast_float[] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, same},
                                         {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, same}};
constexpr auto half = CUDA_R_16F, bf16 = CUDA_R_16BF, e4m3 = CUDA_R_8F_E4M3, e5m2 = CUDA_R_8F_E5M2,
               single = CUDA_R_32F;
constexpr Combination in_float[] = {
    {single, bf16, bf16, bf16, same},
    {single, half, half, half, same},
    {single, CUDA_R_8I, CUDA_R_8I, single, same},
    {single, bf16, bf16, single, same},
    {single, half, half, single, same},
    {single, single, single, single, same},
    {CUDA_C_32F, CUDA_C_8I, CUDA_C_8I, CUDA_C_32F, same},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, same},
    {single, e4m3, e4m3, bf16, same},
    {single, e4m3, e4m3, bf16, e4m3},
    {single, e4m3, e4m3, half, same},
    {single, e4m3, e4m3, half, e4m3},
    {single, e4m3, e4m3, single, same},
    {single, e4m3, e5m2, bf16, same},
    {single, e4m3, e5m2, bf16, e4m3},
    {single, e4m3, e5m2, bf16, e5m2},
    {single, e4m3, e5m2, half, same},
    {single, e4m3, e5m2, half, e4m3},
    {single, e4m3, e5m2, half, e5m2},
    {single, e4m3, e5m2, single, same},
    {single, e5m2, e4m3, bf16, same},
    {single, e5m2, e4m3, bf16, e4m3},
    {single, e5m2, e4m3, bf16, e5m2},
    {single, e5m2, e4m3, half, same},
    {single, e5m2, e4m3, half, e4m3},
    {single, e5m2, e4m3, half, e5m2},
    {single, e5m2, e4m3, single, same},
    {single, fp4, fp4, bf16, same},
    {single, fp4, fp4, bf16, fp4},
    {single, fp4, fp4, half, same},
    {single, fp4, fp4, half, fp4},
    {single, fp4, fp4, single, same},
    // In planes alone.
    {CUDA_C_32F, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, same},
    {CUDA_C_32F, CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF, same},
};

std::span<const Combination> combinations(cublasComputeType_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return in_half;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return in_integer;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC: return in_float;
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9: return in_fast_float;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: return in_double;
  }
  refuse(Why::invalid_value, "no such type of computation");
}

void check_types(const Operation& op, cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType d) {
  for (const Combination& good : combinations(op.compute))
    if (good.scale == op.scale && good.a == a && good.b == b && good.c == c &&
        (good.d == same ? d == c : d == good.d))
      return;
  refuse(Why::not_supported, "element types " + std::to_string(a) + ", " + std::to_string(b) + ", " +
                                 std::to_string(c) + " and " + std::to_string(d) + " with scale type " +
                                 std::to_string(op.scale) + " do not go with computation " +
                                 std::to_string(op.compute));
}

void check_layout(const Layout& layout, const char* name) {
  const auto say = [&](const char* words) { refuse(Why::invalid_value, std::string(name) + ": " + words); };
  const auto lack = [&](const char* words) { refuse(Why::not_supported, std::string(name) + ": " + words); };
  const bool by_lines = layout.order == CUBLASLT_ORDER_COL || layout.order == CUBLASLT_ORDER_ROW;
  if (!by_lines && !in_tiles(layout.order)) say("no such order");
  if (layout.batch_mode != CUBLASLT_BATCH_MODE_STRIDED &&
      layout.batch_mode != CUBLASLT_BATCH_MODE_POINTER_ARRAY)
    say("no such mode of batches");
  const bool halves = layout.type == CUDA_C_16F || layout.type == CUDA_C_16BF;
  if (halves != (layout.plane != 0)) lack("complex numbers of halves, and only those, lie in planes");
  if (layout.order != CUBLASLT_ORDER_COL && (halves || layout.type == fp4))
    lack("planes and 4-bit numbers are by columns");
  if (layout.type == fp4 && (layout.ld % 2 != 0 || layout.stride % 2 != 0))
    say("the leading dimension or the stride of 4-bit numbers is odd");
  if (layout.rows > INT64_MAX / 2 || layout.columns > INT64_MAX / 2)
    say("more rows or columns than there can be");
  // How far groups of columns lie apart is not looked at, as on an H200.
  const uint64_t line = layout.order == CUBLASLT_ORDER_COL   ? layout.rows
                        : layout.order == CUBLASLT_ORDER_ROW ? layout.columns
                                                             : 0;
  if (layout.ld < static_cast<int64_t>(line))
    say("the leading dimension is less than a column (of a matrix by rows: than a row)");
  if (layout.batch < 1) say("a batch of less than 1");
}

// Scales: what an H200 calls invalid and what it says it has not, as it does; of 4-bit numbers and powers of
// two, which it has not at all, as the library documents them.
void check_scale_modes(const Problem& p) {
  const Operation& op = p.operation;
  const cudaDataType a = p.stored_a.layout.type, b = p.stored_b.layout.type, d = p.stored_d.layout.type;
  const auto known = [](int32_t mode) {
    return mode >= CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F && mode < CUBLASLT_MATMUL_MATRIX_SCALE_END;
  };
  for (const int32_t mode : {op.a_mode, op.b_mode, op.c_mode, op.d_mode, op.aux_mode, op.d_out_mode})
    require(known(mode), "no such mode of scales");
  require(is_narrow(a) || (op.a_scale == nullptr && op.a_mode == 0), "a scale of an A that is not narrow");
  require(is_narrow(b) || (op.b_scale == nullptr && op.b_mode == 0), "a scale of a B that is not narrow");
  if (op.c_mode != 0 || op.d_mode != 0 || op.aux_mode != 0)
    refuse(Why::not_supported, "scales of blocks of C, of the auxiliary buffer or given for D");
  require(op.a_mode == 0 || op.a_scale != nullptr, "A has scales of blocks, and their pointer is NULL");
  require(op.b_mode == 0 || op.b_scale != nullptr, "B has scales of blocks, and their pointer is NULL");

  constexpr int vec16 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3,
                vec32 = CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0,
                outer = CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F,
                square = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  if (a == fp4 && (op.a_mode != vec16 || op.b_mode != vec16))
    refuse(Why::not_supported, "4-bit numbers without a scale for each 16");
  if ((op.a_mode == vec16 || op.b_mode == vec16) && a != fp4)
    refuse(Why::not_supported, "a scale for each 16 of other numbers than those of 4 bits");
  if (op.a_mode != 0 || op.b_mode != 0) {
    if (op.transa != CUBLAS_OP_T || op.transb != CUBLAS_OP_N)
      refuse(Why::not_supported, "scales of blocks are for a transposed A and a B that is not");
    require((op.a_mode == outer) == (op.b_mode == outer) && (op.a_mode == vec32) == (op.b_mode == vec32),
            "A and B have scales that do not go together");
    require(op.a_mode != 0 && op.b_mode != 0, "scales of blocks of one operand alone");
    if (op.a_mode == square && op.b_mode == square)
      refuse(Why::not_supported, "scales of square blocks of both operands");
    require(op.a_mode != outer || !is_narrow(d), "scales of rows and columns with a narrow D");
  }
  // Of a narrow result with scaled blocks, those of the operands' kind.
  if (op.d_out_scale == nullptr) {
    require(op.d_out_mode == 0, "D gets scales of blocks, and their pointer is NULL");
    require(d != fp4, "a D of 4-bit numbers without a place for its scales");
    return;
  }
  if (d == fp4 ? op.d_out_mode != vec16 : op.d_out_mode != vec32 || !is_narrow(d) || op.a_mode != vec32)
    refuse(Why::not_supported, "such scales of a D of this type");
}

bool transposed(cublasOperation_t op) {
  switch (op) {
    case CUBLAS_OP_N: return false;
    case CUBLAS_OP_T:
    case CUBLAS_OP_C: return true;
    default: refuse(Why::invalid_value, "an operation that is none of N, T, C");
  }
}

// The letter for a matrix as it lies in memory, by columns.
char letter(cublasOperation_t op, const Layout& layout, bool swapped) {
  const bool turned = transposed(op) != ((layout.order == CUBLASLT_ORDER_ROW) != swapped);
  const bool conjugated = op == CUBLAS_OP_C && cublas::is_complex_type(layout.type);
  if (conjugated && !turned) refuse(Why::not_supported, "a conjugated matrix by rows");
  return conjugated ? 'C' : turned ? 'T' : 'N';
}

void check_epilogue(const Operation& op, const Layout& d) {
  switch (op.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT: break;
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_AUX:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DRELU:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
      if (cublas::is_complex_type(d.type) || d.type == CUDA_R_64F || op.scale == CUDA_R_32I)
        refuse(Why::not_supported, "an epilogue of complex, double or 32-bit integer results");
      break;
    default: refuse(Why::invalid_value, "no epilogue " + std::to_string(op.epilogue));
  }
  const auto type_known = [](int32_t type) {
    return type == -1 || type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F ||
           type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
  };
  if (!type_known(op.bias_type) || !type_known(op.aux_type))
    refuse(Why::not_supported, "this type of bias or of the auxiliary buffer");
}

}  // namespace

Problem problem(const cublasLtMatmulDesc_t operation, const cublasLtMatrixLayout_t a,
                const cublasLtMatrixLayout_t b, const cublasLtMatrixLayout_t c,
                const cublasLtMatrixLayout_t d) {
  Problem p;
  p.operation = get(operation, "computeDesc");
  const Operation& op = p.operation;
  p.stored_a = {get(a, "Adesc"), op.a_mode, op.a_scale};
  p.stored_b = {get(b, "Bdesc"), op.b_mode, op.b_scale};
  p.stored_c = {get(c, "Cdesc"), 0, nullptr};
  p.stored_d = {get(d, "Ddesc"), op.d_out_mode, op.d_out_scale};
  const auto taken = [](const Stored& stored, const char* name) {
    check_layout(stored.layout, name);
    return stored.apart() ? stored.gathered() : stored.layout;
  };
  p.a = taken(p.stored_a, "A");
  p.b = taken(p.stored_b, "B");
  p.c = taken(p.stored_c, "C");
  p.d = taken(p.stored_d, "D");
  require(op.pointers >= CUBLASLT_POINTER_MODE_HOST &&
              op.pointers <= CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST,
          "no such pointer mode");
  check_types(op, p.stored_a.layout.type, p.stored_b.layout.type, p.stored_c.layout.type,
              p.stored_d.layout.type);
  check_scale_modes(p);
  check_epilogue(op, p.d);
  if (op.transc != CUBLAS_OP_N) refuse(Why::not_supported, "a C that is transposed");
  if (op.fill != CUBLAS_FILL_MODE_FULL) refuse(Why::not_supported, "a triangle of D alone");
  if (p.c.order != p.d.order) refuse(Why::not_supported, "C and D of two orders");

  const bool ta = transposed(op.transa), tb = transposed(op.transb);
  const uint64_t m = p.d.rows, n = p.d.columns, k = ta ? p.a.rows : p.a.columns;
  require((ta ? p.a.columns : p.a.rows) == m, "op(A) has not as many rows as D");
  require((tb ? p.b.rows : p.b.columns) == n, "op(B) has not as many columns as D");
  require((tb ? p.b.columns : p.b.rows) == k, "op(B) has not as many rows as op(A) columns");
  require(p.c.rows == m && p.c.columns == n, "C has not the size of D");
  require(p.a.batch == p.d.batch && p.b.batch == p.d.batch && p.c.batch == p.d.batch,
          "batches of different numbers");
  require(p.a.batch_mode == p.d.batch_mode && p.b.batch_mode == p.d.batch_mode &&
              p.c.batch_mode == p.d.batch_mode,
          "batches by arrays of pointers and by strides together");
  p.batch = p.d.batch;
  p.sums = op.scale == CUDA_R_16F                                                          ? CUDA_R_32F
           : op.compute == CUBLAS_COMPUTE_32I || op.compute == CUBLAS_COMPUTE_32I_PEDANTIC ? CUDA_R_32I
                                                                                           : op.scale;

  p.swapped = p.d.order == CUBLASLT_ORDER_ROW;
  const char opa = letter(op.transa, p.a, p.swapped), opb = letter(op.transb, p.b, p.swapped);
  cublas::Shape& s = p.shape;
  s.m = static_cast<int64_t>(p.swapped ? n : m);
  s.n = static_cast<int64_t>(p.swapped ? m : n);
  s.k = static_cast<int64_t>(k);
  s.opa = p.swapped ? opb : opa;
  s.opb = p.swapped ? opa : opb;
  s.lda = std::max<int64_t>(1, p.swapped ? p.b.ld : p.a.ld);
  s.ldb = std::max<int64_t>(1, p.swapped ? p.a.ld : p.b.ld);
  s.ldc = std::max<int64_t>(1, p.d.ld);
  check(s);
  return p;
}

}  // namespace heddle::cublaslt
