// What functions that are other names of functions need besides them.
#pragma once

#include "api/cupti/call.h"
