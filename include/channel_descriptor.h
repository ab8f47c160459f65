// cudaCreateChannelDesc<T>(): the channel format of an element type (CUDA Runtime API, "C++ API Routines").
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)

template <class T>
inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc() {
  return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf1() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static __inline__ __host__ cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

#define HEDDLE_CHANNEL_(type, x, y, z, w, kind)                            \
  template <>                                                              \
  inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc<type>() {    \
    return cudaCreateChannelDesc(x, y, z, w, cudaChannelFormatKind##kind); \
  }
#define HEDDLE_CHANNELS_(name, type, kind)                                                      \
  HEDDLE_CHANNEL_(name##1, int(8 * sizeof(type)), 0, 0, 0, kind)                                \
  HEDDLE_CHANNEL_(name##2, int(8 * sizeof(type)), int(8 * sizeof(type)), 0, 0, kind)            \
  HEDDLE_CHANNEL_(name##4, int(8 * sizeof(type)), int(8 * sizeof(type)), int(8 * sizeof(type)), \
                  int(8 * sizeof(type)), kind)
#define HEDDLE_CHANNEL_TYPE_(name, type, kind)                \
  HEDDLE_CHANNEL_(type, int(8 * sizeof(type)), 0, 0, 0, kind) \
  HEDDLE_CHANNELS_(name, type, kind)

HEDDLE_CHANNEL_(char, 8, 0, 0, 0, Signed)
HEDDLE_CHANNEL_TYPE_(char, signed char, Signed)
HEDDLE_CHANNEL_TYPE_(uchar, unsigned char, Unsigned)
HEDDLE_CHANNEL_TYPE_(short, short, Signed)
HEDDLE_CHANNEL_TYPE_(ushort, unsigned short, Unsigned)
HEDDLE_CHANNEL_TYPE_(int, int, Signed)
HEDDLE_CHANNEL_TYPE_(uint, unsigned int, Unsigned)
HEDDLE_CHANNEL_TYPE_(float, float, Float)

#undef HEDDLE_CHANNEL_TYPE_
#undef HEDDLE_CHANNELS_
#undef HEDDLE_CHANNEL_

#endif

#endif
