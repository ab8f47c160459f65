// The functions of libNVVM.
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "api/entry/errors.gen.h"
#include "api/entry/handle_table.h"
#include "api/nvvm/functions.gen.h"
#include "api/nvvm/options.h"

namespace heddle::nvvm {
namespace {

struct Program {
  std::mutex mutex;  // of every call on the program
  std::vector<frontend::NvvmModule> modules;
  std::string ptx, log;
  bool compiled = false;
};

using Programs = entry::HandleTable<Program, nvvmProgram>;

Result<std::shared_ptr<Program>, Failure> find(nvvmProgram handle) {
  if (auto found = Programs::get().find(handle)) return found;
  return failure(NVVM_ERROR_INVALID_PROGRAM, "no such program");
}

Status add(nvvmProgram prog, const char* buffer, size_t size, const char* name, bool lazy) {
  auto program = find(prog);
  if (!program) return program.error();
  if (size == 0) return invalid_input("the module has no bytes");
  const std::lock_guard lock((*program)->mutex);
  // A text may bring the zero behind it.
  std::string bytes(buffer, size);
  if (!bytes.starts_with("BC") && !bytes.starts_with("\xde\xc0\x17\x0b"))
    bytes.resize(std::strlen(bytes.c_str()));
  (*program)->modules.push_back(
      {name != nullptr && *name != '\0' ? name : "<unnamed>", std::move(bytes), lazy});
  return Unit{};
}

nvvmResult code_of(frontend::NvvmStatus status) {
  switch (status) {
    case frontend::NvvmStatus::ok: return NVVM_SUCCESS;
    case frontend::NvvmStatus::invalid_ir: return NVVM_ERROR_INVALID_IR;
    case frontend::NvvmStatus::wrong_version: return NVVM_ERROR_IR_VERSION_MISMATCH;
    case frontend::NvvmStatus::failed: return NVVM_ERROR_COMPILATION;
  }
  return NVVM_ERROR_COMPILATION;
}

template <class Work>
Status run(nvvmProgram prog, int count, const char** options, Work&& work) {
  auto found = find(prog);
  if (!found) return found.error();
  if (count < 0 || (count > 0 && options == nullptr)) return invalid_input("the options are NULL");
  Program& program = **found;
  const std::lock_guard lock(program.mutex);
  program.log.clear();
  const auto read = read_options({options, static_cast<std::size_t>(count)});
  if (!read) {
    program.log = "libnvvm : error: " + read.error().message;  // without an end of the line, as NVIDIA's
    return failure(NVVM_ERROR_INVALID_OPTION, read.error().message);
  }
  if (program.modules.empty()) return failure(NVVM_ERROR_NO_MODULE_IN_PROGRAM, "the program has no module");
  frontend::NvvmResult result = work(program, *read);
  program.log = std::move(result.log);
  if (result.status != frontend::NvvmStatus::ok) return failure(code_of(result.status), program.log);
  program.ptx = std::move(result.ptx);
  return Unit{};
}

}  // namespace

const char* nvvmGetErrorString(nvvmResult result) {
  const char* name = entry::nvvm_error_name(result);
  return name != nullptr ? name : "NVVM_ERROR unknown";
}

Status nvvmVersion(int* major, int* minor) {
  *major = 2;
  *minor = 0;
  return Unit{};
}

Status nvvmIRVersion(int* majorIR, int* minorIR, int* majorDbg, int* minorDbg) {
  *majorIR = frontend::nvvm_versions.major;
  *minorIR = frontend::nvvm_versions.minor;
  *majorDbg = frontend::nvvm_versions.debug_major;
  *minorDbg = frontend::nvvm_versions.debug_minor;
  return Unit{};
}

// All architectures have one compiler here.
Status nvvmLLVMVersion(const char* arch, int* major) {
  const std::string option = "-arch=" + std::string(arch);
  const char* list[] = {option.c_str()};
  if (const auto read = read_options(list); !read) return invalid_input(read.error().message);
  *major = frontend::nvvm_llvm_version;
  return Unit{};
}

Status nvvmCreateProgram(nvvmProgram* prog) {
  *prog = Programs::get().add(std::make_shared<Program>());
  return Unit{};
}

Status nvvmDestroyProgram(nvvmProgram* prog) {
  if (!Programs::get().erase(*prog)) return failure(NVVM_ERROR_INVALID_PROGRAM, "no such program");
  *prog = nullptr;
  return Unit{};
}

Status nvvmAddModuleToProgram(nvvmProgram prog, const char* buffer, size_t size, const char* name) {
  return add(prog, buffer, size, name, false);
}
Status nvvmLazyAddModuleToProgram(nvvmProgram prog, const char* buffer, size_t size, const char* name) {
  return add(prog, buffer, size, name, true);
}

Status nvvmVerifyProgram(nvvmProgram prog, int numOptions, const char** options) {
  return run(prog, numOptions, options, [](Program& program, const frontend::NvvmOptions&) {
    frontend::NvvmResult result = frontend::verify_nvvm(program.modules);
    result.ptx = std::move(program.ptx);  // of an earlier compilation
    return result;
  });
}

Status nvvmCompileProgram(nvvmProgram prog, int numOptions, const char** options) {
  return run(prog, numOptions, options, [](Program& program, const frontend::NvvmOptions& read) {
    frontend::NvvmResult result = frontend::compile_nvvm(program.modules, read);
    program.compiled = result.status == frontend::NvvmStatus::ok;
    // That the IR is none is what verifying says.
    if (result.status == frontend::NvvmStatus::invalid_ir) result.status = frontend::NvvmStatus::failed;
    return result;
  });
}

Status nvvmGetCompiledResultSize(nvvmProgram prog, size_t* bufferSizeRet) {
  auto program = find(prog);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  if (!(*program)->compiled) return failure(NVVM_ERROR_INVALID_PROGRAM, "the program is not compiled");
  *bufferSizeRet = (*program)->ptx.size() + 1;
  return Unit{};
}

Status nvvmGetCompiledResult(nvvmProgram prog, char* buffer) {
  auto program = find(prog);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  if (!(*program)->compiled) return failure(NVVM_ERROR_INVALID_PROGRAM, "the program is not compiled");
  std::memcpy(buffer, (*program)->ptx.c_str(), (*program)->ptx.size() + 1);
  return Unit{};
}

Status nvvmGetProgramLogSize(nvvmProgram prog, size_t* bufferSizeRet) {
  auto program = find(prog);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  *bufferSizeRet = (*program)->log.size() + 1;
  return Unit{};
}

Status nvvmGetProgramLog(nvvmProgram prog, char* buffer) {
  auto program = find(prog);
  if (!program) return program.error();
  const std::lock_guard lock((*program)->mutex);
  std::memcpy(buffer, (*program)->log.c_str(), (*program)->log.size() + 1);
  return Unit{};
}

}  // namespace heddle::nvvm
