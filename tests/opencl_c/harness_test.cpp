#include "harness.h"

namespace heddle::opencl_c {

using runtime::AllocationRef;

frontend::OpenClTarget target(const std::string& capability) {
  frontend::OpenClTarget target;
  target.capability = capability;
  target.extensions = {"cl_khr_fp64",
                       "cl_khr_fp16",
                       "cl_khr_byte_addressable_store",
                       "cl_khr_global_int32_base_atomics",
                       "cl_khr_global_int32_extended_atomics",
                       "cl_khr_local_int32_base_atomics",
                       "cl_khr_local_int32_extended_atomics",
                       "cl_khr_int64_base_atomics",
                       "cl_khr_int64_extended_atomics",
                       "cl_khr_3d_image_writes",
                       "cl_khr_depth_images",
                       "cl_khr_subgroups",
                       "cl_khr_subgroup_extended_types",
                       "cl_khr_subgroup_non_uniform_vote",
                       "cl_khr_subgroup_ballot",
                       "cl_khr_subgroup_non_uniform_arithmetic",
                       "cl_khr_subgroup_shuffle",
                       "cl_khr_subgroup_shuffle_relative",
                       "cl_khr_subgroup_clustered_reduce",
                       "__opencl_c_fp64",
                       "__opencl_c_int64",
                       "__opencl_c_images",
                       "__opencl_c_read_write_images",
                       "__opencl_c_3d_image_writes",
                       "__opencl_c_generic_address_space",
                       "__opencl_c_atomic_order_acq_rel",
                       "__opencl_c_atomic_order_seq_cst",
                       "__opencl_c_atomic_scope_device",
                       "__opencl_c_atomic_scope_all_devices",
                       "__opencl_c_subgroups",
                       "__opencl_c_work_group_collective_functions",
                       "__opencl_c_program_scope_global_variables"};
  return target;
}

Program::Program(const std::string& source, const std::string& options, bool reference,
                 const std::string& device, const std::string& capability)
    : system_(std::make_unique<runtime::TestSystem>(
          runtime::TestSetup{.devices = {device}, .reference = reference})) {
  const frontend::OpenClResult built = frontend::build_opencl(target(capability), source, options);
  EXPECT_TRUE(built.ok()) << built.log;
  ptx_ = built.ptx;
  if (built.ok()) module_ = system_->load(built.ptx);
}

namespace {

std::array<uint32_t, 32> environment_of(const Range& range) {
  using frontend::OpenClEnvironment;
  std::array<uint32_t, 32> registers{};
  const auto set = [&](OpenClEnvironment which, std::size_t d, uint64_t value) {
    registers[static_cast<std::size_t>(which) + d] = static_cast<uint32_t>(value);
  };
  for (std::size_t d = 0; d < 3; ++d) {
    set(OpenClEnvironment::first_item, d, range.offset[d]);
    set(OpenClEnvironment::first_item_high, d, range.offset[d] >> 32);
    set(OpenClEnvironment::offset, d, range.offset[d]);
    set(OpenClEnvironment::offset_high, d, range.offset[d] >> 32);
  }
  set(OpenClEnvironment::dimensions, 0, range.dimensions);
  return registers;
}

}  // namespace

bool Program::run(const std::string& name, std::vector<Bytes>& buffers, const Range& range) {
  const auto kernel = module_->kernel(name);
  EXPECT_TRUE(kernel.ok()) << name;
  if (!kernel) return false;
  std::vector<uint64_t> arguments;
  std::vector<AllocationRef> memory;
  for (const Bytes& buffer : buffers) {
    memory.push_back(
        *system_->context->allocate(runtime::MemoryKind::device, std::max<std::size_t>(1, buffer.size())));
    std::memcpy(reinterpret_cast<void*>(memory.back()->address), buffer.data(), buffer.size());
    arguments.push_back(memory.back()->address);
  }
  if (range.local_bytes != 0) arguments.push_back((*kernel)->function().static_shared_bytes);
  arguments.insert(arguments.end(), handles.begin(), handles.end());
  const std::array<uint32_t, 32> environment = environment_of(range);
  runtime::LaunchRequest request;
  request.kernel = *kernel;
  request.grid = {range.global[0] / range.local[0], range.global[1] / range.local[1],
                  range.global[2] / range.local[2]};
  request.block = {range.local[0], range.local[1], range.local[2]};
  request.dynamic_shared = range.local_bytes;
  request.params = std::as_bytes(std::span(arguments));
  request.environment = environment;
  const runtime::Done launched = launch(*system_->context->default_stream(), request);
  EXPECT_TRUE(launched.ok()) << name << ": " << said(launched);
  const runtime::Done ended = system_->context->default_stream()->synchronize();
  EXPECT_TRUE(ended.ok()) << name << ": " << said(ended);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    std::memcpy(buffers[i].data(), reinterpret_cast<const void*>(memory[i]->address), buffers[i].size());
  return launched.ok() && ended.ok();
}

}  // namespace heddle::opencl_c
