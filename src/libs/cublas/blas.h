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
#define HEDDLE_CBLAS(name, Result, parameters, arguments)                                  \
  extern "C" Result name parameters;                                                       \
  namespace own {                                                                          \
  inline Result name parameters {                                                          \
    using Typed = decltype(&fortran::name);                                                \
    static const auto function =                                                           \
        reinterpret_cast<Typed>(bound(#name, reinterpret_cast<Function>(&fortran::name))); \
    return function arguments;                                                             \
  }                                                                                        \
  }
HEDDLE_CBLAS(cblas_sdot, float, (int n, const float* x, int incx, const float* y, int incy),
             (n, x, incx, y, incy))
HEDDLE_CBLAS(cblas_ddot, double, (int n, const double* x, int incx, const double* y, int incy),
             (n, x, incx, y, incy))
HEDDLE_CBLAS(cblas_snrm2, float, (int n, const void* x, int incx), (n, x, incx))
HEDDLE_CBLAS(cblas_dnrm2, double, (int n, const void* x, int incx), (n, x, incx))
HEDDLE_CBLAS(cblas_scnrm2, float, (int n, const void* x, int incx), (n, x, incx))
HEDDLE_CBLAS(cblas_dznrm2, double, (int n, const void* x, int incx), (n, x, incx))
HEDDLE_CBLAS(openblas_set_num_threads, void, (int threads), (threads))

}  // namespace heddle::fortran
