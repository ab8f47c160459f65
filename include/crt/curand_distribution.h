// What a curandDiscreteDistribution_t points to, in a device's memory: bars of one width, each divided
// between its own number and another one; without bars, normal numbers. libcurand makes it.
#ifndef HEDDLE_CRT_CURAND_DISTRIBUTION_H
#define HEDDLE_CRT_CURAND_DISTRIBUTION_H

struct curandDiscreteDistribution_st {
  const double* thresholds;
  const unsigned int* others;
  unsigned int shift, length;
  double mean, stddev;
};
typedef struct curandDiscreteDistribution_st* curandDiscreteDistribution_t;

#endif
