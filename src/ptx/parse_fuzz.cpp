// Any bytes as a PTX file: no crash, no hang, and what is read without errors is printed and read back the
// same.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "ptx/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace heddle;
  const auto source = std::make_shared<const SourceText>(
      "fuzz.ptx", size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(data), size));
  Diagnostics diagnostics;
  const ptx::Module first = ptx::parse(source, diagnostics);
  if (diagnostics.has_errors()) {
    // What is left of a bad module is printed as well: it must hold together.
    if (diagnostics.render(*source).empty()) std::abort();
    ptx::print(first);
    return 0;
  }
  const auto printed = std::make_shared<const SourceText>("printed.ptx", ptx::print(first));
  Diagnostics verified;
  ptx::verify(first, verified);
  const ptx::Module second = ptx::parse(printed, diagnostics);
  if (diagnostics.has_errors() || !ptx::equal(first, second) || ptx::print(second) != printed->text())
    std::abort();
  return 0;
}
