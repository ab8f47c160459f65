// clang's CUDA wrapper wants a file of this name; what CUDA keeps in it is in device_atomic_functions.hpp.
