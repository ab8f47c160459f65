#include "api/opencl/sampler.h"

#include "api/opencl/functions.gen.h"
#include "runtime/texture.h"

namespace heddle::opencl {

namespace {

Answer<exec::AddressMode> address_mode(cl_addressing_mode mode) {
  switch (mode) {
    case CL_ADDRESS_NONE:  // outside is undefined
    case CL_ADDRESS_CLAMP_TO_EDGE: return exec::AddressMode::clamp_to_edge;
    case CL_ADDRESS_CLAMP: return exec::AddressMode::clamp_to_border;
    case CL_ADDRESS_REPEAT: return exec::AddressMode::wrap;
    case CL_ADDRESS_MIRRORED_REPEAT: return exec::AddressMode::mirror;
    default: return invalid_value("there is no addressing mode " + std::to_string(mode));
  }
}

}  // namespace

Answer<SamplerRef> Sampler::create(const ContextRef& context, const Settings& settings,
                                   std::vector<cl_sampler_properties> properties) {
  bool images = false;
  for (const DeviceRef& device : context->devices()) images = images || device->has_images();
  if (!images) return failure(CL_INVALID_OPERATION, "no device of the context has images");
  const auto mode = address_mode(settings.addressing);
  if (!mode) return mode.error();
  if (settings.filter != CL_FILTER_NEAREST && settings.filter != CL_FILTER_LINEAR)
    return invalid_value("there is no filter mode " + std::to_string(settings.filter));
  if (!settings.normalized &&
      (settings.addressing == CL_ADDRESS_REPEAT || settings.addressing == CL_ADDRESS_MIRRORED_REPEAT))
    return invalid_value("coordinates that are not normalised cannot repeat");
  exec::Sampler sampler;
  for (exec::AddressMode& axis : sampler.address) axis = *mode;
  sampler.filter = settings.filter == CL_FILTER_LINEAR ? exec::FilterMode::linear : exec::FilterMode::nearest;
  sampler.normalized_coordinates = settings.normalized;
  auto made = std::make_shared<Sampler>(context, settings, std::move(properties));
  for (const auto& [_, state] : context->states()) {
    auto handle = runtime::create_sampler(*state, sampler);
    if (!handle) return context->failed(handle.error());
    made->handles_.push_back(*handle);
  }
  return made;
}

Sampler::~Sampler() {
  for (size_t i = 0; i < handles_.size(); ++i)
    (void)runtime::destroy_sampler(*context_->states()[i].second, handles_[i]);
}

uint64_t Sampler::handle(const Device& device) const {
  for (size_t i = 0; i < handles_.size(); ++i)
    if (context_->states()[i].first == &device.hardware()) return handles_[i];
  return 0;
}

Answer<cl_sampler> clCreateSampler(const ContextRef& context, cl_bool normalized_coords,
                                   cl_addressing_mode addressing_mode, cl_filter_mode filter_mode) {
  if (normalized_coords != CL_TRUE && normalized_coords != CL_FALSE)
    return invalid_value("normalized_coords is neither CL_TRUE nor CL_FALSE");
  auto sampler = Sampler::create(context, {normalized_coords != CL_FALSE, addressing_mode, filter_mode}, {});
  if (!sampler) return sampler.error();
  return published<cl_sampler>(*sampler);
}

Answer<cl_sampler> clCreateSamplerWithProperties(const ContextRef& context,
                                                 const cl_sampler_properties* sampler_properties) {
  Sampler::Settings settings;
  std::vector<cl_sampler_properties> given;
  if (sampler_properties != nullptr) {
    for (const cl_sampler_properties* p = sampler_properties; *p != 0; p += 2) {
      for (size_t i = 0; i < given.size(); i += 2)
        if (given[i] == p[0]) return invalid_value("a property is there twice");
      switch (p[0]) {
        case CL_SAMPLER_NORMALIZED_COORDS:
          if (p[1] > 1) return invalid_value("CL_SAMPLER_NORMALIZED_COORDS is CL_TRUE or CL_FALSE");
          settings.normalized = p[1] != 0;
          break;
        case CL_SAMPLER_ADDRESSING_MODE: settings.addressing = static_cast<cl_addressing_mode>(p[1]); break;
        case CL_SAMPLER_FILTER_MODE: settings.filter = static_cast<cl_filter_mode>(p[1]); break;
        default: return invalid_value("there is no sampler property " + std::to_string(p[0]));
      }
      given.insert(given.end(), {p[0], p[1]});
    }
    given.push_back(0);
  }
  auto sampler = Sampler::create(context, settings, std::move(given));
  if (!sampler) return sampler.error();
  return published<cl_sampler>(*sampler);
}

}  // namespace heddle::opencl
