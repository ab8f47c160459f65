// helper_cuda.h of the CUDA samples has the texts of a library's errors if it finds the name by which that library's header says
// that it is there.
// RUN: %nvcc -c %s -o %t.o
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>

#ifndef CUBLAS_API_H_
#error "cublas_api.h"
#endif
#ifndef _CUFFT_H_
#error "cufft.h"
#endif
#ifndef CURAND_H_
#error "curand.h"
#endif
#ifndef CUSPARSEAPI
#error "cusparse.h"
#endif
#ifndef CUSOLVER_COMMON_H_
#error "cusolver_common.h"
#endif

const char* text_of(cufftResult error) { return error == CUFFT_SUCCESS ? "CUFFT_SUCCESS" : "<unknown>"; }
