#include "api/cuda_state/arguments.h"

#include "runtime/launch.h"

namespace heddle::cuda {
namespace {

// Words of the list `extra` (CU_LAUNCH_PARAM_*).
void* const list_end = nullptr;
void* const buffer_pointer = reinterpret_cast<void*>(1);
void* const buffer_size = reinterpret_cast<void*>(2);

Answer<std::vector<std::byte>> from_buffer(const Function& function, void* const* extra) {
  const void* buffer = nullptr;
  const std::size_t* bytes = nullptr;
  for (; *extra != list_end; extra += 2) {
    if (*extra == buffer_pointer)
      buffer = extra[1];
    else if (*extra == buffer_size)
      bytes = static_cast<const std::size_t*>(extra[1]);
    else
      return invalid_value("'extra' has a word that is none of CU_LAUNCH_PARAM_*");
  }
  if (buffer == nullptr || bytes == nullptr) return invalid_value("'extra' lacks the buffer or its size");
  const uint64_t wanted = runtime::parameter_bytes(function.kernel().function());
  // Programs round the size up, to the alignment of a structure for example.
  if (*bytes < wanted || *bytes > most_parameter_bytes)
    return invalid_value("a buffer of " + std::to_string(*bytes) + " bytes for '" + function.name() +
                         "', which takes " + std::to_string(wanted));
  const auto* begin = static_cast<const std::byte*>(buffer);
  return std::vector<std::byte>(begin, begin + wanted);
}

}  // namespace

Answer<std::vector<std::byte>> pack_arguments(const Function& function, void* const* arguments,
                                              void* const* extra) {
  if (arguments != nullptr && extra != nullptr)
    return invalid_value("arguments and 'extra' exclude each other");
  if (extra != nullptr) return from_buffer(function, extra);
  const auto& parameters = function.kernel().function().signature.params;
  if (arguments == nullptr && !parameters.empty())
    return invalid_value("'" + function.name() + "' takes " + std::to_string(parameters.size()) +
                         " arguments, none are given");
  auto packed = runtime::pack_parameters(function.kernel(), arguments);
  if (!packed) return failure_of(packed.error());
  return *packed;
}

}  // namespace heddle::cuda
