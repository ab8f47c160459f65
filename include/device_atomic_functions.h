#include "device_atomic_functions.hpp"
