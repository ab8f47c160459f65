#include "libs/nvblas/routing.h"

#include <dlfcn.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "libs/common/runtime.h"
#include "libs/cublas/fortran.h"
#include "libs/nvblas/settings.h"

namespace heddle::nvblas {
namespace {

struct About {
  const char* name;
  // A call goes to a device from more elements on: those of A and B for gemm, of one operand for the others.
  // As an H200 decides (tests/hw/h200/libraries/nvblas.md): neither tiles nor letters change it.
  std::array<double, 4> elements;  // s, d, c, z
};
constexpr std::array<About, 9> routines{{
    {"gemm", {204800, 204800, 131072, 51200}},
    {"syrk", {409600, 409600, 147456, 57600}},
    {"herk", {0, 0, 147456, 57600}},
    {"syr2k", {1638400, 1048576, 409600, 409600}},
    {"her2k", {0, 0, 409600, 409600}},
    {"trsm", {409600, 409600, 147456, 102400}},
    {"trmm", {409600, 409600, 147456, 102400}},
    {"symm", {409600, 262144, 65536, 102400}},
    {"hemm", {0, 0, 65536, 102400}},
}};
const About& about(Routine routine) { return routines[static_cast<std::size_t>(routine)]; }

// While this process's state is made, and while OpenBLAS works for us, calls on this thread are its own.
thread_local bool starting = false;
bool from_inside() { return starting || fortran::inside(); }

struct State {
  Settings settings;
  cublasXtHandle_t handle = nullptr;
  bool always = false;
};

void start_devices(State& state) {
  cublas::cublasXtCreate(&state.handle);
  std::vector<int> devices = state.settings.devices;
  if (devices.empty()) devices.push_back(0);
  cublas::cublasXtDeviceSelect(state.handle, static_cast<int>(devices.size()), devices.data());
  cublas::cublasXtSetBlockDim(state.handle, state.settings.tile);
  if (state.settings.pins) cublas::cublasXtSetPinningMemMode(state.handle, CUBLASXT_PINNING_ENABLED);
}

void* host_function(const State& state, const std::string& name) {
  if (state.settings.host == nullptr) return nullptr;
  void* const found = dlsym(state.settings.host, (name + "_").c_str());
  return found != nullptr ? found : dlsym(state.settings.host, name.c_str());
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Products alone are shared with the host, as cuBLASXt has it.
void share_products(State& state) {
  for (int type = CUBLASXT_FLOAT; type <= CUBLASXT_DOUBLECOMPLEX; ++type) {
    const std::string name = std::string(1, "sdcz"[type]) + "gemm";
    const auto ratio = state.settings.ratios.find(upper(name));
    void* const function = host_function(state, name);
    if (ratio == state.settings.ratios.end() || function == nullptr) continue;
    cublas::cublasXtSetCpuRoutine(state.handle, CUBLASXT_GEMM, static_cast<cublasXtOpType_t>(type), function);
    cublas::cublasXtSetCpuRatio(state.handle, CUBLASXT_GEMM, static_cast<cublasXtOpType_t>(type),
                                ratio->second);
  }
}

State& state() {
  static State& made = *[] {
    starting = true;
    auto* const fresh = new State;  // for ever: calls may come while the process ends
    fresh->settings = read_settings();
    const char* const always = std::getenv("HEDDLE_NVBLAS");
    fresh->always = always != nullptr && std::strcmp(always, "device") == 0;
    try {
      start_devices(*fresh);
      share_products(*fresh);
    } catch (...) {
      std::fprintf(fresh->settings.log, "[NVBLAS] Cannot create CUBLASXT Handle\n");
      fresh->handle = nullptr;
    }
    starting = false;
    return fresh;
  }();
  return made;
}

bool of_a_device(const void* pointer) {
  cudaPointerAttributes attributes{};
  if (HEDDLE_RUNTIME(cudaPointerGetAttributes)(&attributes, pointer) == cudaSuccess)
    return attributes.type == cudaMemoryTypeDevice;
  HEDDLE_RUNTIME(cudaGetLastError)();
  return false;
}

void trace(const std::string& name, const char* where, const std::string& arguments) {
  const State& now = state();
  if (now.settings.trace)
    std::fprintf(now.settings.log, "[NVBLAS] %s[%s]: %s\n", name.c_str(), where, arguments.c_str());
}

}  // namespace

Call::Call(Routine routine, char letter)
    : routine_(routine), letter_(letter), name_(std::string(1, letter) + about(routine).name) {}

bool Call::on_device(bool good, double elements, std::initializer_list<const void*> operands) {
  if (!good || from_inside() || elements == 0) return false;
  const State& now = state();
  if (now.handle == nullptr) return false;
  for (const void* const operand : operands)
    if (of_a_device(operand)) return true;
  if (now.settings.disabled.contains(upper(name_))) return false;
  const std::string_view letters = "sdcz";
  return now.always || elements > about(routine_).elements[letters.find(letter_)];
}

bool Call::run(const std::string& arguments, const std::function<void(cublasXtHandle_t)>& body) {
  trace(name_, "gpu", arguments);
  int code = cublas::codes.internal_error;
  try {
    body(state().handle);
    return true;
  } catch (const libs::Refusal& refusal) {
    code = code_of(cublas::codes, refusal);
  } catch (const std::bad_alloc&) {
    code = cublas::codes.alloc_failed;
  }
  std::string name = name_;
  name.front() = static_cast<char>(std::toupper(name.front()));
  std::fprintf(state().settings.log, "[NVBLAS] cublasXt%s failed with error=%d\n", name.c_str(), code);
  return false;
}

void (*Call::host(const std::string& arguments))() {
  void* found = nullptr;
  if (!from_inside()) {
    trace(name_, "cpu", arguments);
    found = host_function(state(), name_);
  }
  // Where no library is named, and for OpenBLAS's own calls: ours.
  if (found == nullptr) return fortran::of_openblas((name_ + "_").c_str());
  fortran::Function function = nullptr;
  std::memcpy(&function, &found, sizeof function);
  return function;
}

}  // namespace heddle::nvblas
