// What a library's own logger tells (cublasLoggerConfigure and its like): each call, with its outcome.
#pragma once

#include <string>

namespace heddle::libs {

bool logging();
void log(const std::string& line, bool succeeded);

using LogCallback = void (*)(const char* message);
// Where lines go: `file` is a name, "stdout" or "stderr"; empty, not to a file.
bool log_to(bool on, bool standard_output, bool standard_error, const char* file);
void log_to(LogCallback callback);
LogCallback log_callback();

}  // namespace heddle::libs
