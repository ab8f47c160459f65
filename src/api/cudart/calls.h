// What records of the runtime API name under `means`.
#pragma once

#include "api/cuda_state/calls.h"
#include "api/cudart/graph_work.h"
#include "api/cudart/objects.h"
