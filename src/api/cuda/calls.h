// What records of the driver API name under `means`.
#pragma once

#include "api/cuda/graph_work.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/calls.h"
