// A sampler: how images are read. A kernel takes a handle, which each device's state has its own of.
#pragma once

#include <vector>

#include "api/opencl/context.h"

namespace heddle::opencl {

class Sampler : public Object {
 public:
  struct Settings {
    bool normalized = true;
    cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
    cl_filter_mode filter = CL_FILTER_NEAREST;
  };
  static Answer<SamplerRef> create(const ContextRef& context, const Settings& settings,
                                   std::vector<cl_sampler_properties> properties);
  Sampler(ContextRef context, const Settings& settings, std::vector<cl_sampler_properties> properties)
      : context_(std::move(context)), settings_(settings), properties_(std::move(properties)) {}
  ~Sampler() override;

  const ContextRef& context() const { return context_; }
  cl_bool normalized() const { return settings_.normalized ? CL_TRUE : CL_FALSE; }
  cl_addressing_mode addressing() const { return settings_.addressing; }
  cl_filter_mode filter() const { return settings_.filter; }
  const std::vector<cl_sampler_properties>& properties() const { return properties_; }
  uint64_t handle(const Device& device) const;

 private:
  const ContextRef context_;
  const Settings settings_;
  const std::vector<cl_sampler_properties> properties_;
  std::vector<uint64_t> handles_;  // as Context::states()
};

}  // namespace heddle::opencl
