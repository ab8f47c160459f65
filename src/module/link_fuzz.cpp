// Whatever the parser takes without an error, linking must survive: one module, or two with a zero byte
// between them. What links can be written down.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "module/link.h"
#include "ptx/parse.h"

// Bytes at random are rarely PTX. This mutator moves, repeats, drops and exchanges whole words or whole lines
// of what it has, which mostly stays PTX.
namespace {

std::vector<std::string> split(std::string_view text, bool lines) {
  std::vector<std::string> parts;
  const auto word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (lines)
      end = std::min(text.find('\n', at), text.size() - 1) + 1;
    else if (word(text[at]))
      while (end < text.size() && word(text[end])) ++end;
    parts.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

}  // namespace

// libFuzzer's; not there where the corpus is only replayed.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  std::mt19937 random(seed);
  if (size == 0 || random() % 10 == 0)
    return LLVMFuzzerMutate != nullptr ? LLVMFuzzerMutate(data, size, most) : size;
  std::vector<std::string> parts = split({reinterpret_cast<const char*>(data), size}, random() % 3 == 0);
  for (unsigned changes = 1 + random() % 3; changes > 0 && !parts.empty(); --changes) {
    const std::size_t from = random() % parts.size(), to = random() % parts.size();
    const auto at = parts.begin() + static_cast<std::ptrdiff_t>(to);
    switch (random() % 4) {
      case 0: parts.erase(at); break;
      case 1: parts.insert(at, std::string(parts[from])); break;
      case 2: parts[to] = parts[from]; break;
      default: std::swap(parts[to], parts[from]); break;
    }
  }
  std::string text;
  for (const std::string& part : parts) text += part;
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<heddle::ptx::Module> modules;
  while (modules.size() < 2) {
    const std::size_t end = rest.find('\0');
    heddle::Diagnostics diagnostics;
    modules.push_back(heddle::ptx::read(
        std::make_shared<const heddle::SourceText>("fuzz.ptx", std::string(rest.substr(0, end))),
        diagnostics));
    if (diagnostics.has_errors()) return 0;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  std::vector<const heddle::ptx::Module*> pointers;
  for (const heddle::ptx::Module& module : modules) pointers.push_back(&module);
  const auto image = heddle::module::link(pointers);
  if (image) heddle::module::dump(*image.value());
  return 0;
}
