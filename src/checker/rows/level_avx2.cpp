#include "checker/rows/body.h"

namespace heddle::checker::rows {
extern const Level avx2{read_row, write_row, meet,      overwrite, is_row,
                        spread,   idle_row,  extent_of, touch,     kinds_of};
}
