// Programs that do one thing wrong, or right, by their name: check.test says what is told of each.
#include <cooperative_groups.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
namespace cg = cooperative_groups;
constexpr int threads = 64;

__global__ void rotate(int* out, bool wait) {
  __shared__ int line[threads];
  line[threadIdx.x] = threadIdx.x;                      // line 13
  if (wait) __syncthreads();
  out[threadIdx.x] = line[(threadIdx.x + 32) % threads];  // line 15
}

__global__ void fill(int* out) { out[threadIdx.x] = blockIdx.x; }  // line 18

__global__ void count(int* out) { atomicAdd(out, 1); }

__device__ volatile int flag;
__global__ void message(int* out, bool fence) {
  if (blockIdx.x == 0) {
    out[0] = 7;  // line 25
    if (fence) __threadfence();
    flag = 1;
  } else {
    while (flag == 0) {
    }
    if (fence) __threadfence();
    out[1] = out[0];  // line 32
  }
}

__global__ void grid_sum(int* out) {
  cg::grid_group grid = cg::this_grid();
  out[grid.thread_rank()] = 1;
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned i = 1; i < grid.size(); ++i) out[0] += out[i];
}

__global__ void shuffle_sum(int* out) {
  int value = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
  __shared__ int sums[threads / 32];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0] + sums[1];
}

__global__ void write_at(int* out, int at) { out[at] = 1; }                  // line 53
__global__ void misaligned(char* out) { *reinterpret_cast<int*>(out + 1) = 1; }  // line 54
__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }  // line 55
__global__ void wrong_mask(int* out) {
  if (threadIdx.x <= 16) __syncwarp(0xffff);  // line 57: thread 16 is no member
  out[threadIdx.x] = 1;
}

__global__ void parted_loop(int* out) {
  for (unsigned i = 0; i < threadIdx.x % 4 + 1; ++i) {
    out[threadIdx.x] += 1;
    __syncthreads();
  }
}

__global__ void stray_then_race(const int* in, int* out, int behind) {
  out[0] = in[behind + threadIdx.x] + blockIdx.x;
}

// The heap's memory is made while the kernel runs.
__global__ void heap(int* out) {
  out[threadIdx.x] = 1;
  int* own = static_cast<int*>(malloc(sizeof(int)));
  *own = 2;
  out[threadIdx.x] += *own;
  free(own);
}
struct Padded {
  char small;
  double large;
};
__global__ void fill_members(Padded* out) {
  out[threadIdx.x].small = 1;
  out[threadIdx.x].large = 2;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  int *a = nullptr, *b = nullptr;
  cudaMalloc(&a, 100 * sizeof(int));
  cudaMalloc(&b, 4096 * sizeof(int));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  if (is("barrier-missing")) rotate<<<1, threads>>>(b, false);
  if (is("blocks")) fill<<<2, 32>>>(b);
  if (is("flag-without-fence")) message<<<2, 1>>>(b, false);
  if (is("streams") || is("streams-ordered")) {
    fill<<<1, 32, 0, first>>>(b);
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event, first);
    if (is("streams-ordered")) cudaStreamWaitEvent(second, event, 0);
    fill<<<1, 32, 0, second>>>(b);
  }
  // The first kernel has ended long before the second one is asked for, but nobody knows that.
  if (is("streams-late")) {
    fill<<<1, 32, 0, first>>>(b);
    usleep(300000);
    fill<<<1, 32, 0, second>>>(b);
  }
  // Asked, waited for, or told by a function that runs behind it: then the host knows.
  if (is("streams-known")) {
    fill<<<1, 32, 0, first>>>(b);
    while (cudaStreamQuery(first) == cudaErrorNotReady) {
    }
    fill<<<1, 32, 0, second>>>(b);
    cudaStreamSynchronize(second);
    fill<<<1, 32, 0, first>>>(b);
    std::atomic<bool> reached{false};
    cudaLaunchHostFunc(first, [](void* to) { *static_cast<std::atomic<bool>*>(to) = true; }, &reached);
    while (!reached) {
    }
    cudaMemsetAsync(b, 0, 256, second);
    cudaMemcpyAsync(b, a, 64, cudaMemcpyDeviceToDevice, second);
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event, second);
    cudaEventSynchronize(event);
    fill<<<1, 32, 0, first>>>(b);
  }
  if (is("copy-behind-kernel")) {
    fill<<<1, 32, 0, first>>>(b);
    cudaMemcpyAsync(a, b, 64, cudaMemcpyDeviceToDevice, second);  // reads what the kernel writes
  }
  if (is("kernel-behind-fill")) {
    cudaMemset2DAsync(b, 32, 0, 4, 4, second);  // 4 bytes of every 32
    fill<<<1, 32, 0, first>>>(b);
  }
  if (is("copies")) {
    cudaMemsetAsync(b, 0, 256, first);
    cudaMemcpyAsync(a, b, 64, cudaMemcpyDeviceToDevice, second);
  }
  if (is("copies-apart")) {
    cudaMemset2DAsync(b, 32, 0, 4, 4, second);
    cudaMemset2DAsync(b + 1, 32, 0, 4, 4, first);  // between those
    cudaMemcpyAsync(a, b + 1024, 64, cudaMemcpyDeviceToDevice, first);
    fill<<<1, 32, 0, second>>>(b + 2048);
  }
  if (is("stray-then-race")) stray_then_race<<<2, 1>>>(a, b, 100);
  if (is("right")) {
    rotate<<<1, threads>>>(b + 1024, true);
    cudaMemset(b, 0, 4096 * sizeof(int));
    rotate<<<1, threads>>>(b, true);
    count<<<8, 64>>>(b + 100);
    message<<<2, 1>>>(b + 200, true);
    shuffle_sum<<<1, threads>>>(b + 300);
    int* sums = b + 1000;
    void* arguments[] = {&sums};
    cudaLaunchCooperativeKernel((void*)grid_sum, dim3(4), dim3(64), arguments, 0, nullptr);
    fill<<<1, 32>>>(b);
    copy<<<1, 32>>>(b, a);
  }
  if (is("outside")) write_at<<<1, 1>>>(a, 100);
  if (is("before")) write_at<<<1, 1>>>(a, -1);
  if (is("misaligned")) misaligned<<<1, 1>>>(reinterpret_cast<char*>(a));
  if (is("freed")) {
    int* gone;
    cudaMalloc(&gone, 4096);
    cudaFree(gone);
    write_at<<<1, 1>>>(gone, 2);
  }
  if (is("double-free")) {
    int* gone;
    cudaMalloc(&gone, 4096);
    cudaFree(gone);
    cudaFree(gone);
  }
  if (is("unset")) {
    cudaMemset(a, 0, 31);
    copy<<<1, 32>>>(a, b);
  }
  if (is("download") || is("download-padded")) {
    Padded* there;
    static Padded here[32];
    cudaMalloc(&there, sizeof here);
    fill_members<<<1, is("download") ? 30 : 32>>>(there);
    cudaMemcpy(here, there, sizeof here, cudaMemcpyDeviceToHost);
    cudaFree(there);
  }
  if (is("heap")) heap<<<1, 32>>>(b);
  if (is("parted-loop")) parted_loop<<<1, threads>>>(b);
  if (is("mask")) wrong_mask<<<1, 32>>>(b);
  if (is("fails")) return 3;
  const cudaError_t end = cudaDeviceSynchronize();
  if (!is("leak")) cudaFree(a);
  cudaFree(b);
  std::printf("%s: %s\n", name, cudaGetErrorName(end));
  return 0;
}
