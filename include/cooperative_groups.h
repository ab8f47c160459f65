// Cooperative groups (CUDA C++ Programming Guide, "Cooperative Groups"). Device code only; a host pass just
// knows the names.
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

// In this order.
// clang-format off
#include "cooperative_groups/details/thread.h"
#include "cooperative_groups/details/barrier.h"
#include "cooperative_groups/details/warp.h"
#include "cooperative_groups/details/groups.h"
#include "cooperative_groups/details/tile.h"
#include "cooperative_groups/details/partition.h"
#include "cooperative_groups/details/grid.h"
#include "cooperative_groups/details/cluster.h"
#include "cooperative_groups/details/invoke.h"
// clang-format on

#endif

#endif
