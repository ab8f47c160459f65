// clang's CUDA wrapper wants a file of this name; what CUDA keeps in it is in __clang_cuda_device_functions.h.
