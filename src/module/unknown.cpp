#include "module/unknown.h"

#include "module/calls.h"
#include "ptx/unknown.h"

namespace heddle::module {

namespace {

std::string_view told(const Function& function) {
  for (const std::string_view pragma : function.pragmas)
    if (pragma.starts_with(ptx::unknown_mark)) return pragma.substr(ptx::unknown_mark.size());
  return {};
}

}  // namespace

std::string_view unknown_instruction(const Image& image, uint32_t function) {
  // Who calls nobody is most kernels.
  if (image.functions[function].callees.empty()) return told(image.functions[function]);
  for (const uint32_t callee : reachable_functions(image, function))
    if (const std::string_view text = told(image.functions[callee]); !text.empty()) return text;
  return {};
}

bool all_kernels_unknown(const Image& image) {
  bool any = false;
  for (uint32_t i = 0; i < image.functions.size(); ++i) {
    if (!image.functions[i].entry || !image.functions[i].defined) continue;
    if (unknown_instruction(image, i).empty()) return false;
    any = true;
  }
  return any;
}

}  // namespace heddle::module
