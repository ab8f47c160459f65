// C = A B, plain and by tiles in local memory: the example of the OpenCL Programming Guide for the CUDA
// Architecture, 2.5.
//
//     c++ matrix_product.cpp -lOpenCL -o matrix_product && ./matrix_product
#include "check.h"

constexpr int block_size = 16;

// Element (row, column) of a matrix, or of a part of one, is elements[row * stride + column].
static const char* const source = R"cl(
typedef struct {
  int width, height, stride;
  global float* elements;
} Matrix;

// Each work-item reads a row of A and a column of B: A is read B.width times, B A.height times.
kernel void plain(int a_width, int a_height, int a_stride, global float* a_elements,
                  int b_width, int b_height, int b_stride, global float* b_elements,
                  int c_width, int c_height, int c_stride, global float* c_elements) {
  const Matrix a = {a_width, a_height, a_stride, a_elements}, b = {b_width, b_height, b_stride, b_elements},
               c = {c_width, c_height, c_stride, c_elements};
  const int row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < a.width; ++k) sum += a.elements[row * a.stride + k] * b.elements[k * b.stride + column];
  c.elements[row * c.stride + column] = sum;
}

float element(Matrix m, int row, int column) { return m.elements[row * m.stride + column]; }

// The block of a matrix that lies `row` blocks down and `column` blocks to the right.
Matrix block(Matrix m, int row, int column) {
  const Matrix part = {BLOCK_SIZE, BLOCK_SIZE, m.stride, m.elements + m.stride * BLOCK_SIZE * row + BLOCK_SIZE * column};
  return part;
}

void multiply(Matrix a, Matrix b, Matrix c, local float (*a_tile)[BLOCK_SIZE], local float (*b_tile)[BLOCK_SIZE]) {
  const int row = get_local_id(1), column = get_local_id(0);
  const int block_row = get_group_id(1), block_column = get_group_id(0);
  float sum = 0;
  for (int m = 0; m < a.width / BLOCK_SIZE; ++m) {
    a_tile[row][column] = element(block(a, block_row, m), row, column);
    b_tile[row][column] = element(block(b, m, block_column), row, column);
    barrier(CLK_LOCAL_MEM_FENCE);  // the tiles are there
    for (int k = 0; k < BLOCK_SIZE; ++k) sum += a_tile[row][k] * b_tile[k][column];
    barrier(CLK_LOCAL_MEM_FENCE);  // and have been read, before the next ones come
  }
  const Matrix part = block(c, block_row, block_column);
  part.elements[row * part.stride + column] = sum;
}

// Each work-group computes a block of C from tiles in local memory: A is read B.width / BLOCK_SIZE times, B A.height / BLOCK_SIZE times.
kernel void tiled(int a_width, int a_height, int a_stride, global float* a_elements,
                  int b_width, int b_height, int b_stride, global float* b_elements,
                  int c_width, int c_height, int c_stride, global float* c_elements,
                  local float (*a_tile)[BLOCK_SIZE], local float (*b_tile)[BLOCK_SIZE]) {
  const Matrix a = {a_width, a_height, a_stride, a_elements}, b = {b_width, b_height, b_stride, b_elements},
               c = {c_width, c_height, c_stride, c_elements};
  multiply(a, b, c, a_tile, b_tile);
}
)cl";

// Row by row. Widths and heights are multiples of the block's.
struct Matrix {
  Matrix(int w, int h) : width(w), height(h), elements(static_cast<std::size_t>(w) * h) {}
  std::size_t bytes() const { return elements.size() * sizeof(float); }
  int width, height;
  std::vector<float> elements;
};

static void set_matrix(cl_kernel kernel, cl_uint& index, const Matrix& matrix, cl_mem elements) {
  CHECK(clSetKernelArg(kernel, index++, sizeof matrix.width, &matrix.width));
  CHECK(clSetKernelArg(kernel, index++, sizeof matrix.height, &matrix.height));
  CHECK(clSetKernelArg(kernel, index++, sizeof matrix.width, &matrix.width));  // the stride
  CHECK(clSetKernelArg(kernel, index++, sizeof elements, &elements));
}

static void multiply(const OpenCl& cl, cl_kernel kernel, bool tiles, const Matrix& a, const Matrix& b,
                     Matrix& c) {
  constexpr cl_mem_flags loaded = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  cl_int error;
  cl_mem device_a =
      clCreateBuffer(cl.context, loaded, a.bytes(), const_cast<float*>(a.elements.data()), &error);
  CHECK(error);
  cl_mem device_b =
      clCreateBuffer(cl.context, loaded, b.bytes(), const_cast<float*>(b.elements.data()), &error);
  CHECK(error);
  cl_mem device_c = clCreateBuffer(cl.context, CL_MEM_WRITE_ONLY, c.bytes(), nullptr, &error);
  CHECK(error);

  cl_uint index = 0;
  set_matrix(kernel, index, a, device_a);
  set_matrix(kernel, index, b, device_b);
  set_matrix(kernel, index, c, device_c);
  if (tiles)
    for (int i = 0; i < 2; ++i)
      CHECK(clSetKernelArg(kernel, index++, block_size * block_size * sizeof(float), nullptr));
  const size_t global[] = {static_cast<size_t>(c.width), static_cast<size_t>(c.height)},
               local[] = {block_size, block_size};
  CHECK(clEnqueueNDRangeKernel(cl.queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr));
  CHECK(
      clEnqueueReadBuffer(cl.queue, device_c, CL_TRUE, 0, c.bytes(), c.elements.data(), 0, nullptr, nullptr));

  for (cl_mem memory : {device_a, device_b, device_c}) CHECK(clReleaseMemObject(memory));
}

int main() {
  Matrix a(208, 96), b(144, 208), c(144, 96);
  for (std::size_t i = 0; i < a.elements.size(); ++i) a.elements[i] = static_cast<float>(i % 13) - 6;
  for (std::size_t i = 0; i < b.elements.size(); ++i) b.elements[i] = static_cast<float>(i % 7) * 0.5f;
  std::vector<float> expected(c.elements.size());  // multiples of 1/2 below 2^23: exact in any order
  for (int row = 0; row < c.height; ++row)
    for (int column = 0; column < c.width; ++column)
      for (int k = 0; k < a.width; ++k)
        expected[row * c.width + column] += a.elements[row * a.width + k] * b.elements[k * b.width + column];

  const OpenCl cl(source, ("-D BLOCK_SIZE=" + std::to_string(block_size)).c_str());
  for (const char* name : {"plain", "tiled"}) {
    c.elements.assign(c.elements.size(), NAN);
    cl_kernel kernel = cl.kernel(name);
    multiply(cl, kernel, std::string(name) == "tiled", a, b, c);
    CHECK(clReleaseKernel(kernel));
    expect(name, c.elements, expected);
  }
}
