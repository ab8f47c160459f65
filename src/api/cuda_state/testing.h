// For tests: the process's state on devices of choice, kernels in C++ or PTX, programs registered as
// compilers register them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/cuda_state/capture.h"
#include "api/cuda_state/registry.h"
#include "api/cuda_state/thread.h"
#include "fatbin/fatbin.h"
#include "runtime/testing.h"

namespace heddle::cuda {

// Replaces the process's state for one test.
class TestProcess {
 public:
  // `numbers` of the devices among all of the host's, where that is not 0, 1, ...
  explicit TestProcess(std::vector<std::string> devices = {"h200"}, bool scripted = false,
                       std::vector<uint32_t> numbers = {}) {
    runtime::SystemOptions options;
    options.numbers = std::move(numbers);
    for (const std::string& name : devices) options.devices.push_back(*arch::find_device(name));
    if (scripted)
      options.executor = std::make_unique<runtime::ScriptedExecutor>(kernels);
    else
      options.executor = exec::interp::make_executor();
    options.print = [this](std::string_view text) { printed += text; };
    options.print_error = options.print;
    thread() = ThreadState();
    Process::replace(std::move(options));
  }
  ~TestProcess() {
    thread() = ThreadState();
    Process::replace({});
  }
  Process& process() const { return Process::get(); }

  std::string printed;
  std::shared_ptr<runtime::ScriptedExecutor::Bodies> kernels =
      std::make_shared<runtime::ScriptedExecutor::Bodies>();
};

// A program with one fat binary.
class TestProgram {
 public:
  explicit TestProgram(const std::string& ptx, uint32_t arch = 50, fatbin::Kind kind = fatbin::Kind::ptx) {
    fatbin::NewEntry entry;
    entry.kind = kind;
    entry.arch.number = arch;
    entry.content = ptx;
    file_ = *fatbin::write(std::span(&entry, 1));
    wrapper_ = {fatbin::Wrapper::magic_number, 1, file_.data(), nullptr};
  }
  const void* wrapper() const { return &wrapper_; }
  const void* file() const { return file_.data(); }

 private:
  std::string file_;
  fatbin::Wrapper wrapper_{};
};

template <class T>
std::string said(const Answer<T>& answer) {
  return answer ? "ok" : answer.error().message;
}
template <class T>
Code code(const Answer<T>& answer) {
  return answer ? Code::success : answer.error().code;
}

}  // namespace heddle::cuda
