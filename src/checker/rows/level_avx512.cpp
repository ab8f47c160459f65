#include "checker/rows/body.h"

namespace heddle::checker::rows {
extern const Level avx512{read_row, write_row, idle_row, extent_of, touch};
}
