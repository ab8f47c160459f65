// The functions of NVRTC.
#include <array>
#include <atomic>
#include <cstring>

#include "api/entry/errors.gen.h"
#include "api/entry/handle_table.h"
#include "api/nvrtc/functions.gen.h"
#include "api/nvrtc/program.h"

namespace heddle::nvrtc {
namespace {

using Programs = entry::HandleTable<Program, nvrtcProgram>;

Result<std::shared_ptr<Program>, Failure> find(nvrtcProgram handle) {
  if (auto found = Programs::get().find(handle)) return found;
  return failure(NVRTC_ERROR_INVALID_PROGRAM, "no such program");
}

// Results are texts with a zero behind them; their sizes count it.
Status give_size(nvrtcProgram handle, size_t* size, const std::string& (Program::*text)() const,
                 bool must_compile, bool with_zero) {
  auto program = find(handle);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  if (must_compile && !(*program)->compiled())
    return failure(NVRTC_ERROR_INVALID_PROGRAM, "the program is not compiled");
  *size = ((**program).*text)().size() + (with_zero ? 1 : 0);
  return Unit{};
}
Status give(nvrtcProgram handle, char* out, const std::string& (Program::*text)() const, bool must_compile,
            bool with_zero) {
  auto program = find(handle);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  if (must_compile && !(*program)->compiled())
    return failure(NVRTC_ERROR_INVALID_PROGRAM, "the program is not compiled");
  const std::string& bytes = ((**program).*text)();
  std::memcpy(out, bytes.c_str(), bytes.size() + (with_zero ? 1 : 0));
  return Unit{};
}

// What programs ask for, to be told again.
std::atomic<size_t> pch_heap_bytes = size_t{256} << 20;

// NVRTC 12.9's.
constexpr std::array architectures{50, 52, 53, 60, 61,  62,  70,  72,  75, 80,
                                   86, 87, 89, 90, 100, 101, 103, 120, 121};

const char* text_of(nvrtcResult result) {
  switch (result) {
    case NVRTC_SUCCESS: return "NVRTC_SUCCESS";
    default: break;
  }
  const char* name = entry::nvrtc_error_name(result);
  return name != nullptr ? name : "NVRTC_ERROR unknown";
}

}  // namespace

const char* nvrtcGetErrorString(nvrtcResult result) { return text_of(result); }

Status nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 9;
  return Unit{};
}
// What libnvrtc.so.13 has under that name.
Status nvrtcVersion_v13(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return Unit{};
}
Status nvrtcGetNumSupportedArchs(int* numArchs) {
  *numArchs = static_cast<int>(architectures.size());
  return Unit{};
}
Status nvrtcGetSupportedArchs(int* supportedArchs) {
  std::memcpy(supportedArchs, architectures.data(), sizeof architectures);
  return Unit{};
}

Status nvrtcCreateProgram(nvrtcProgram* prog, const char* src, const char* name, int numHeaders,
                          const char* const* headers, const char* const* includeNames) {
  if (src == nullptr) return missing("src");
  if (numHeaders < 0) return invalid_input(std::to_string(numHeaders) + " headers");
  if (numHeaders > 0 && (headers == nullptr || includeNames == nullptr))
    return invalid_input("the headers are NULL");
  std::vector<Program::Header> list;
  for (int i = 0; i < numHeaders; ++i) {
    if (headers[i] == nullptr || includeNames[i] == nullptr)
      return invalid_input("header " + std::to_string(i) + " is NULL");
    list.push_back({includeNames[i], headers[i]});
  }
  *prog = Programs::get().add(std::make_shared<Program>(
      src, name != nullptr && *name != '\0' ? name : "default_program", std::move(list)));
  return Unit{};
}

Status nvrtcDestroyProgram(nvrtcProgram* prog) {
  if (!Programs::get().erase(*prog)) return failure(NVRTC_ERROR_INVALID_PROGRAM, "no such program");
  *prog = nullptr;
  return Unit{};
}

Status nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char* const* options) {
  auto program = find(prog);
  if (!program) return program.error();
  if (numOptions < 0 || (numOptions > 0 && options == nullptr)) return invalid_input("the options are NULL");
  const std::lock_guard lock((*program)->mutex);
  return (*program)->compile({options, static_cast<std::size_t>(numOptions)});
}

Status nvrtcSetFlowCallback(nvrtcProgram prog, nvrtcFlowCallback callback, void* payload) {
  auto program = find(prog);
  if (!program) return program.error();
  if (callback == nullptr) return missing("callback");
  const std::lock_guard lock((*program)->mutex);
  (*program)->set_flow(callback, payload);
  return Unit{};
}

// ---- precompiled headers: none are made, and programs compile without (options.cpp)
Status nvrtcGetPCHHeapSize(size_t* ret) {
  *ret = pch_heap_bytes;
  return Unit{};
}
Status nvrtcSetPCHHeapSize(size_t size) {
  pch_heap_bytes = size;
  return Unit{};
}
Status nvrtcGetPCHCreateStatus(nvrtcProgram prog) {
  auto program = find(prog);
  if (!program) return program.error();
  return failure(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, "no precompiled header was made");
}
Status nvrtcGetPCHHeapSizeRequired(nvrtcProgram prog, size_t* size) {
  auto program = find(prog);
  if (!program) return program.error();
  *size = 0;
  return Unit{};
}

Status nvrtcGetPTXSize(nvrtcProgram prog, size_t* ptxSizeRet) {
  return give_size(prog, ptxSizeRet, &Program::ptx, true, true);
}
Status nvrtcGetPTX(nvrtcProgram prog, char* ptx) { return give(prog, ptx, &Program::ptx, true, true); }
Status nvrtcGetCUBINSize(nvrtcProgram prog, size_t* cubinSizeRet) {
  return give_size(prog, cubinSizeRet, &Program::device_code, true, false);
}
Status nvrtcGetCUBIN(nvrtcProgram prog, char* cubin) {
  return give(prog, cubin, &Program::device_code, true, false);
}
Status nvrtcGetLTOIRSize(nvrtcProgram prog, size_t* LTOIRSizeRet) {
  return give_size(prog, LTOIRSizeRet, &Program::link_code, true, false);
}
Status nvrtcGetLTOIR(nvrtcProgram prog, char* LTOIR) {
  return give(prog, LTOIR, &Program::link_code, true, false);
}
Status nvrtcGetProgramLogSize(nvrtcProgram prog, size_t* logSizeRet) {
  return give_size(prog, logSizeRet, &Program::log, false, true);
}
Status nvrtcGetProgramLog(nvrtcProgram prog, char* log) {
  return give(prog, log, &Program::log, false, true);
}

Status nvrtcAddNameExpression(nvrtcProgram prog, const char* const name_expression) {
  if (name_expression == nullptr) return missing("name_expression");
  auto program = find(prog);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  return (*program)->add_name(name_expression);
}
Status nvrtcGetLoweredName(nvrtcProgram prog, const char* const name_expression, const char** lowered_name) {
  if (name_expression == nullptr) return missing("name_expression");
  auto program = find(prog);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  return (*program)->lowered_name(name_expression, lowered_name);
}

}  // namespace heddle::nvrtc
