// Descriptors of the generic interface: made, asked and changed.
#include "libs/cusparse/descriptors.h"

#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/handle.h"
#include "libs/cusparse/values.h"

namespace heddle::cusparse {
namespace {

template <class Object>
std::shared_ptr<Object> find(const void* descriptor) {
  auto found = libs::Handles<Object>::all().find(descriptor);
  if (found == nullptr)
    refuse(Why::invalid_value, descriptor == nullptr ? "the descriptor is NULL" : "no such descriptor");
  return found;
}
template <class Object>
void destroy(const void* descriptor) {
  if (descriptor != nullptr && !libs::Handles<Object>::all().remove(descriptor))
    refuse(Why::invalid_value, "no such descriptor");
}
template <class Pointer, class Object>
void make(Pointer* out, Object object) {
  using Key = std::remove_const_t<std::remove_pointer_t<Pointer>>*;
  *out = libs::Handles<Object>::all().template add<Key>(std::make_shared<Object>(std::move(object)));
}

void check_index(cusparseIndexType_t type) {
  require(type >= CUSPARSE_INDEX_16U && type <= CUSPARSE_INDEX_64I, "no such type of indices");
}
void check_type(cudaDataType type) { require(bytes_of(type) != 0, "no type of elements"); }
void check_sizes(int64_t rows, int64_t columns, int64_t count) {
  size(rows, "rows is negative");
  size(columns, "cols is negative");
  size(count, "nnz is negative");
  int64_t all = 0;
  if (!__builtin_mul_overflow(rows, columns, &all))
    require(count <= all, "nnz is more than the matrix has places");
}

std::shared_ptr<SparseMatrix> of_format(const void* descriptor, cusparseFormat_t format) {
  auto found = find<SparseMatrix>(descriptor);
  require(found->format == format, "the matrix has another format");
  return found;
}
cusparseIndexBase_t base_word(int base) { return static_cast<cusparseIndexBase_t>(base); }
void* plain(const void* pointer) { return const_cast<void*>(pointer); }

SparseMatrix compressed(cusparseFormat_t format, int64_t rows, int64_t columns, int64_t count,
                        const void* offsets, const void* places, const void* values,
                        cusparseIndexType_t offset_index, cusparseIndexType_t place_index,
                        cusparseIndexBase_t base, cudaDataType type) {
  check_sizes(rows, columns, count);
  check_index(offset_index);
  check_index(place_index);
  if (offset_index != place_index) refuse(Why::not_supported, "offsets and indices have different sizes");
  SparseMatrix made;
  made.format = format;
  made.rows = rows, made.columns = columns, made.count = count;
  made.offsets = plain(offsets), made.places = plain(places), made.values = plain(values);
  made.offset_index = offset_index, made.place_index = place_index;
  made.base = base_of(base);
  check_type(type);
  made.type = type;
  return made;
}
SparseMatrix coordinates(int64_t rows, int64_t columns, int64_t count, const void* row_indices,
                         const void* places, const void* values, cusparseIndexType_t index,
                         cusparseIndexBase_t base, cudaDataType type) {
  return compressed(CUSPARSE_FORMAT_COO, rows, columns, count, row_indices, places, values, index, index,
                    base, type);
}
SparseMatrix blocked(int64_t rows, int64_t columns, int64_t count, int64_t block_rows, int64_t block_columns,
                     const void* offsets, const void* places, const void* values,
                     cusparseIndexType_t offset_index, cusparseIndexType_t place_index,
                     cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order) {
  require(block_rows > 0 && block_columns > 0, "the size of a block is not positive");
  require(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW, "no such order");
  SparseMatrix made = compressed(CUSPARSE_FORMAT_BSR, rows, columns, count, offsets, places, values,
                                 offset_index, place_index, base, type);
  made.block_rows = block_rows, made.block_columns = block_columns;
  made.blocks_by_rows = order == CUSPARSE_ORDER_ROW;
  made.rows *= block_rows, made.columns *= block_columns, made.count *= block_rows * block_columns;
  return made;
}
SparseMatrix blocked_ell(int64_t rows, int64_t columns, int64_t block, int64_t width, const void* places,
                         const void* values, cusparseIndexType_t index, cusparseIndexBase_t base,
                         cudaDataType type) {
  size(rows, "rows is negative");
  size(columns, "cols is negative");
  size(block, "ellBlockSize is negative");
  size(width, "ellCols is negative");
  check_index(index);
  check_type(type);
  if (block > 0) {
    require(rows % block == 0 && columns % block == 0, "a size is no multiple of that of a block");
    require(width % block == 0, "ellCols is no multiple of the size of a block");
  }
  require(width <= columns, "ellCols is more than cols");
  SparseMatrix made;
  made.format = CUSPARSE_FORMAT_BLOCKED_ELL;
  made.rows = rows, made.columns = columns, made.width = width;
  made.block_rows = made.block_columns = block > 0 ? block : 1;
  made.count = rows * width;
  made.places = plain(places), made.values = plain(values);
  made.place_index = made.offset_index = index;
  made.base = base_of(base), made.type = type;
  return made;
}
SparseMatrix sliced_ell(int64_t rows, int64_t columns, int64_t count, int64_t padded, int64_t slice,
                        const void* offsets, const void* places, const void* values,
                        cusparseIndexType_t offset_index, cusparseIndexType_t place_index,
                        cusparseIndexBase_t base, cudaDataType type) {
  require(padded >= count, "sellValuesSize is less than nnz");
  require(slice > 0, "sliceSize is not positive");
  SparseMatrix made = compressed(CUSPARSE_FORMAT_SLICED_ELLPACK, rows, columns, count, offsets, places,
                                 values, offset_index, place_index, base, type);
  made.padded = padded, made.slice = slice;
  return made;
}

template <class Pointer>
void get_compressed(const SparseMatrix& m, int64_t* rows, int64_t* cols, int64_t* nnz, Pointer** offsets,
                    Pointer** places, Pointer** values, cusparseIndexType_t* offset_index,
                    cusparseIndexType_t* place_index, cusparseIndexBase_t* base, cudaDataType* type) {
  *rows = m.rows, *cols = m.columns, *nnz = m.count;
  *offsets = m.offsets, *places = m.places, *values = m.values;
  *offset_index = m.offset_index, *place_index = m.place_index;
  *base = base_word(m.base), *type = m.type;
}
template <class Pointer>
void get_coordinates(const SparseMatrix& m, int64_t* rows, int64_t* cols, int64_t* nnz, Pointer** row_indices,
                     Pointer** places, Pointer** values, cusparseIndexType_t* index,
                     cusparseIndexBase_t* base, cudaDataType* type) {
  cusparseIndexType_t again{};
  get_compressed(m, rows, cols, nnz, row_indices, places, values, index, &again, base, type);
}
template <class Pointer>
void get_blocked_ell(const SparseMatrix& m, int64_t* rows, int64_t* cols, int64_t* block, int64_t* width,
                     Pointer** places, Pointer** values, cusparseIndexType_t* index,
                     cusparseIndexBase_t* base, cudaDataType* type) {
  *rows = m.rows, *cols = m.columns, *block = m.block_rows, *width = m.width;
  *places = m.places, *values = m.values;
  *index = m.place_index, *base = base_word(m.base), *type = m.type;
}

SparseVector vector(int64_t length, int64_t count, const void* indices, const void* values,
                    cusparseIndexType_t index, cusparseIndexBase_t base, cudaDataType type) {
  size(length, "size is negative");
  size(count, "nnz is negative");
  require(count <= length, "nnz is more than size");
  check_index(index);
  check_type(type);
  return {length, count, plain(indices), plain(values), index, base_of(base), type};
}
DenseVector dense(int64_t length, const void* values, cudaDataType type) {
  size(length, "size is negative");
  check_type(type);
  return {length, plain(values), type};
}
DenseMatrix dense(int64_t rows, int64_t columns, int64_t ld, const void* values, cudaDataType type,
                  cusparseOrder_t order) {
  size(rows, "rows is negative");
  size(columns, "cols is negative");
  check_type(type);
  require(order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW, "no such order");
  DenseMatrix made;
  made.by_rows = order == CUSPARSE_ORDER_ROW;
  require(ld >= (made.by_rows ? columns : rows), "ld is less than the size of a line");
  made.rows = rows, made.columns = columns, made.ld = ld;
  made.values = plain(values), made.type = type;
  return made;
}

}  // namespace

SparseVector sparse_vector(const void* descriptor) { return *find<SparseVector>(descriptor); }
DenseVector dense_vector(const void* descriptor) { return *find<DenseVector>(descriptor); }
DenseMatrix dense_matrix(const void* descriptor) { return *find<DenseMatrix>(descriptor); }
SparseMatrix sparse_matrix(const void* descriptor) { return *find<SparseMatrix>(descriptor); }
std::shared_ptr<SparseMatrix> sparse_matrix_to_set(const void* descriptor) {
  return find<SparseMatrix>(descriptor);
}

// ---- sparse vectors

void cusparseCreateSpVec(cusparseSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz, void* indices,
                         void* values, cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
                         cudaDataType valueType) {
  make(spVecDescr, vector(size, nnz, indices, values, idxType, idxBase, valueType));
}
void cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* spVecDescr, int64_t size, int64_t nnz,
                              const void* indices, const void* values, cusparseIndexType_t idxType,
                              cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spVecDescr, vector(size, nnz, indices, values, idxType, idxBase, valueType));
}
void cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr) { destroy<SparseVector>(spVecDescr); }
void cusparseConstSpVecGet(cusparseConstSpVecDescr_t spVecDescr, int64_t* size, int64_t* nnz,
                           const void** indices, const void** values, cusparseIndexType_t* idxType,
                           cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  const SparseVector v = sparse_vector(spVecDescr);
  *size = v.size, *nnz = v.count, *indices = v.indices, *values = v.values;
  *idxType = v.index, *idxBase = base_word(v.base), *valueType = v.type;
}
void cusparseSpVecGet(cusparseSpVecDescr_t spVecDescr, int64_t* size, int64_t* nnz, void** indices,
                      void** values, cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase,
                      cudaDataType* valueType) {
  const SparseVector v = sparse_vector(spVecDescr);
  *size = v.size, *nnz = v.count, *indices = v.indices, *values = v.values;
  *idxType = v.index, *idxBase = base_word(v.base), *valueType = v.type;
}
void cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t spVecDescr, cusparseIndexBase_t* idxBase) {
  *idxBase = base_word(sparse_vector(spVecDescr).base);
}
void cusparseSpVecGetValues(cusparseSpVecDescr_t spVecDescr, void** values) {
  *values = sparse_vector(spVecDescr).values;
}
void cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t spVecDescr, const void** values) {
  *values = sparse_vector(spVecDescr).values;
}
void cusparseSpVecSetValues(cusparseSpVecDescr_t spVecDescr, void* values) {
  find<SparseVector>(spVecDescr)->values = values;
}

// ---- dense vectors

void cusparseCreateDnVec(cusparseDnVecDescr_t* dnVecDescr, int64_t size, void* values,
                         cudaDataType valueType) {
  make(dnVecDescr, dense(size, values, valueType));
}
void cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* dnVecDescr, int64_t size, const void* values,
                              cudaDataType valueType) {
  make(dnVecDescr, dense(size, values, valueType));
}
void cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr) { destroy<DenseVector>(dnVecDescr); }
void cusparseDnVecGet(cusparseDnVecDescr_t dnVecDescr, int64_t* size, void** values,
                      cudaDataType* valueType) {
  const DenseVector v = dense_vector(dnVecDescr);
  *size = v.size, *values = v.values, *valueType = v.type;
}
void cusparseConstDnVecGet(cusparseConstDnVecDescr_t dnVecDescr, int64_t* size, const void** values,
                           cudaDataType* valueType) {
  const DenseVector v = dense_vector(dnVecDescr);
  *size = v.size, *values = v.values, *valueType = v.type;
}
void cusparseDnVecGetValues(cusparseDnVecDescr_t dnVecDescr, void** values) {
  *values = dense_vector(dnVecDescr).values;
}
void cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t dnVecDescr, const void** values) {
  *values = dense_vector(dnVecDescr).values;
}
void cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void* values) {
  find<DenseVector>(dnVecDescr)->values = values;
}

// ---- dense matrices

void cusparseCreateDnMat(cusparseDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
                         void* values, cudaDataType valueType, cusparseOrder_t order) {
  make(dnMatDescr, dense(rows, cols, ld, values, valueType, order));
}
void cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
                              const void* values, cudaDataType valueType, cusparseOrder_t order) {
  make(dnMatDescr, dense(rows, cols, ld, values, valueType, order));
}
void cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr) { destroy<DenseMatrix>(dnMatDescr); }
void cusparseDnMatGet(cusparseDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols, int64_t* ld,
                      void** values, cudaDataType* type, cusparseOrder_t* order) {
  const DenseMatrix m = dense_matrix(dnMatDescr);
  *rows = m.rows, *cols = m.columns, *ld = m.ld, *values = m.values, *type = m.type;
  *order = m.by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
}
void cusparseConstDnMatGet(cusparseConstDnMatDescr_t dnMatDescr, int64_t* rows, int64_t* cols, int64_t* ld,
                           const void** values, cudaDataType* type, cusparseOrder_t* order) {
  const DenseMatrix m = dense_matrix(dnMatDescr);
  *rows = m.rows, *cols = m.columns, *ld = m.ld, *values = m.values, *type = m.type;
  *order = m.by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
}
void cusparseDnMatGetValues(cusparseDnMatDescr_t dnMatDescr, void** values) {
  *values = dense_matrix(dnMatDescr).values;
}
void cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t dnMatDescr, const void** values) {
  *values = dense_matrix(dnMatDescr).values;
}
void cusparseDnMatSetValues(cusparseDnMatDescr_t dnMatDescr, void* values) {
  find<DenseMatrix>(dnMatDescr)->values = values;
}
void cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount, int64_t batchStride) {
  const auto m = find<DenseMatrix>(dnMatDescr);
  require(batchCount > 0, "batchCount is not positive");
  const int64_t whole = m->ld * (m->by_rows ? m->rows : m->columns);
  require(batchStride == 0 || batchStride >= whole, "batchStride is less than the matrix");
  m->batches = batchCount, m->stride = batchStride;
}
void cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int* batchCount,
                                  int64_t* batchStride) {
  const DenseMatrix m = dense_matrix(dnMatDescr);
  *batchCount = m.batches, *batchStride = m.stride;
}

// ---- sparse matrices

void cusparseCreateCsr(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                       void* csrRowOffsets, void* csrColInd, void* csrValues,
                       cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                       cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spMatDescr, compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues,
                              csrRowOffsetsType, csrColIndType, idxBase, valueType));
}
void cusparseCreateConstCsr(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                            const void* csrRowOffsets, const void* csrColInd, const void* csrValues,
                            cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
                            cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spMatDescr, compressed(CUSPARSE_FORMAT_CSR, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues,
                              csrRowOffsetsType, csrColIndType, idxBase, valueType));
}
void cusparseCreateCsc(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                       void* cscColOffsets, void* cscRowInd, void* cscValues,
                       cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                       cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spMatDescr, compressed(CUSPARSE_FORMAT_CSC, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues,
                              cscColOffsetsType, cscRowIndType, idxBase, valueType));
}
void cusparseCreateConstCsc(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                            const void* cscColOffsets, const void* cscRowInd, const void* cscValues,
                            cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
                            cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spMatDescr, compressed(CUSPARSE_FORMAT_CSC, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues,
                              cscColOffsetsType, cscRowIndType, idxBase, valueType));
}
void cusparseCreateCoo(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                       void* cooRowInd, void* cooColInd, void* cooValues, cusparseIndexType_t cooIdxType,
                       cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spMatDescr,
       coordinates(rows, cols, nnz, cooRowInd, cooColInd, cooValues, cooIdxType, idxBase, valueType));
}
void cusparseCreateConstCoo(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                            const void* cooRowInd, const void* cooColInd, const void* cooValues,
                            cusparseIndexType_t cooIdxType, cusparseIndexBase_t idxBase,
                            cudaDataType valueType) {
  make(spMatDescr,
       coordinates(rows, cols, nnz, cooRowInd, cooColInd, cooValues, cooIdxType, idxBase, valueType));
}
void cusparseCreateBsr(cusparseSpMatDescr_t* spMatDescr, int64_t brows, int64_t bcols, int64_t bnnz,
                       int64_t rowBlockSize, int64_t colBlockSize, void* bsrRowOffsets, void* bsrColInd,
                       void* bsrValues, cusparseIndexType_t bsrRowOffsetsType,
                       cusparseIndexType_t bsrColIndType, cusparseIndexBase_t idxBase, cudaDataType valueType,
                       cusparseOrder_t order) {
  make(spMatDescr, blocked(brows, bcols, bnnz, rowBlockSize, colBlockSize, bsrRowOffsets, bsrColInd,
                           bsrValues, bsrRowOffsetsType, bsrColIndType, idxBase, valueType, order));
}
void cusparseCreateConstBsr(cusparseConstSpMatDescr_t* spMatDescr, int64_t brows, int64_t bcols, int64_t bnnz,
                            int64_t rowBlockDim, int64_t colBlockDim, const void* bsrRowOffsets,
                            const void* bsrColInd, const void* bsrValues,
                            cusparseIndexType_t bsrRowOffsetsType, cusparseIndexType_t bsrColIndType,
                            cusparseIndexBase_t idxBase, cudaDataType valueType, cusparseOrder_t order) {
  make(spMatDescr, blocked(brows, bcols, bnnz, rowBlockDim, colBlockDim, bsrRowOffsets, bsrColInd, bsrValues,
                           bsrRowOffsetsType, bsrColIndType, idxBase, valueType, order));
}
void cusparseCreateBlockedEll(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                              int64_t ellBlockSize, int64_t ellCols, void* ellColInd, void* ellValue,
                              cusparseIndexType_t ellIdxType, cusparseIndexBase_t idxBase,
                              cudaDataType valueType) {
  make(spMatDescr,
       blocked_ell(rows, cols, ellBlockSize, ellCols, ellColInd, ellValue, ellIdxType, idxBase, valueType));
}
void cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                   int64_t ellBlockSize, int64_t ellCols, const void* ellColInd,
                                   const void* ellValue, cusparseIndexType_t ellIdxType,
                                   cusparseIndexBase_t idxBase, cudaDataType valueType) {
  make(spMatDescr,
       blocked_ell(rows, cols, ellBlockSize, ellCols, ellColInd, ellValue, ellIdxType, idxBase, valueType));
}
void cusparseCreateSlicedEll(cusparseSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                             int64_t sellValuesSize, int64_t sliceSize, void* sellSliceOffsets,
                             void* sellColInd, void* sellValues, cusparseIndexType_t sellSliceOffsetsType,
                             cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                             cudaDataType valueType) {
  make(spMatDescr, sliced_ell(rows, cols, nnz, sellValuesSize, sliceSize, sellSliceOffsets, sellColInd,
                              sellValues, sellSliceOffsetsType, sellColIndType, idxBase, valueType));
}
void cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t* spMatDescr, int64_t rows, int64_t cols,
                                  int64_t nnz, int64_t sellValuesSize, int64_t sliceSize,
                                  const void* sellSliceOffsets, const void* sellColInd,
                                  const void* sellValues, cusparseIndexType_t sellSliceOffsetsType,
                                  cusparseIndexType_t sellColIndType, cusparseIndexBase_t idxBase,
                                  cudaDataType valueType) {
  make(spMatDescr, sliced_ell(rows, cols, nnz, sellValuesSize, sliceSize, sellSliceOffsets, sellColInd,
                              sellValues, sellSliceOffsetsType, sellColIndType, idxBase, valueType));
}
void cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr) { destroy<SparseMatrix>(spMatDescr); }

void cusparseCsrGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                    void** csrRowOffsets, void** csrColInd, void** csrValues,
                    cusparseIndexType_t* csrRowOffsetsType, cusparseIndexType_t* csrColIndType,
                    cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  get_compressed(*of_format(spMatDescr, CUSPARSE_FORMAT_CSR), rows, cols, nnz, csrRowOffsets, csrColInd,
                 csrValues, csrRowOffsetsType, csrColIndType, idxBase, valueType);
}
void cusparseConstCsrGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                         const void** csrRowOffsets, const void** csrColInd, const void** csrValues,
                         cusparseIndexType_t* csrRowOffsetsType, cusparseIndexType_t* csrColIndType,
                         cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  get_compressed(*of_format(spMatDescr, CUSPARSE_FORMAT_CSR), rows, cols, nnz, csrRowOffsets, csrColInd,
                 csrValues, csrRowOffsetsType, csrColIndType, idxBase, valueType);
}
void cusparseCscGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                    void** cscColOffsets, void** cscRowInd, void** cscValues,
                    cusparseIndexType_t* cscColOffsetsType, cusparseIndexType_t* cscRowIndType,
                    cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  get_compressed(*of_format(spMatDescr, CUSPARSE_FORMAT_CSC), rows, cols, nnz, cscColOffsets, cscRowInd,
                 cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType);
}
void cusparseConstCscGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                         const void** cscColOffsets, const void** cscRowInd, const void** cscValues,
                         cusparseIndexType_t* cscColOffsetsType, cusparseIndexType_t* cscRowIndType,
                         cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  get_compressed(*of_format(spMatDescr, CUSPARSE_FORMAT_CSC), rows, cols, nnz, cscColOffsets, cscRowInd,
                 cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType);
}
void cusparseCooGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                    void** cooRowInd, void** cooColInd, void** cooValues, cusparseIndexType_t* idxType,
                    cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  get_coordinates(*of_format(spMatDescr, CUSPARSE_FORMAT_COO), rows, cols, nnz, cooRowInd, cooColInd,
                  cooValues, idxType, idxBase, valueType);
}
void cusparseConstCooGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz,
                         const void** cooRowInd, const void** cooColInd, const void** cooValues,
                         cusparseIndexType_t* idxType, cusparseIndexBase_t* idxBase,
                         cudaDataType* valueType) {
  get_coordinates(*of_format(spMatDescr, CUSPARSE_FORMAT_COO), rows, cols, nnz, cooRowInd, cooColInd,
                  cooValues, idxType, idxBase, valueType);
}
void cusparseBlockedEllGet(cusparseSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                           int64_t* ellBlockSize, int64_t* ellCols, void** ellColInd, void** ellValue,
                           cusparseIndexType_t* ellIdxType, cusparseIndexBase_t* idxBase,
                           cudaDataType* valueType) {
  get_blocked_ell(*of_format(spMatDescr, CUSPARSE_FORMAT_BLOCKED_ELL), rows, cols, ellBlockSize, ellCols,
                  ellColInd, ellValue, ellIdxType, idxBase, valueType);
}
void cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols,
                                int64_t* ellBlockSize, int64_t* ellCols, const void** ellColInd,
                                const void** ellValue, cusparseIndexType_t* ellIdxType,
                                cusparseIndexBase_t* idxBase, cudaDataType* valueType) {
  get_blocked_ell(*of_format(spMatDescr, CUSPARSE_FORMAT_BLOCKED_ELL), rows, cols, ellBlockSize, ellCols,
                  ellColInd, ellValue, ellIdxType, idxBase, valueType);
}

void cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void* csrRowOffsets, void* csrColInd,
                            void* csrValues) {
  const auto m = of_format(spMatDescr, CUSPARSE_FORMAT_CSR);
  m->offsets = csrRowOffsets, m->places = csrColInd, m->values = csrValues;
}
void cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void* cscColOffsets, void* cscRowInd,
                            void* cscValues) {
  const auto m = of_format(spMatDescr, CUSPARSE_FORMAT_CSC);
  m->offsets = cscColOffsets, m->places = cscRowInd, m->values = cscValues;
}
void cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void* cooRows, void* cooColumns,
                            void* cooValues) {
  const auto m = of_format(spMatDescr, CUSPARSE_FORMAT_COO);
  m->offsets = cooRows, m->places = cooColumns, m->values = cooValues;
}

void cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr, cusparseFormat_t* format) {
  *format = find<SparseMatrix>(spMatDescr)->format;
}
void cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t spMatDescr, cusparseIndexBase_t* idxBase) {
  *idxBase = base_word(find<SparseMatrix>(spMatDescr)->base);
}
void cusparseSpMatGetValues(cusparseSpMatDescr_t spMatDescr, void** values) {
  *values = find<SparseMatrix>(spMatDescr)->values;
}
void cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t spMatDescr, const void** values) {
  *values = find<SparseMatrix>(spMatDescr)->values;
}
void cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void* values) {
  find<SparseMatrix>(spMatDescr)->values = values;
}
void cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t* rows, int64_t* cols, int64_t* nnz) {
  const auto m = find<SparseMatrix>(spMatDescr);
  *rows = m->rows, *cols = m->columns, *nnz = m->count;
}
void cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t spMatDescr, int* batchCount) {
  *batchCount = find<SparseMatrix>(spMatDescr)->batches;
}
void cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t batchStride) {
  const auto m = of_format(spMatDescr, CUSPARSE_FORMAT_COO);
  require(batchCount > 0, "batchCount is not positive");
  require(batchCount == 1 || batchStride == 0 || batchStride >= m->count, "batchStride is less than nnz");
  m->batches = batchCount;
  m->offset_stride = m->place_stride = m->value_stride = batchStride;
}
void cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t offsetsBatchStride,
                                int64_t columnsValuesBatchStride) {
  const auto m = of_format(spMatDescr, CUSPARSE_FORMAT_CSR);
  require(batchCount > 0, "batchCount is not positive");
  if (batchCount > 1) {
    require(columnsValuesBatchStride >= m->count, "the stride of elements is less than nnz");
    require(offsetsBatchStride == 0 || offsetsBatchStride >= m->rows + 1,
            "the stride of offsets is less than their number");
  }
  m->batches = batchCount;
  m->offset_stride = offsetsBatchStride;
  m->place_stride = m->value_stride = columnsValuesBatchStride;
}
void cusparseBsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t offsetsBatchStride,
                                int64_t columnsBatchStride, int64_t ValuesBatchStride) {
  const auto m = of_format(spMatDescr, CUSPARSE_FORMAT_BSR);
  require(batchCount > 0, "batchCount is not positive");
  m->batches = batchCount;
  m->offset_stride = offsetsBatchStride, m->place_stride = columnsBatchStride;
  m->value_stride = ValuesBatchStride;
}

void cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
                               void* data, size_t dataSize) {
  const auto m = find<SparseMatrix>(spMatDescr);
  if (data == nullptr) libs::refuse_null("data");
  require(attribute == CUSPARSE_SPMAT_FILL_MODE || attribute == CUSPARSE_SPMAT_DIAG_TYPE,
          "no such attribute");
  require(dataSize == sizeof(int), "dataSize is not that of the attribute");
  std::memcpy(data, attribute == CUSPARSE_SPMAT_FILL_MODE ? &m->fill : &m->diagonal, sizeof(int));
}
void cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
                               void* data, size_t dataSize) {
  const auto m = find<SparseMatrix>(spMatDescr);
  if (data == nullptr) libs::refuse_null("data");
  require(attribute == CUSPARSE_SPMAT_FILL_MODE || attribute == CUSPARSE_SPMAT_DIAG_TYPE,
          "no such attribute");
  require(dataSize == sizeof(int), "dataSize is not that of the attribute");
  std::memcpy(attribute == CUSPARSE_SPMAT_FILL_MODE ? &m->fill : &m->diagonal, data, sizeof(int));
}

}  // namespace heddle::cusparse
