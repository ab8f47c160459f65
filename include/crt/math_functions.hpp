// clang's CUDA wrapper wants a file of this name; what CUDA keeps in it is in __clang_cuda_math.h and crt/math_overloads.h.
