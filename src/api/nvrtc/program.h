// A program that is compiled at run time: its source, what it includes, and what came of it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "api/nvrtc/call.gen.h"
#include "api/nvrtc/options.h"

namespace heddle::nvrtc {

class Program {
 public:
  struct Header {
    std::string name, content;
  };
  Program(std::string source, std::string name, std::vector<Header> headers)
      : source_(std::move(source)), name_(std::move(name)), headers_(std::move(headers)) {}

  Status compile(std::span<const char* const> options);
  // A kernel or variable as C++ names it; after compile() its name in the PTX can be asked for.
  Status add_name(const std::string& expression);
  Status lowered_name(const std::string& expression, const char** name) const;

  // Asked while it compiles; 1 gives up.
  void set_flow(nvrtcFlowCallback callback, void* payload) { flow_ = callback, flow_payload_ = payload; }

  bool compiled() const { return compiled_; }
  const std::string& log() const { return log_; }
  const std::string& ptx() const { return ptx_; }
  // A fat binary with the PTX, for a device that was named (sm_XX); empty without one.
  const std::string& device_code() const { return device_code_; }

  // For a linker: PTX, for that is what is linked and then optimised here; empty if it was not asked for.
  const std::string& link_code() const { return link_code_; }

  std::mutex mutex;  // of every call on the program

 private:
  std::string source_with_names() const;
  Status take_names(std::string& ptx);

  frontend::Product compile_program(const frontend::Job& shared, const Options& options) const;
  Status go_on() const;

  const std::string source_, name_;
  const std::vector<Header> headers_;
  std::vector<std::string> expressions_;
  std::map<std::string, std::string> lowered_;
  nvrtcFlowCallback flow_ = nullptr;
  void* flow_payload_ = nullptr;
  bool compiled_ = false, tried_ = false;
  std::string log_, ptx_, device_code_, link_code_;
};

// The folder of the toolkit that the libraries belong to: the one that has include/. Empty: not found.
std::string toolkit_folder();

}  // namespace heddle::nvrtc
