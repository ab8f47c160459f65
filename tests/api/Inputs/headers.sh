# headers.sh INCLUDE FILE: the file as C and C++ of several standards, by clang and gcc.
set -e
flags="-Wall -Wextra -Werror -Wno-long-long -I$1 -fsyntax-only"
for compiler in clang-19 gcc; do
  $compiler -std=c11 -pedantic $flags -x c "$2"
done
for compiler in clang++-19 g++; do
  for standard in c++98 c++11 c++20; do
    for more in -DPLAIN -DCUDA_API_PER_THREAD_DEFAULT_STREAM -D__CUDA_API_VERSION_INTERNAL; do
      $compiler -std=$standard $flags $more -x c++ "$2"
    done
  done
done
