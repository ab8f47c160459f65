#include "checker/rows/body.h"

namespace heddle::checker::rows {
extern const Level avx2{read_row, write_row, idle_row, extent_of, touch};
}
