// Kernels of a file that is PTX, CUDA C++, a fat binary or something that was built: for commands that look
// at kernels without running them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "cli/command.h"
#include "module/image.h"
#include "support/result.h"

namespace heddle::cli {

// The programs in the file, as `device` would run them: one for PTX and CUDA C++, in a built program one for
// each of its parts. CUDA C++ goes through the toolkit's nvcc, with `options` for it. What is wrong with a
// text is written to the console's error output.
Result<std::vector<std::unique_ptr<module::Image>>> read_kernel_file(
    std::string_view path, const arch::Device& device, std::span<const std::string_view> options, Console&);

}  // namespace heddle::cli
