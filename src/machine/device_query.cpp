#include "machine/device_query.h"

#include <array>
#include <cstdarg>
#include <cstdio>

#include "machine/driver_version.h"
#include "machine/use.h"
#include "machine/visible_devices.h"

namespace heddle::machine {

namespace {

using arch::Attribute;

[[gnu::format(printf, 1, 2)]] std::string text(const char* form, ...) {
  std::array<char, 256> out{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(out.data(), out.size(), form, arguments);
  va_end(arguments);
  return out.data();
}

ComputeMode mode_of(const HostDevice& device) {
  const DeviceUse* use = DeviceUse::of(device_uuid(device.facts->id, device.number));
  return use == nullptr ? ComputeMode::standard : use->mode();
}

class Print {
 public:
  Print(const HostDevice& device, const QueryVersions& versions) : device_(device), versions_(versions) {}

  std::string early() {
    const arch::Device& d = *device_.facts;
    line("CUDA Driver Version:      " + version_text(versions_.driver));
    line("CUDA Runtime Version:    " + version_text(versions_.runtime));
    line(text("CUDA Capability Major revision number:  %u", d.capability().major));
    line(text("CUDA Capability Minor revision number:  %u", d.capability().minor));
    line("Total amount of global memory: " + number(Attribute::total_memory) + " bytes");
    line("Number of multiprocessors: " + number(Attribute::multiprocessor_count));
    line("Number of cores: " + std::to_string(arch::cores(d)));
    line("Total amount of constant memory: " + number(Attribute::total_constant_memory) + " bytes");
    line("Total amount of shared memory per block: " + number(Attribute::max_shared_memory_per_block) +
         " bytes");
    line("Total number of registers available per block: " + number(Attribute::max_registers_per_block));
    line("Warp size: " + number(Attribute::warp_size));
    line("Maximum number of threads per block: " + number(Attribute::max_threads_per_block));
    line(
        "Maximum sizes of each dimension of a block: " +
        numbers({Attribute::max_block_dim_x, Attribute::max_block_dim_y, Attribute::max_block_dim_z}, " x "));
    line("Maximum sizes of each dimension of a grid: " +
         numbers({Attribute::max_grid_dim_x, Attribute::max_grid_dim_y, Attribute::max_grid_dim_z}, " x "));
    line("Maximum memory pitch: " + number(Attribute::max_pitch) + " bytes");
    line("Texture alignment: " + number(Attribute::texture_alignment) + " bytes");
    line(text("Clock rate: %.2f GHz", real(Attribute::clock_rate) * 1e-6));
    line("Concurrent copy and execution: " + yes_no(Attribute::gpu_overlap));
    line("Run time limit on kernels: " + yes_no(Attribute::kernel_exec_timeout));
    line("Integrated: " + yes_no(Attribute::integrated));
    line("Support host page-locked memory mapping: " + yes_no(Attribute::can_map_host_memory));
    line("Compute mode: " + early_mode());
    line("Concurrent kernel execution: " + yes_no(Attribute::concurrent_kernels));
    line("Device has ECC support enabled: " + yes_no(Attribute::ecc_enabled));
    return std::move(out_);
  }

  std::string today() {
    const arch::Device& d = *device_.facts;
    const uint32_t cores = d.arch.multiprocessor.cores;
    row("CUDA Driver Version / Runtime Version",
        version_text(versions_.driver) + " / " + version_text(versions_.runtime));
    row("CUDA Capability Major/Minor version number:", arch::to_string(d.capability()));
    row("Total amount of global memory:", text("%.0f MBytes (", real(Attribute::total_memory) / 1048576) +
                                              number(Attribute::total_memory) + " bytes)");
    row(text("(%03u) Multiprocessors, (%03u) CUDA Cores/MP:", d.board.multiprocessors, cores),
        std::to_string(arch::cores(d)) + " CUDA Cores");
    const double khz = real(Attribute::clock_rate);
    row("GPU Max Clock rate:", text("%.0f MHz (%0.2f GHz)", khz * 1e-3, khz * 1e-6));
    row("Memory Clock rate:", text("%.0f MHz", real(Attribute::memory_clock_rate) * 1e-3));
    row("Memory Bus Width:", number(Attribute::global_memory_bus_width) + "-bit");
    if (value(Attribute::l2_cache_size) != 0)
      row("L2 Cache Size:", number(Attribute::l2_cache_size) + " bytes");
    textures();
    row("Total amount of constant memory:", number(Attribute::total_constant_memory) + " bytes");
    row("Total amount of shared memory per block:",
        number(Attribute::max_shared_memory_per_block) + " bytes");
    row("Total shared memory per multiprocessor:",
        number(Attribute::max_shared_memory_per_multiprocessor) + " bytes");
    row("Total number of registers available per block:", number(Attribute::max_registers_per_block));
    row("Warp size:", number(Attribute::warp_size));
    row("Maximum number of threads per multiprocessor:", number(Attribute::max_threads_per_multiprocessor));
    row("Maximum number of threads per block:", number(Attribute::max_threads_per_block));
    line("Max dimension size of a thread block (x,y,z): (" +
         numbers({Attribute::max_block_dim_x, Attribute::max_block_dim_y, Attribute::max_block_dim_z}, ", ") +
         ')');
    line("Max dimension size of a grid size    (x,y,z): (" +
         numbers({Attribute::max_grid_dim_x, Attribute::max_grid_dim_y, Attribute::max_grid_dim_z}, ", ") +
         ')');
    row("Maximum memory pitch:", number(Attribute::max_pitch) + " bytes");
    row("Texture alignment:", number(Attribute::texture_alignment) + " bytes");
    row("Concurrent copy and kernel execution:", yes_no(Attribute::gpu_overlap) + " with " +
                                                     number(Attribute::async_engine_count) +
                                                     " copy engine(s)");
    row("Run time limit on kernels:", yes_no(Attribute::kernel_exec_timeout));
    row("Integrated GPU sharing Host Memory:", yes_no(Attribute::integrated));
    row("Support host page-locked memory mapping:", yes_no(Attribute::can_map_host_memory));
    row("Alignment requirement for Surfaces:", yes_no(Attribute::surface_alignment));
    row("Device has ECC support:", value(Attribute::ecc_enabled) != 0 ? "Enabled" : "Disabled");
    row("Device supports Unified Addressing (UVA):", yes_no(Attribute::unified_addressing));
    row("Device supports Managed Memory:", yes_no(Attribute::managed_memory));
    row("Device supports Compute Preemption:", yes_no(Attribute::compute_preemption_supported));
    row("Supports Cooperative Kernel Launch:", yes_no(Attribute::cooperative_launch));
    // As the APIs answer: such launches are refused here.
    row("Supports MultiDevice Co-op Kernel Launch:", "No");
    const PciPlace place = pci_place(d, device_.number);
    row("Device PCI Domain ID / Bus ID / location ID:",
        text("%u / %u / %u", place.domain, place.bus, place.device));
    line("Compute Mode:");
    out_ += "     < " + mode_today() + " >\n";
    return std::move(out_);
  }

 private:
  int64_t value(Attribute attribute) const { return device_.facts->attribute(attribute).number; }
  double real(Attribute attribute) const { return static_cast<double>(value(attribute)); }
  std::string number(Attribute attribute) const { return std::to_string(value(attribute)); }
  std::string yes_no(Attribute attribute) const { return value(attribute) != 0 ? "Yes" : "No"; }
  std::string numbers(std::initializer_list<Attribute> attributes, std::string_view between) const {
    std::string all;
    for (const Attribute one : attributes) all += (all.empty() ? "" : std::string(between)) + number(one);
    return all;
  }

  void line(const std::string& content) { out_ += "  " + content + '\n'; }
  void row(std::string label, const std::string& content) {
    label.resize(std::max<std::size_t>(label.size(), 47), ' ');
    line(label + content);
  }

  void textures() {
    row("Maximum Texture Dimension Size (x,y,z)",
        "1D=(" + number(Attribute::maximum_texture1d_width) + "), 2D=(" +
            numbers({Attribute::maximum_texture2d_width, Attribute::maximum_texture2d_height}, ", ") +
            "), 3D=(" +
            numbers({Attribute::maximum_texture3d_width, Attribute::maximum_texture3d_height,
                     Attribute::maximum_texture3d_depth},
                    ", ") +
            ')');
    row("Maximum Layered 1D Texture Size, (num) layers",
        "1D=(" + number(Attribute::maximum_texture1d_layered_width) + "), " +
            number(Attribute::maximum_texture1d_layered_layers) + " layers");
    row("Maximum Layered 2D Texture Size, (num) layers",
        "2D=(" +
            numbers({Attribute::maximum_texture2d_layered_width, Attribute::maximum_texture2d_layered_height},
                    ", ") +
            "), " + number(Attribute::maximum_texture2d_layered_layers) + " layers");
  }

  std::string early_mode() const {
    switch (mode_of(device_)) {
      case ComputeMode::standard: return "Default (multiple host threads can use this device simultaneously)";
      case ComputeMode::exclusive_process:
      case ComputeMode::exclusive_thread:
        return "Exclusive (only one host thread at a time can use this device)";
      case ComputeMode::prohibited: return "Prohibited (no host thread can use this device)";
    }
    return {};
  }
  std::string mode_today() const {
    switch (mode_of(device_)) {
      case ComputeMode::standard:
        return "Default (multiple host threads can use ::cudaSetDevice() with device simultaneously)";
      case ComputeMode::exclusive_thread:
        return "Exclusive (only one host thread in one process is able to use ::cudaSetDevice() with this "
               "device)";
      case ComputeMode::prohibited:
        return "Prohibited (no host thread can use ::cudaSetDevice() with this device)";
      case ComputeMode::exclusive_process:
        return "Exclusive Process (many threads in one process is able to use ::cudaSetDevice() with this "
               "device)";
    }
    return {};
  }

  const HostDevice device_;
  const QueryVersions versions_;
  std::string out_;
};

std::string peers(std::span<const HostDevice> devices) {
  std::string out;
  const auto able = [](const HostDevice& one) {
    return one.facts->attribute(Attribute::unified_addressing).number != 0;
  };
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (i == j || devices[i].facts->capability().major < 2 || devices[j].facts->capability().major < 2)
        continue;
      out += "> Peer access from " + std::string(devices[i].facts->name) + " (GPU" + std::to_string(i) +
             ") -> " + std::string(devices[j].facts->name) + " (GPU" + std::to_string(j) +
             ") : " + (able(devices[i]) && able(devices[j]) ? "Yes" : "No") + '\n';
    }
  }
  return out;
}

}  // namespace

std::string device_query(std::span<const HostDevice> devices, const QueryVersions& versions,
                         std::string_view program) {
  const bool early = versions.driver <= 4000;
  const std::size_t count = devices.size();
  std::string out;
  if (early) {
    out = count == 1 ? "There is 1 device supporting CUDA\n"
                     : text("There are %zu devices supporting CUDA\n", count);
  } else {
    out = std::string(program) +
          " Starting...\n\n CUDA Device Query (Runtime API) version (CUDART static linking)\n\n";
    out += text("Detected %zu CUDA Capable device(s)\n", count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    out += text("\nDevice %zu: \"", i) + std::string(devices[i].facts->name) + "\"\n";
    Print print(devices[i], versions);
    out += early ? print.early() : print.today();
  }
  if (early) return out;
  out += peers(devices);
  return out + "\ndeviceQuery, CUDA Driver = CUDART, CUDA Driver Version = " + version_text(versions.driver) +
         ", CUDA Runtime Version = " + version_text(versions.runtime) + text(", NumDevs = %zu\n", count) +
         "Result = PASS\n";
}

}  // namespace heddle::machine
