# THE table of rooms. One line a room: its path below src/, its layer, the rooms it may include.
#
# A room is every *.cpp in its folder (and in sub-folders that are not rooms themselves), as one static library.
# USES is transitive. A room may only use rooms of a lower layer; the ctest entry `check.layers` holds every #include to this table.
# EXTERNAL names outside libraries that this room alone may include (cmake/externals.cmake says what they are),
# TEST_EXTERNAL those that its tests alone need.
# OPTION names a switch (cmake/options.cmake) without which the room is left out, and every file elsewhere that includes it.
# SHARDS divides the room's (or suite's) tests into so many entries of ctest: for what takes more than a minute.
# PRECOMPILES names what nearly all files of the room include anyhow and takes long to read.
# COMPILES: it is in libheddle-compilers.so.0, with clang and LLVM, which is loaded when something has to be compiled. Of exec/jit the linker puts there
# what needs LLVM. Rooms without the word may not use those with it.
# PROGRAM names a program of the toolkit: bin/<PROGRAM> calls heddle_main_<PROGRAM> of the room's main.cpp, inside libheddle.so.0 or libheddle-compilers.so.0.
# ALONE, too, but bin/<ALONE> is the room and what it uses, without that library.
# PROGRAM_LINKS names libraries of the toolkit that a suite links as programs do: cublas_12 is libcublas.so.12.
# Files ending in _test.cpp, _fuzz.cpp and _bench.cpp are found by that suffix and need no line here.

heddle_room(support      LAYER 0)
heddle_room(isa          LAYER 0)
heddle_room(arch         LAYER 1 USES support)
heddle_room(approx       LAYER 1 USES support)
heddle_room(math         LAYER 1 USES support EXTERNAL sleef TEST_EXTERNAL mpfr)
heddle_room(ptx          LAYER 1 USES support isa)
heddle_room(cache        LAYER 1 USES support)
heddle_room(observe      LAYER 1 USES support)
heddle_room(fatbin       LAYER 1 USES support EXTERNAL zstd lz4)
heddle_room(elf          LAYER 1 USES support)
heddle_room(api/entry    LAYER 1 USES support)
heddle_room(api/ranges   LAYER 1 USES support EXTERNAL cuda)
heddle_room(libs/interface LAYER 0)
heddle_room(api/preload  LAYER 0)  # C and assembly; cmake/libraries.cmake builds it
heddle_room(frontend     LAYER 1 COMPILES USES isa support EXTERNAL clang llvm)
heddle_room(beginnings   LAYER 2 COMPILES USES cache frontend)
heddle_room(machine      LAYER 2 USES arch support)
heddle_room(programs/smi LAYER 3 USES machine ALONE nvidia-smi)
heddle_room(programs/filt LAYER 3 USES support ALONE cu++filt)
heddle_room(programs/device_query LAYER 3 USES machine ALONE deviceQuery)
heddle_room(module       LAYER 2 USES ptx isa support arch math)
heddle_room(analysis     LAYER 3 USES module)
heddle_room(model        LAYER 3 USES arch)
heddle_room(exec         LAYER 3 USES module arch observe approx)
heddle_room(timing       LAYER 4 USES exec analysis model)
heddle_room(exec/interp  LAYER 4 USES exec analysis approx TEST_EXTERNAL mpfr)
heddle_room(exec/jit     LAYER 4 USES exec analysis approx cache EXTERNAL llvm OPTION HEDDLE_JIT)
heddle_room(runtime      LAYER 5 USES analysis cache exec exec/interp exec/jit machine model)
heddle_room(clock        LAYER 6 USES runtime timing)
heddle_room(checker      LAYER 6 USES runtime analysis api/entry)
heddle_room(profiler     LAYER 6 USES runtime analysis model timing api/entry api/ranges)
heddle_room(api/cuda_state LAYER 6 USES runtime fatbin analysis api/entry libs/interface EXTERNAL cuda PRECOMPILES api/cuda_state/process.h)
heddle_room(api/cudart   LAYER 7 USES api/cuda_state profiler api/entry EXTERNAL cuda PRECOMPILES api/cudart/functions.gen.h)
heddle_room(api/cuda     LAYER 7 USES api/cuda_state profiler elf api/entry EXTERNAL cuda PRECOMPILES api/cuda/functions.gen.h)
heddle_room(api/nvrtc    LAYER 7 COMPILES USES beginnings fatbin api/entry EXTERNAL cuda)
heddle_room(profiler/pages LAYER 7 USES profiler model)
heddle_room(driver       LAYER 7 COMPILES USES frontend elf fatbin analysis module ptx arch machine)
heddle_room(api/nvvm     LAYER 7 COMPILES USES frontend api/entry EXTERNAL cuda)
heddle_room(api/nvjitlink LAYER 7 USES exec/interp module fatbin elf arch api/entry EXTERNAL cuda)
heddle_room(api/nvfatbin LAYER 7 USES fatbin elf api/entry EXTERNAL cuda)
heddle_room(api/nvml     LAYER 7 USES machine api/entry EXTERNAL cuda)
heddle_room(api/cupti    LAYER 7 USES api/cuda_state profiler api/entry api/ranges EXTERNAL cuda)
heddle_room(api/opencl   LAYER 7 COMPILES USES cache runtime frontend analysis api/entry EXTERNAL opencl)
heddle_room(libs/common   LAYER 2 USES api/entry libs/interface EXTERNAL cuda)
heddle_room(libs/cublas/small LAYER 1 USES support)
heddle_room(libs/cusparse/inner LAYER 1 USES support)
heddle_room(libs/cublas   LAYER 3 USES libs/common libs/cublas/small EXTERNAL cuda openblas)
heddle_room(libs/cublaslt LAYER 4 USES libs/cublas EXTERNAL cuda)
heddle_room(libs/nvblas   LAYER 4 USES libs/cublas EXTERNAL cuda openblas)
heddle_room(libs/cusparse LAYER 4 USES libs/cublas libs/cusparse/inner EXTERNAL cuda)
heddle_room(libs/cusolver LAYER 5 USES libs/cublas libs/cusparse EXTERNAL cuda openblas)
heddle_room(libs/cusolvermg LAYER 6 USES libs/cusolver EXTERNAL cuda openblas)
heddle_room(libs/fft      LAYER 3 USES libs/common)
heddle_room(libs/cufft    LAYER 4 USES libs/fft EXTERNAL cuda)
heddle_room(libs/cufftw   LAYER 4 USES libs/fft EXTERNAL cuda)
heddle_room(libs/curand   LAYER 3 USES libs/common math EXTERNAL cuda)
heddle_room(api/nvptxcompiler LAYER 8 COMPILES USES driver api/entry EXTERNAL cuda)
heddle_room(api/shared   LAYER 9 USES checker clock profiler api/cuda_state api/cudart api/cuda api/nvjitlink api/nvfatbin api/nvml api/cupti)
heddle_room(api/compilers LAYER 10 COMPILES USES api/shared api/nvrtc api/nvvm api/nvptxcompiler api/opencl api/entry)
heddle_room(programs/bandwidth_test LAYER 8 USES checker clock profiler api/cudart EXTERNAL cuda PROGRAM bandwidthTest)
heddle_room(driver/nvcc       LAYER 8 COMPILES USES driver beginnings PROGRAM nvcc)
heddle_room(driver/ptxas      LAYER 8 COMPILES USES driver PROGRAM ptxas)
heddle_room(driver/fatbinary  LAYER 8 COMPILES USES driver PROGRAM fatbinary)
heddle_room(driver/cuobjdump  LAYER 8 COMPILES USES driver PROGRAM cuobjdump)
heddle_room(driver/bin2c      LAYER 8 COMPILES USES driver PROGRAM bin2c)
heddle_room(driver/nvlink     LAYER 8 COMPILES USES driver PROGRAM nvlink)
heddle_room(driver/nvprune    LAYER 8 COMPILES USES driver PROGRAM nvprune)
heddle_room(driver/nvdisasm   LAYER 8 COMPILES USES driver PROGRAM nvdisasm)
heddle_room(cli          LAYER 8 COMPILES USES checker clock timing profiler/pages runtime cache ptx arch machine elf fatbin module analysis model exec/jit PROGRAM heddle)

# The folders of a large room in their order: one includes what stands before it, never what stands behind. Files of the room's own
# folder are everybody's. The same check holds them to it.
heddle_stages(exec/jit abi matrix texture kernel ir passes analysis math transform lower fiber vectorize codegen debug compiler launch testing)

# Files made for more than the hosts' common ground; what is in them runs only where the host has it.
heddle_flags(libs/fft/level_plain.cpp -O2 -Wno-psabi -msse4.2)
heddle_flags(libs/fft/level_avx2.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(libs/fft/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4 -mprefer-vector-width=512)
heddle_flags(libs/cublas/small/level_plain.cpp -O2 -Wno-psabi -msse4.2)
heddle_flags(libs/cublas/small/level_avx2.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(libs/cublas/small/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4 -mprefer-vector-width=512)
heddle_flags(libs/cusparse/inner/level_plain.cpp -O2 -Wno-psabi -msse4.2)
heddle_flags(libs/cusparse/inner/level_avx2.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(libs/cusparse/inner/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4)
heddle_flags(libs/curand/mt19937_jump.cpp -O2 -Wno-psabi)
heddle_flags(math/level_plain.cpp -O2 -Wno-psabi -msse4.2)
heddle_flags(math/level_fma.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(math/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4)
heddle_flags(checker/rows/level_plain.cpp -O2 -Wno-psabi -msse4.2)
heddle_flags(checker/rows/level_avx2.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(checker/rows/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4 -mprefer-vector-width=512)
heddle_flags(exec/jit/texture/level_plain.cpp -O2 -Wno-psabi -march=x86-64-v2)
heddle_flags(exec/jit/texture/level_avx2.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(exec/jit/texture/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4 -mprefer-vector-width=512)
heddle_flags(exec/jit/matrix/level_plain.cpp -O2 -Wno-psabi -march=x86-64-v2)
heddle_flags(exec/jit/matrix/level_avx2.cpp -O2 -Wno-psabi -march=x86-64-v3)
heddle_flags(exec/jit/matrix/level_avx512.cpp -O2 -Wno-psabi -march=x86-64-v4 -mprefer-vector-width=512)

# Tests that need several rooms of one layer at once (the two executors against each other, say) live in tests/<path>/.
heddle_suite(differential SHARDS 6 USES math profiler runtime exec/interp exec/jit)
# Built-in functions of OpenCL C, compiled and run by both executors.
heddle_suite(opencl_c USES frontend runtime exec/interp exec/jit)
# What real hardware answered (tests/hw): recorded data, compared on every run.
heddle_suite(hw USES analysis model runtime exec/interp exec/jit EXTERNAL zstd)
# The libraries of CUDA programs, as a program that links them sees them.
heddle_suite(libs EXTERNAL cuda PROGRAM_LINKS cudart_12 cublas_12 cublasLt_12 cusparse_12 cusolver_11 cusolverMg_11 cufft_11 curand_10)
# Their arguments, good and bad, in a process of its own: contexts end here.
heddle_suite(library_arguments EXTERNAL cuda PROGRAM_LINKS cudart_12 cublas_12 cublasLt_12 cusparse_12 cusolver_11 cufft_11 curand_10)
