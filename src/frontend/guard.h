// Runs work on a thread of its own with a large stack, and lives on when it crashes.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace heddle::frontend {

// What happened instead, when the work did not end: "segmentation fault", or a library's last words.
std::optional<std::string> guarded(const std::function<void()>& work);

}  // namespace heddle::frontend
