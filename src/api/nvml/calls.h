// What records of NVML name under `means`: other functions of this room.
#pragma once
