// Which source files are no program's own: headers of a CUDA toolkit, ours or another's, of clang and of the
// system.
#pragma once

#include <string_view>

namespace heddle {

// Looks at the file system: nothing else tells where a toolkit is, since PTX may come from anywhere.
bool is_toolkit_header(std::string_view file);

}  // namespace heddle
