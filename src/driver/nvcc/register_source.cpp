#include "driver/nvcc/register_source.h"

namespace heddle::driver::nvcc {

namespace {

constexpr std::string_view head = R"(
typedef void (*Register)(void**);
struct Wrapper {
  unsigned magic, version;
  const void* data;
  const void* const* units;
};
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
int atexit(void (*)());
)";

constexpr std::string_view body = R"(
static const unsigned long long nothing[2] = {0x00100001ba55ed50ull, 0};
static const void* units[unit_count + 1];
static Register registers[unit_count];
static unsigned registered;
static void** program;
__attribute__((section(".nvFatBinSegment"), used)) static Wrapper linked = {0x466243b1, 2, nothing, units};
static void forget() { __cudaUnregisterFatBinary(program); }
static void add(Register unit, const Wrapper& wrapper) {
  units[registered] = wrapper.data;
  registers[registered] = unit;
  if (++registered != unit_count) return;
  program = __cudaRegisterFatBinary(&linked);
  for (Register each : registers) each(program);
  __cudaRegisterFatBinaryEnd(program);
  atexit(forget);
}
)";

}  // namespace

std::string registration_source(const std::vector<std::string>& functions) {
  if (functions.empty()) return "// No device code to link.\n";
  std::string text(head);
  for (const std::string& name : functions)
    text += "extern const Wrapper __fatbinwrap" + name.substr(registration_prefix.size()) + ";\n";
  text += "}\nenum : unsigned { unit_count = " + std::to_string(functions.size()) + " };\n";
  text += body;
  for (const std::string& name : functions)
    text += "extern \"C\" __attribute__((visibility(\"hidden\"))) void " + name +
            "(Register unit, void*, void*, void (*)(void*)) { add(unit, __fatbinwrap" +
            name.substr(registration_prefix.size()) + "); }\n";
  return text;
}

}  // namespace heddle::driver::nvcc
