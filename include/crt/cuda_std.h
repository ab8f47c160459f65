// cuda::std when there is no libcu++ (a program that brings CCCL finds that one's headers first).
#ifndef HEDDLE_CRT_CUDA_STD_H
#define HEDDLE_CRT_CUDA_STD_H

namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda

#endif
