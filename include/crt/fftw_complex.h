// FFTW's complex numbers (cuFFT Library, "FFTW Interface to cuFFT"): C's own where a program has included
// <complex.h> before, and else pairs.
#ifndef HEDDLE_CRT_FFTW_COMPLEX_H
#define HEDDLE_CRT_FFTW_COMPLEX_H

#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif

#endif
