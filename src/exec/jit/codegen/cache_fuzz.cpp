// Whatever lies in the cache's folder is no crash: entries, what a kernel is kept as, objects.
#include <cstddef>
#include <cstdint>

#include "cache/disk.h"
#include "exec/jit/codegen/loader.h"
#include "exec/jit/compiler/experience.h"
#include "exec/jit/compiler/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::exec::jit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)heddle::cache::read_entry({}, bytes);
  if (auto record = read_record(bytes)) {
    (void)load_object(record->object, [](std::string_view) -> const void* { return nullptr; });
  }
  (void)read_experience(bytes);
  (void)load_object(std::string(bytes), [](std::string_view) -> const void* {
    return reinterpret_cast<const void*>(&LLVMFuzzerTestOneInput);
  });
  return 0;
}
