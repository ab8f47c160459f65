#include "driver/message.h"

#include "support/version.h"

namespace heddle::driver {

std::string message(std::string_view program, Weight weight, std::string_view text) {
  constexpr std::string_view words[] = {"info    : ", "warning : ", "error   : ", "fatal   : "};
  return std::string(program) + ' ' + std::string(words[static_cast<std::size_t>(weight)]) +
         std::string(text) + '\n';
}

std::string version_text(std::string_view program, std::string_view what) {
  const std::string release = std::to_string(cuda_major) + '.' + std::to_string(cuda_minor);
  return std::string(program) + ": NVIDIA (R) " + std::string(what) + " of Heddle, which is not NVIDIA's\n" +
         "Heddle " + std::string(version()) + ", CUDA without a GPU\n" + "Cuda compilation tools, release " +
         release + ", V" + release + '.' + std::to_string(cuda_build) + "\nBuild heddle_" +
         std::string(version()) + '\n';
}

}  // namespace heddle::driver
