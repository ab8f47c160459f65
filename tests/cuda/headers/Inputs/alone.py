"""Compiles headers by themselves: in a device and a host pass of clang, and those that are for anyone with gcc and clang as C++ and C too.

    alone.py INCLUDE CLANG-OPTIONS...
"""

import concurrent.futures
import shutil
import subprocess
import sys

include, *options = sys.argv[1:]
# What a CUDA program includes beyond what the compiler has included already.
DEVICE = ("cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cooperative_groups.h",
          "cuComplex.h", "cuda/atomic", "cuda/barrier", "cuda/functional", "cuda/pipeline", "cuda/std/type_traits",
          "cuda_awbarrier.h", "cuda_bf16.h", "cuda_fp16.h", "cuda_fp4.h", "cuda_fp6.h", "cuda_fp8.h", "cuda_pipeline.h", "cuda_profiler_api.h", "cuda_runtime.h",
          "curand_kernel.h", "math_constants.h", "mma.h", "nv/target", "nvToolsExt.h", "nvtx3/nvToolsExtCudaRt.h", "surface_functions.h")
# What host programs include too.
SHARED = ("builtin_types.h", "channel_descriptor.h", "cuComplex.h", "cuda.h", "cudaProfiler.h", "cuda_bf16.h", "cuda_fp16.h",
          "cuda_fp4.h", "cuda_fp6.h", "cuda_fp8.h", "cuda_profiler_api.h", "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h",
          "cudaTypedefs.h", "driver_types.h", "library_types.h", "nvrtc.h", "nvToolsExt.h", "nvtx3/nvToolsExt.h", "vector_functions.h",
          "vector_types.h", "nv/target", "curand_kernel.h")
IN_C = ("cuComplex.h", "cuda.h", "cudaTypedefs.h", "cuda_runtime_api.h", "cuda_runtime.h", "driver_types.h", "nvrtc.h", "nvtx3/nvToolsExt.h",
        "vector_functions.h", "vector_types.h", "library_types.h")


def compiled(command: list[str], header: str) -> str:
    source = f'#include "{header}"\n'
    run = subprocess.run([*command, "-fsyntax-only", "-"], input=source, capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{header}: {' '.join(command)}\n{run.stderr}"


jobs = []
for header in DEVICE:
    jobs += [([*options, "--cuda-device-only", "--cuda-gpu-arch=sm_90"], header), ([*options, "--cuda-host-only"], header)]
compilers = [name for name in ("g++", "clang++-19") if shutil.which(name)]
for header in SHARED:
    jobs += [([name, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{include}"], header) for name in compilers]
for header in IN_C:
    jobs.append((["clang-19", "-x", "c", "-std=c11", "-Wall", "-Werror", f"-I{include}"], header))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    errors = [error for error in pool.map(lambda job: compiled(*job), jobs) if error]
print(f"{len(jobs)} compilations, {len(errors)} failed")
for error in errors:
    print(error)
sys.exit(bool(errors))
