# Tests written as RUN lines in the very file they test: tests/ptx/**/*.ptx, later .cu and .cl beside it.
# `config` and `lit_config` are lit's; cmake writes lit.site.cfg.py, which loads this file.
#
#   %heddle    the program under test          %s, %t    this file, a scratch path (lit's own)
#   %nvcc, %ptxas, %fatbinary, %cuobjdump, %bin2c, %nvlink, %nvprune, %nvdisasm  the toolkit's programs; %toolkit is their tree
#   %build     the build folder            %pyopencl_suite    PyOpenCL's own tests, where Debian's package puts them
#   %cuda_ptx  CUDA source to PTX: %cuda_ptx --cuda-gpu-arch=sm_80 %s -o %t.ptx         %cuda_host  its host side alone
#   FileCheck, not, split-file, count          LLVM 19's, on PATH
#
# Features for REQUIRES/UNSUPPORTED: asan, tsan, fast-executor (it runs what names no executor), pyopencl-suite (a Debian without documentation has none), and cpu-<name> for what the host can do (cpu-avx2, cpu-avx512f).

import os
import pathlib

import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ptx", ".cu", ".cl", ".test"]
config.test_source_root = config.heddle_source + "/tests"
config.test_exec_root = config.heddle_build + "/tests/lit"
# Inputs that tests read are no tests themselves.
config.excludes = ["Inputs", "fuzz", "hw"]

config.environment["PATH"] = os.pathsep.join([config.llvm_tools, config.environment.get("PATH", "")])
# Compiled kernels are kept in the build folder; the key tells builds apart.
config.environment["HEDDLE_CACHE_DIR"] = config.heddle_build + "/tests/kernels"
config.environment["HEDDLE_CACHE_SIZE"] = "1G"
# Nor does the user's own configuration, or the modes of this host's devices, change what tests see.
config.environment["HEDDLE_CONFIG"] = ""
config.environment["HEDDLE_STATE_DIR"] = config.heddle_build + "/tests/state"
# Kernels of tests are small: they are here to see their code, and what runs them otherwise by tests of its own.
config.environment["HEDDLE_JIT_SMALL"] = "code"
# The same tests by another executor, tier or level of vectors: HEDDLE_JIT_VECTORS=0 lit.py ...
for name in os.environ:
    if name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE") or name.startswith("HEDDLE_"):
        config.environment[name] = os.environ[name]
# Longer names first: lit replaces them wherever they stand.
for program in ("bin2c", "cuobjdump", "fatbinary", "ptxas", "nvcc", "nvlink", "nvprune", "nvdisasm"):
    config.substitutions.append(("%" + program, config.heddle_build + "/toolkit/bin/" + program))
config.substitutions.append(("%toolkit", config.heddle_build + "/toolkit"))
config.substitutions.append(("%heddle", config.heddle_build + "/toolkit/bin/heddle"))
# The toolkit's headers stand before the system's: a machine may have another toolkit's in /usr/local/include.
toolkit = config.heddle_build + "/toolkit"
cuda = (f"clang++-19 -x cuda --cuda-path={toolkit} -isystem {toolkit}/include -std=c++17 -O2 -Wall -Werror "
        "-Wno-unknown-cuda-version -Wno-unused-function")
config.substitutions.append(("%cuda_any", cuda))
config.substitutions.append(("%cuda_ptx", cuda + " --cuda-device-only --no-cuda-version-check -S"))
config.substitutions.append(("%cuda_host", cuda + " --cuda-host-only"))
config.substitutions.append(("%cuda_include", toolkit + "/include"))
config.substitutions.append(("%lib64", toolkit + "/lib64"))
config.substitutions.append(("%build", config.heddle_build))
config.substitutions.append(("%generated", config.heddle_build + "/generated"))
config.substitutions.append(("%hw_profiler", config.heddle_source + "/tests/hw/h200/profiler"))
config.substitutions.append(("%hw_answers", config.heddle_source + "/tests/hw/h200/answers"))

pyopencl_suite = pathlib.Path("/usr/share/doc/python-pyopencl-doc/examples")
config.substitutions.append(("%pyopencl_suite", str(pyopencl_suite)))
if (pyopencl_suite / "test_wrapper.py").exists():
    config.available_features.add("pyopencl-suite")
if config.heddle_jit == "ON" and os.environ.get("HEDDLE_EXECUTOR") != "interp":
    config.available_features.add("fast-executor")
if "address" in config.heddle_sanitize:
    config.available_features.add("asan")
if "thread" in config.heddle_sanitize:
    config.available_features.add("tsan")
for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
    if line.startswith("flags"):
        config.available_features.update("cpu-" + flag for flag in line.split(":", 1)[1].split())
        break
