// An OpenCL device as a contender: kernels.cl on the first device of the platform whose name is asked for.
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "contender.h"
#include "opencl_api.h"

namespace heddle::bench {

namespace {

using cl::Handle;

std::string failed(const char* what, int32_t code) {
  return code == 0 ? std::string() : std::string(what) + " answered " + std::to_string(code);
}

class OpenCl final : public Contender {
 public:
  std::string start(const char* source, const std::string& platform) {
    std::ifstream file(source);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) return std::string("cannot read ") + source;
    if (std::string missing = cl::load(api_); !missing.empty()) return missing;
    if (std::string none = find_device(platform); !none.empty()) return none;
    int32_t code = 0;
    context_ = api_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
    if (code != 0) return failed("clCreateContext", code);
    queue_ = api_.clCreateCommandQueue(context_, device_, 0, &code);
    if (code != 0) return failed("clCreateCommandQueue", code);
    const std::string program = text.str();
    const char* lines = program.c_str();
    program_ = api_.clCreateProgramWithSource(context_, 1, &lines, nullptr, &code);
    if (code != 0) return failed("clCreateProgramWithSource", code);
    if (api_.clBuildProgram(program_, 1, &device_, "", nullptr, nullptr) != 0) {
      char log[2000] = {};
      api_.clGetProgramBuildInfo(program_, device_, cl::build_log, sizeof log - 1, log, nullptr);
      return std::string("kernels.cl does not build: ") + log;
    }
    return {};
  }
  const std::string& description() const { return description_; }

  std::string open(std::string_view, Problem& problem) override {
    close();
    problem_ = &problem;
    for (Array& array : problem.arrays) {
      int32_t code = 0;
      memory_.push_back(api_.clCreateBuffer(context_, cl::memory_read_write | cl::memory_copy_host,
                                            array.bytes(), array.data(), &code));
      if (code != 0) return failed("clCreateBuffer", code);
    }
    return {};
  }

  std::string run() override {
    for (const Step& step : problem_->steps) {
      std::string wrong = std::visit([this](const auto& what) { return enqueue(what); }, step);
      if (!wrong.empty()) return wrong;
    }
    return failed("clFinish", api_.clFinish(queue_));
  }

  std::string fetch() override {
    for (const uint32_t i : problem_->results) {
      Array& array = problem_->arrays[i];
      const int32_t code = api_.clEnqueueReadBuffer(queue_, memory_[i], 1, 0, array.bytes(), array.data(), 0,
                                                    nullptr, nullptr);
      if (code != 0) return failed("clEnqueueReadBuffer", code);
    }
    return {};
  }
  std::string give() override {
    for (const uint32_t i : problem_->results) {
      Array& array = problem_->arrays[i];
      const int32_t code = api_.clEnqueueWriteBuffer(queue_, memory_[i], 1, 0, array.bytes(), array.data(), 0,
                                                     nullptr, nullptr);
      if (code != 0) return failed("clEnqueueWriteBuffer", code);
    }
    return {};
  }
  void close() override {
    for (const Handle memory : memory_) api_.clReleaseMemObject(memory);
    memory_.clear();
  }

 private:
  std::string find_device(const std::string& wanted) {
    Handle platforms[16];
    uint32_t count = 0;
    if (api_.clGetPlatformIDs(16, platforms, &count) != 0) count = 0;
    std::string seen;
    for (uint32_t i = 0; i < std::min(count, 16u); ++i) {
      char name[200] = {}, version[200] = {}, device[200] = {};
      api_.clGetPlatformInfo(platforms[i], cl::platform_name, sizeof name - 1, name, nullptr);
      api_.clGetPlatformInfo(platforms[i], cl::platform_version, sizeof version - 1, version, nullptr);
      seen += std::string(seen.empty() ? "" : ", ") + "'" + name + "'";
      if (std::string_view(name).find(wanted) == std::string_view::npos) continue;
      if (api_.clGetDeviceIDs(platforms[i], cl::device_type_all, 1, &device_, nullptr) != 0) continue;
      api_.clGetDeviceInfo(device_, cl::device_name, sizeof device - 1, device, nullptr);
      description_ = std::string(version) + ", " + device;
      return {};
    }
    return "no OpenCL platform '" + wanted + "' with a device; there is " + (seen.empty() ? "none" : seen);
  }

  std::string enqueue(const Launch& launch) {
    Handle& kernel = kernels_[launch.kernel];
    int32_t code = 0;
    if (kernel == nullptr) kernel = api_.clCreateKernel(program_, launch.kernel, &code);
    if (code != 0) return failed("clCreateKernel", code);
    uint32_t position = 0;
    for (const Argument& argument : launch.arguments) {
      code = argument.kind == Argument::Kind::array
                 ? api_.clSetKernelArg(kernel, position, sizeof(Handle), &memory_[argument.bits])
                 : api_.clSetKernelArg(kernel, position, sizeof argument.bits, &argument.bits);
      if (code != 0) return failed("clSetKernelArg", code);
      ++position;
    }
    if (launch.shared_bytes != 0)
      if (code = api_.clSetKernelArg(kernel, position, launch.shared_bytes, nullptr); code != 0)
        return failed("clSetKernelArg", code);
    const std::size_t local[3] = {launch.threads.x, launch.threads.y, launch.threads.z};
    const std::size_t global[3] = {launch.blocks.x * local[0], launch.blocks.y * local[1],
                                   launch.blocks.z * local[2]};
    const uint32_t axes = global[2] > 1 ? 3 : global[1] > 1 ? 2 : 1;
    return failed("clEnqueueNDRangeKernel", api_.clEnqueueNDRangeKernel(queue_, kernel, axes, nullptr, global,
                                                                        local, 0, nullptr, nullptr));
  }
  std::string enqueue(const Copy& copy) {
    return failed("clEnqueueCopyBuffer",
                  api_.clEnqueueCopyBuffer(queue_, memory_[copy.from], memory_[copy.to], 0, 0,
                                           problem_->arrays[copy.to].bytes(), 0, nullptr, nullptr));
  }
  std::string enqueue(const Clear& clear) {
    const uint32_t zero = 0;
    return failed("clEnqueueFillBuffer",
                  api_.clEnqueueFillBuffer(queue_, memory_[clear.array], &zero, sizeof zero, 0,
                                           problem_->arrays[clear.array].bytes(), 0, nullptr, nullptr));
  }

  cl::Api api_ = {};
  Handle device_ = nullptr, context_ = nullptr, queue_ = nullptr, program_ = nullptr;
  std::string description_;
  Problem* problem_ = nullptr;
  std::vector<Handle> memory_;
  std::map<std::string, Handle> kernels_;
};

}  // namespace

}  // namespace heddle::bench

int main(int count, char** arguments) {
  using namespace heddle::bench;
  if (count != 3) return absent("usage: bench_opencl KERNELS.cl PLATFORM");
  OpenCl opencl;
  if (const std::string why = opencl.start(arguments[1], arguments[2]); !why.empty()) return absent(why);
  return serve(opencl, opencl.description());
}
