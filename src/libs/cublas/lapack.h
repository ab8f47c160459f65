// The routines of LAPACK that the libraries stand on, over std::complex and plain numbers.
#pragma once

#include "libs/cublas/fortran.h"

namespace heddle::fortran {

HEDDLE_FORTRAN(getrf)
HEDDLE_FORTRAN(getrs)
HEDDLE_FORTRAN(getri)
HEDDLE_FORTRAN(geqrf)
HEDDLE_FORTRAN(gels)
HEDDLE_FORTRAN(potrf)
HEDDLE_FORTRAN(potrs)
HEDDLE_FORTRAN(potri)
HEDDLE_FORTRAN(lauum)
HEDDLE_FORTRAN(trtri)
HEDDLE_FORTRAN(laswp)
HEDDLE_FORTRAN(sytrf)
HEDDLE_FORTRAN(sytri)
HEDDLE_FORTRAN(sytrs)
HEDDLE_FORTRAN(gebrd)
HEDDLE_FORTRAN(gesvd)
HEDDLE_FORTRAN(gesdd)
HEDDLE_FORTRAN(geev)
HEDDLE_FORTRAN(larft)
HEDDLE_FORTRAN_PAIR(orgqr, orgqr, ungqr)
HEDDLE_FORTRAN_PAIR(ormqr, ormqr, unmqr)
HEDDLE_FORTRAN_PAIR(orgbr, orgbr, ungbr)
HEDDLE_FORTRAN_PAIR(orgtr, orgtr, ungtr)
HEDDLE_FORTRAN_PAIR(ormtr, ormtr, unmtr)
HEDDLE_FORTRAN_PAIR(sytrd, sytrd, hetrd)
HEDDLE_FORTRAN_PAIR(syevd, syevd, heevd)
HEDDLE_FORTRAN_PAIR(syevr, syevr, heevr)
HEDDLE_FORTRAN_PAIR(syevx, syevx, heevx)
HEDDLE_FORTRAN_PAIR(sygvd, sygvd, hegvd)
HEDDLE_FORTRAN_PAIR(sygvx, sygvx, hegvx)
HEDDLE_FORTRAN_PAIR(sygst, sygst, hegst)

}  // namespace heddle::fortran
