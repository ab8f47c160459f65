// The routines of BLAS, over std::complex and plain numbers.
#pragma once

#include "libs/cublas/fortran.h"

namespace heddle::fortran {

HEDDLE_FORTRAN(axpy)
HEDDLE_FORTRAN(copy)
HEDDLE_FORTRAN(swap)
HEDDLE_FORTRAN(scal)
HEDDLE_FORTRAN(rot)
HEDDLE_FORTRAN(rotg)
HEDDLE_FORTRAN_REAL(rotm)
HEDDLE_FORTRAN_REAL(rotmg)
HEDDLE_FORTRAN_NAMES(scal_real, sscal_, dscal_, csscal_, zdscal_)
HEDDLE_FORTRAN_NAMES(rot_real, srot_, drot_, csrot_, zdrot_)

HEDDLE_FORTRAN(gemv)
HEDDLE_FORTRAN(gbmv)
HEDDLE_FORTRAN(trmv)
HEDDLE_FORTRAN(tbmv)
HEDDLE_FORTRAN(tpmv)
HEDDLE_FORTRAN(trsv)
HEDDLE_FORTRAN(tbsv)
HEDDLE_FORTRAN(tpsv)
HEDDLE_FORTRAN(symv)
HEDDLE_FORTRAN_COMPLEX(hemv)
HEDDLE_FORTRAN_PAIR(sbmv, sbmv, hbmv)
HEDDLE_FORTRAN_PAIR(spmv, spmv, hpmv)
HEDDLE_FORTRAN_PAIR(ger, ger, geru)
HEDDLE_FORTRAN_COMPLEX(gerc)
HEDDLE_FORTRAN(syr)
HEDDLE_FORTRAN_COMPLEX(her)
HEDDLE_FORTRAN_PAIR(spr, spr, hpr)
HEDDLE_FORTRAN_REAL(syr2)
HEDDLE_FORTRAN_COMPLEX(her2)
HEDDLE_FORTRAN_PAIR(spr2, spr2, hpr2)

HEDDLE_FORTRAN(gemm)
HEDDLE_FORTRAN(symm)
HEDDLE_FORTRAN_COMPLEX(hemm)
HEDDLE_FORTRAN(syrk)
HEDDLE_FORTRAN_COMPLEX(herk)
HEDDLE_FORTRAN(syr2k)
HEDDLE_FORTRAN_COMPLEX(her2k)
HEDDLE_FORTRAN(trmm)
HEDDLE_FORTRAN(trsm)

// Those that give a number back, as cblas has them.
extern "C" {
float cblas_sdot(int n, const float* x, int incx, const float* y, int incy);
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy);
void cblas_cdotu_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
void cblas_zdotu_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
void cblas_cdotc_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
void cblas_zdotc_sub(int n, const void* x, int incx, const void* y, int incy, void* result);
float cblas_snrm2(int n, const void* x, int incx);
double cblas_dnrm2(int n, const void* x, int incx);
float cblas_scnrm2(int n, const void* x, int incx);
double cblas_dznrm2(int n, const void* x, int incx);
float cblas_sasum(int n, const void* x, int incx);
double cblas_dasum(int n, const void* x, int incx);
float cblas_scasum(int n, const void* x, int incx);
double cblas_dzasum(int n, const void* x, int incx);
void openblas_set_num_threads(int threads);
int openblas_get_num_threads();
}

}  // namespace heddle::fortran
