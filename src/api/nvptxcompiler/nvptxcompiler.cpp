// The functions of NVIDIA's compiler of PTX. They are ptxas in process: the same options, messages and
// result, which every loader here takes.
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "api/entry/handle_table.h"
#include "api/nvptxcompiler/functions.gen.h"
#include "arch/device.h"
#include "driver/assemble.h"
#include "driver/message.h"
#include "driver/options.gen.h"
#include "isa/isa.h"

namespace heddle::nvptxcompiler {
namespace {

struct Compiler {
  explicit Compiler(std::string text) : ptx(std::move(text)) {}
  // The program asks to give up.
  bool cancelled() const { return callback != nullptr && callback(payload, nullptr) == 1; }

  std::mutex mutex;  // of every call on it
  const std::string ptx;
  nvPTXCompilerFlowCallback callback = nullptr;
  void* payload = nullptr;
  std::string errors, info, program;
};

using Compilers = entry::HandleTable<Compiler, nvPTXCompilerHandle>;

Failure no_compiler() {
  return failure(NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE, "there is no compiler of that handle");
}

template <class Work>
Status with(nvPTXCompilerHandle handle, Work&& work) {
  const auto compiler = Compilers::get().find(handle);
  if (compiler == nullptr) return no_compiler();
  const std::lock_guard lock(compiler->mutex);
  return work(*compiler);
}

// Options that make sense on a command line only, where there are files to read and to write.
constexpr driver::ptxas::Opt of_command_lines[] = {driver::ptxas::Opt::help, driver::ptxas::Opt::version,
                                                   driver::ptxas::Opt::list_version,
                                                   driver::ptxas::Opt::input_as_string};

struct Order {
  driver::AssembleOptions options;
  bool code = true;  // a virtual architecture: the text is only read
};

Result<Order> read_order(const std::vector<std::string>& words) {
  const auto line = driver::CommandLine::parse(driver::ptxas::options, words);
  if (!line) return line.error();
  if (!line->unknown().empty()) return Error{"Unknown option '" + line->unknown()[0] + "'"};
  if (!line->inputs().empty())
    return Error{"'" + line->inputs()[0] + "' is no option, and the text is here already"};
  for (const driver::ptxas::Opt option : of_command_lines)
    if (line->has(option)) return Error{"Options that are for command lines alone are not taken here"};
  auto options = driver::read_assembler(*line);
  if (!options) return options.error();
  Order order{std::move(*options)};
  order.options.name = "application ptx input";
  const auto arch = line->value(driver::ptxas::Opt::gpu_name);
  order.code = !arch || driver::parse_arch(*arch)->real;
  return order;
}

Failure fail(Compiler& compiler, nvPTXCompileResult code, std::string log) {
  compiler.errors = std::move(log);
  return failure(code, compiler.errors);
}

Status compile(Compiler& compiler, const std::vector<std::string>& words) {
  compiler.errors.clear();
  compiler.info.clear();
  compiler.program.clear();
  const auto order = read_order(words);
  if (!order)
    return fail(compiler, NVPTXCOMPILE_ERROR_COMPILATION_FAILURE,
                driver::message("ptxas", driver::Weight::fatal, order.error().message));
  const Failure given_up = failure(NVPTXCOMPILE_ERROR_CANCELLED, "the program's callback gave up");
  if (compiler.cancelled()) return given_up;
  driver::Assembly assembly = driver::assemble(compiler.ptx, order->options);
  if (compiler.cancelled()) return given_up;
  if (!assembly.ok)
    return fail(
        compiler,
        assembly.newer ? NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION : NVPTXCOMPILE_ERROR_COMPILATION_FAILURE,
        std::move(assembly.log));
  compiler.info = std::move(assembly.log);
  if (!order->code)
    return failure(NVPTXCOMPILE_PARSE_ONLY_SUCCESS, "the architecture is virtual: the text was only read");
  compiler.program = std::move(assembly.cubin);
  return Unit{};
}

// A log's size counts the zero behind it; an empty one has none.
Status give_size(nvPTXCompilerHandle handle, std::string Compiler::* log, size_t* size) {
  return with(handle, [&](const Compiler& compiler) -> Status {
    *size = (compiler.*log).empty() ? 0 : (compiler.*log).size() + 1;
    return Unit{};
  });
}
Status give(nvPTXCompilerHandle handle, std::string Compiler::* log, char* to) {
  return with(handle, [&](const Compiler& compiler) -> Status {
    if (!(compiler.*log).empty()) std::memcpy(to, (compiler.*log).c_str(), (compiler.*log).size() + 1);
    return Unit{};
  });
}

Failure incomplete() {
  return failure(NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE, "nothing has been compiled");
}

}  // namespace

Status nvPTXCompilerGetVersion(unsigned int* major, unsigned int* minor) {
  *major = 12;
  *minor = 9;
  return Unit{};
}

Status nvPTXCompilerGetNumSupportedVersions(int* numVersions) {
  *numVersions = static_cast<int>(isa::versions().size());
  return Unit{};
}
Status nvPTXCompilerGetSupportedVersions(nvPTXCompilerVersion* versions) {
  for (const isa::Version version : isa::versions()) {
    (*versions)[0] = version.major;
    (*versions)[1] = version.minor;
    ++versions;
  }
  return Unit{};
}

Status nvPTXCompilerGetNumSupportedArchs(int* numArchs) {
  *numArchs = static_cast<int>(arch::all_architectures().size());
  return Unit{};
}
Status nvPTXCompilerGetSupportedArchs(int* supportedArchs) {
  for (const arch::Architecture& architecture : arch::all_architectures())
    *supportedArchs++ = static_cast<int>(architecture.capability.number());
  return Unit{};
}

Status nvPTXCompilerCreate(nvPTXCompilerHandle* compiler, size_t ptxCodeLen, const char* ptxCode) {
  if (ptxCodeLen == 0) return invalid_input("the text has no bytes");
  *compiler =
      Compilers::get().add(std::make_shared<Compiler>(std::string(ptxCode, strnlen(ptxCode, ptxCodeLen))));
  return Unit{};
}

Status nvPTXCompilerDestroy(nvPTXCompilerHandle* compiler) {
  if (!Compilers::get().erase(*compiler)) return no_compiler();
  *compiler = nullptr;
  return Unit{};
}

Status nvPTXCompilerCompile(nvPTXCompilerHandle compiler, int numCompileOptions,
                            const char* const* compileOptions) {
  return with(compiler, [&](Compiler& found) -> Status {
    if (numCompileOptions < 0) return invalid_input(std::to_string(numCompileOptions) + " options");
    std::vector<std::string> words;
    for (int i = 0; i < numCompileOptions; ++i) {
      if (compileOptions == nullptr || compileOptions[i] == nullptr)
        return invalid_input("option " + std::to_string(i) + " is NULL");
      words.emplace_back(compileOptions[i]);
    }
    return compile(found, words);
  });
}

Status nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle compiler, size_t* binaryImageSize) {
  return with(compiler, [&](const Compiler& found) -> Status {
    if (found.program.empty()) return incomplete();
    *binaryImageSize = found.program.size();
    return Unit{};
  });
}
Status nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle compiler, void* binaryImage) {
  return with(compiler, [&](const Compiler& found) -> Status {
    if (found.program.empty()) return incomplete();
    std::memcpy(binaryImage, found.program.data(), found.program.size());
    return Unit{};
  });
}

Status nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle compiler, size_t* errorLogSize) {
  return give_size(compiler, &Compiler::errors, errorLogSize);
}
Status nvPTXCompilerGetErrorLog(nvPTXCompilerHandle compiler, char* errorLog) {
  return give(compiler, &Compiler::errors, errorLog);
}
Status nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle compiler, size_t* infoLogSize) {
  return give_size(compiler, &Compiler::info, infoLogSize);
}
Status nvPTXCompilerGetInfoLog(nvPTXCompilerHandle compiler, char* infoLog) {
  return give(compiler, &Compiler::info, infoLog);
}

// Asked before the text is read, and when it has been compiled: what is between takes some thousandths of a
// second.
Status nvPTXCompilerSetFlowCallback(nvPTXCompilerHandle compiler, nvPTXCompilerFlowCallback callback,
                                    void* payload) {
  return with(compiler, [&](Compiler& found) -> Status {
    if (callback == nullptr) return missing("callback");
    found.callback = callback;
    found.payload = payload;
    return Unit{};
  });
}

}  // namespace heddle::nvptxcompiler
