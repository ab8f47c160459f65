// From one input to PTX, a fat binary, an object file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/fat_file.h"
#include "driver/nvcc/session.h"

namespace heddle::driver::nvcc {

// False: it failed, and said why.
bool make_ptx(Session& session, const Input& input, const std::string& output);
bool make_cubin(Session& session, const Input& input, const std::string& output);
bool make_fat_binary_file(Session& session, const Input& input, const std::string& output);
bool make_object(Session& session, const Input& input, const std::string& output);
bool preprocess(Session& session, const Input& input);
bool make_dependencies(Session& session, const Input& input);
// One rule file for a program of several sources, when all are compiled.
bool join_dependencies(Session& session);
// What -keep leaves of an input, but for its object.
std::vector<std::string> kept_files(const Session& session, const Input& input);

}  // namespace heddle::driver::nvcc
