// The CUDA runtime: the C API, and in C++ the templates over it (CUDA Runtime API, "C++ API Routines").
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "crt/host_config.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "library_types.h"
#include "vector_functions.h"

#if defined(__HEDDLE_CUDA__)
#include "crt/host_math.h"
#include "cuda_device_runtime_api.h"
#endif

#if defined(__cplusplus)
#include "crt/runtime_execution.h"
#include "crt/runtime_graph.h"
#include "crt/runtime_memory.h"
#include "crt/runtime_occupancy.h"
#include "crt/runtime_reference.h"
#else
#include "device_launch_parameters.h"
#endif
#if !defined(__HEDDLE_CUDA__) && defined(__cplusplus)
#include "device_launch_parameters.h"
#endif

#endif
