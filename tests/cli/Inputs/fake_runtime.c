/* Stands for a CUDA runtime of somebody else's that is linked into a program: none of it may ever be called. */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION(name)                                     \
  long name(void) {                                        \
    printf("the runtime inside was called: %s\n", #name);  \
    fflush(stdout);                                        \
    _Exit(99);                                             \
  }

FUNCTION(__cudaRegisterFatBinary)
FUNCTION(__cudaRegisterFatBinaryEnd)
FUNCTION(__cudaUnregisterFatBinary)
FUNCTION(__cudaRegisterFunction)
FUNCTION(__cudaRegisterVar)
FUNCTION(__cudaPushCallConfiguration)
FUNCTION(__cudaPopCallConfiguration)
FUNCTION(cudaGetDeviceCount)
FUNCTION(cudaGetLastError)
FUNCTION(cudaGetErrorString)
FUNCTION(cudaMalloc)
FUNCTION(cudaFree)
FUNCTION(cudaMemcpy)
FUNCTION(cudaMemset)
FUNCTION(cudaLaunchKernel)
FUNCTION(cudaGetDeviceProperties)
FUNCTION(cudaRuntimeGetVersion)
FUNCTION(cudaFuncGetAttributes)
#ifdef ELEVEN
FUNCTION(cudaBindTexture)
#elif !defined THIRTEEN
FUNCTION(cudaGetDeviceProperties_v2)
#endif

/* Shorter than a jump, which needs what lies behind it as well. */
__attribute__((naked, aligned(16))) void __cudaGetProcAddress(void) { __asm__("xor %eax, %eax\n ret"); }

/* No function of any runtime: it stays what it is. */
__attribute__((aligned(16))) int cudaOwnFunction(void) { return 5; }
