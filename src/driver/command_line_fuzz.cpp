// Any words are a command line of nvcc and its companions, or an error in words; so are the words of a file
// of options.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "driver/architecture.h"
#include "driver/options.gen.h"

namespace {

using namespace heddle::driver;

// What the last word of an input may ask for: reading files is left to the tests.
bool names_a_file(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.starts_with('@') || word.find("options-file") != std::string::npos ||
        word.find("optf") != std::string::npos)
      return true;
  return false;
}

template <class Opt>
void parse(const OptionTable& table, const std::vector<std::string>& words) {
  const auto line = CommandLine::parse(table, words);
  if (!line) {
    if (line.error().message.empty()) std::abort();
    return;
  }
  for (std::size_t i = 0; i < table.records.size(); ++i) {
    const auto option = static_cast<Opt>(i);
    if (line->has(option) && line->value(option) && line->values(option).empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> words = split_words(text);
  for (const std::string& word : words) (void)parse_arch(word);
  if (names_a_file(words)) return 0;
  parse<nvcc::Opt>(nvcc::options, words);
  parse<ptxas::Opt>(ptxas::options, words);
  parse<fatbinary::Opt>(fatbinary::options, words);
  parse<cuobjdump::Opt>(cuobjdump::options, words);
  return 0;
}
