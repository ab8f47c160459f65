// Calls that both APIs have: what their records name under `means`.
#pragma once

#include "api/cuda_state/copy_batch.h"
#include "api/cuda_state/graph_calls.h"
#include "api/cuda_state/ipc.h"
#include "api/cuda_state/library_calls.h"
#include "api/cuda_state/managed_ranges.h"
#include "api/cuda_state/pool_calls.h"
#include "api/cuda_state/stream_calls.h"
