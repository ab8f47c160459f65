// What a device answers at its limits and one past them: a line for each, "what limit: at the limit / past it". A word after it says what is
// not tried at the limit. With -DPLAIN only what capability 1.x has.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <string>

__global__ void empty() {}

// One value of an array for each step of a chain that keeps all of them alive: a kernel of many registers.
__global__ void many(float* data) {
  float all[230];
#pragma unroll
  for (int i = 0; i < 230; ++i) all[i] = data[i * 7 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 230; ++i) data[i * 11 + threadIdx.x] = all[(i * 37 + 11) % 230] * all[i];
}

static const char* launched() {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorName(error);
  return cudaGetErrorName(cudaDeviceSynchronize());
}

static const char* block(dim3 size) {
  empty<<<1, size>>>();
  return launched();
}
static const char* grid(dim3 size) {
  empty<<<size, 1>>>();
  return launched();
}
static const char* shared(std::size_t bytes) {
  empty<<<1, 1, bytes>>>();
  return launched();
}

static void tell(const char* what, unsigned long long limit, const char* at, const char* past) {
  std::printf("%s %llu: %s / %s\n", what, limit, at, past);
}

static int attribute(cudaDeviceAttr which) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, 0) != cudaSuccess) cudaGetLastError();
  return value;
}

static void textures() {
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<unsigned char>();
  const auto array = [&](cudaExtent extent, unsigned flags) {
    cudaArray_t made = nullptr;
    const cudaError_t error = cudaMalloc3DArray(&made, &texel, extent, flags);
    if (error == cudaSuccess) cudaFreeArray(made);
    cudaGetLastError();
    return cudaGetErrorName(error);
  };
  const auto both = [&](const char* what, int limit, cudaExtent at, cudaExtent past, unsigned flags = 0) {
    if (limit != 0) tell(what, limit, array(at, flags), array(past, flags));
  };
  int n = attribute(cudaDevAttrMaxTexture1DWidth);
  both("texture 1D", n, make_cudaExtent(n, 0, 0), make_cudaExtent(n + 1, 0, 0));
  n = attribute(cudaDevAttrMaxTexture2DWidth);
  both("texture 2D width", n, make_cudaExtent(n, 1, 0), make_cudaExtent(n + 1, 1, 0));
  n = attribute(cudaDevAttrMaxTexture2DHeight);
  both("texture 2D height", n, make_cudaExtent(1, n, 0), make_cudaExtent(1, n + 1, 0));
  n = attribute(cudaDevAttrMaxTexture3DWidth);
  both("texture 3D width", n, make_cudaExtent(n, 1, 1), make_cudaExtent(n + 1, 1, 1));
  n = attribute(cudaDevAttrMaxTexture3DHeight);
  both("texture 3D height", n, make_cudaExtent(1, n, 1), make_cudaExtent(1, n + 1, 1));
  // There may be another shape of the largest ones, which are deeper.
  n = attribute(cudaDevAttrMaxTexture3DDepth);
  if (const int other = attribute(cudaDevAttrMaxTexture3DDepthAlt); other > n) n = other;
  both("texture 3D depth", n, make_cudaExtent(1, 1, n), make_cudaExtent(1, 1, n + 1));
  n = attribute(cudaDevAttrMaxTexture2DLayeredLayers);
  both("texture layers", n, make_cudaExtent(1, 1, n), make_cudaExtent(1, 1, n + 1), cudaArrayLayered);
}

// Of programs that are compiled when they are loaded: whether that is done, and then the launch.
static const char* program(int major, const std::string& variable, const std::string& parameters, const std::string& own,
                           const std::string& body) {
  const char* const version = major < 5 ? "1.4\n.target sm_10" : major < 7 ? "7.0\n.target sm_50" : "8.1\n.target sm_70";
  const std::string text = std::string(".version ") + version + "\n.address_size 64\n" + variable + ".visible .entry k(" + parameters + ")\n{\n.reg .u32 %r<4>;\n.reg .u64 %d<4>;\n" + own + body + "ret;\n}\n";
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  const char* name = nullptr;
  CUresult result = cuModuleLoadData(&module, text.c_str());
  if (result == CUDA_SUCCESS) result = cuModuleGetFunction(&function, module, "k");
  static char room[65536];
  void* arguments[] = {room};
  if (result == CUDA_SUCCESS) result = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  if (result == CUDA_SUCCESS) result = cuCtxSynchronize();
  if (module != nullptr) cuModuleUnload(module);
  cuGetErrorName(result, &name);
  return name;
}

static void programs(int major) {
  const auto bytes = [](const char* space, const char* name, unsigned count) {
    return std::string(space) + " .align 4 .b8 " + name + "[" + std::to_string(count) + "]";
  };
  // The first four bytes are written, or read, and an offset that nobody knows keeps all of them.
  const auto use = [](const char* space, const char* name) {
    return std::string("mov.u64 %d1, ") + name + ";\nmov.u32 %r1, %tid.x;\ncvt.u64.u32 %d2, %r1;\nadd.u64 %d1, %d1, %d2;\n" + "ld." + space +
           ".u32 %r2, [%d1];\nsetp.eq.u32 %p1, %r2, 77;\n@%p1 trap;\n";
  };
  const auto constants = [&](unsigned n) {
    return program(major, bytes(".const", "c", n) + ";\n", "", ".reg .pred %p<2>;\n", use("const", "c"));
  };
  tell("constants", 65536, constants(65536), constants(65540));
  const unsigned fixed = major == 1 ? 16384 : 49152;
  const auto in_shared = [&](unsigned n) {
    return program(major, "", "", ".reg .pred %p<2>;\n" + bytes(".shared", "s", n) + ";\n", use("shared", "s"));
  };
  tell("shared memory, fixed", fixed, in_shared(fixed), in_shared(fixed + 4));
  const unsigned own = major == 1 ? 16384 : 524288;
  const auto in_local = [&](unsigned n) {
    return program(major, "", "", ".reg .pred %p<2>;\n" + bytes(".local", "l", n) + ";\n",
                   "mov.u64 %d3, l;\nmov.u32 %r3, 5;\nst.local.u32 [%d3], %r3;\n" + use("local", "l"));
  };
  tell("local memory", own, in_local(own), in_local(own + 16));
  const unsigned most = major == 1 ? 256 : major < 7 ? 4096 : 32764;
  const auto parameters = [&](unsigned n) { return program(major, "", bytes(".param", "q", n), "", ""); };
  tell("parameters", most, parameters(most), parameters(most + 4));
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  std::printf("# %s, %d.%d, driver API %d.%d\n", p.name, p.major, p.minor, driver / 1000, driver % 100 / 10);
  const int threads = p.maxThreadsPerBlock;
  const dim3 past_threads = threads == 512 ? dim3(27, 19) : dim3(25, 41);  // 513, 1025
  tell("block threads", threads, block(threads == 512 ? dim3(16, 32) : dim3(32, 32)), block(past_threads));
  tell("block x", p.maxThreadsDim[0], block(p.maxThreadsDim[0]), block(p.maxThreadsDim[0] + 1));
  tell("block y", p.maxThreadsDim[1], block(dim3(1, p.maxThreadsDim[1])), block(dim3(1, p.maxThreadsDim[1] + 1)));
  tell("block z", p.maxThreadsDim[2], block(dim3(1, 1, p.maxThreadsDim[2])), block(dim3(1, 1, p.maxThreadsDim[2] + 1)));
  const unsigned x = p.maxGridSize[0], y = p.maxGridSize[1], z = p.maxGridSize[2];
  tell("grid x", x, x <= 65535 ? grid(x) : "not tried", grid(x + 1));
  tell("grid y", y, grid(dim3(1, y)), grid(dim3(1, y + 1)));
  tell("grid z", z, grid(dim3(1, 1, z)), grid(dim3(1, 1, z + 1)));

  tell("shared memory", p.sharedMemPerBlock, shared(p.sharedMemPerBlock), shared(p.sharedMemPerBlock + 1));
  if (const std::size_t more = p.sharedMemPerBlockOptin; more > p.sharedMemPerBlock) {
    const auto raise = [](std::size_t bytes) {
      const cudaError_t error = cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
      cudaGetLastError();
      return error == cudaSuccess ? shared(bytes) : cudaGetErrorName(error);
    };
    tell("shared memory, asked for", more, raise(more), raise(more + 1));
  }

  float* data;
  cudaMalloc(reinterpret_cast<void**>(&data), 1 << 16);
  const auto registers = [&](int size) {
    many<<<1, size>>>(data);
    return launched();
  };
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, many);
  const int most = attributes.maxThreadsPerBlock;
  tell("registers: threads", most, registers(most), registers(most + 1));

  if (attribute(cudaDevAttrCooperativeLaunch)) {
    int resident = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, empty, threads, 0);
    const unsigned fit = resident * p.multiProcessorCount;
    const auto together = [&](unsigned blocks) {
      const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(empty), dim3(blocks), dim3(threads), nullptr, 0, nullptr);
      cudaGetLastError();
      return error == cudaSuccess ? launched() : cudaGetErrorName(error);
    };
    tell("cooperative blocks", fit, together(fit), together(fit + 1));
  }
  if (attribute(cudaDevAttrClusterLaunch)) {
    const auto cluster = [](unsigned blocks) {
      cudaLaunchConfig_t config = {};
      config.gridDim = dim3(blocks);
      config.blockDim = dim3(32);
      cudaLaunchAttribute wish;
      wish.id = cudaLaunchAttributeClusterDimension;
      wish.val.clusterDim.x = blocks;
      wish.val.clusterDim.y = wish.val.clusterDim.z = 1;
      config.attrs = &wish;
      config.numAttrs = 1;
      const cudaError_t error = cudaLaunchKernelEx(&config, empty);
      cudaGetLastError();
      return error == cudaSuccess ? launched() : cudaGetErrorName(error);
    };
    tell("cluster blocks", 8, cluster(8), cluster(9));
    cudaFuncSetAttribute(empty, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    tell("cluster blocks, asked for", 16, cluster(16), cluster(17));
  }

  programs(p.major);
  textures();

  void* memory = nullptr;
  const char* past = cudaGetErrorName(cudaMalloc(&memory, p.totalGlobalMem + 1));
  cudaGetLastError();
  tell("memory", p.totalGlobalMem, "not tried", past);
}
