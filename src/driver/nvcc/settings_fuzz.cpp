// Any words are a command line of nvcc that can be carried out, or an error in words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "driver/nvcc/settings.h"

namespace {

// Reading files of options is left to the tests.
bool names_a_file(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with('@') || word.find("options-file") != std::string::npos ||
        word.find("optf") != std::string::npos)
      return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle::driver;
  const std::vector<std::string> words =
      split_words(std::string_view(reinterpret_cast<const char*>(data), size));
  if (names_a_file(words)) return 0;
  const auto settings = nvcc::settle(words);
  if (!settings) {
    if (settings.error().message.empty()) std::abort();
    return 0;
  }
  for (const nvcc::Generation& generation : settings->generations)
    if (generation.from.real || generation.from.number == 0) std::abort();
  for (const nvcc::Input& input : settings->inputs) (void)nvcc::output_for(*settings, input, "o");
  return 0;
}
