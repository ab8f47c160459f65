// For tests and fuzzers: a PTX text that runs on the reference executor with an input and an output buffer,
// as the kernels of ptx/random_program.h ask for. Needs nothing of the runtime above and no test library.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arch/device.h"
#include "exec/interp/executor.h"
#include "exec/launch.h"
#include "exec/memory_map.h"
#include "module/link.h"
#include "ptx/parse.h"
#include "ptx/random_program.h"

namespace heddle::exec::interp {

class SilentServices : public Services {
 public:
  void print(std::string_view) override {}
  uint64_t allocate(uint64_t) override { return 0; }
  bool release(uint64_t) override { return false; }
  const TextureObject* texture(uint64_t) override { return nullptr; }
  const Sampler* sampler(uint64_t) override { return nullptr; }
  const SurfaceObject* surface(uint64_t) override { return nullptr; }
};

// Pages that a guest may use; given back at the end.
class Pages {
 public:
  explicit Pages(GuestMemory& guest) : guest_(guest) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() {
    for (const auto& [data, bytes] : pieces_) munmap(data, bytes);
  }
  std::byte* allocate(std::size_t bytes, bool writable = true) {
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 4095) / 4096 * 4096;
    // One run after another finds the same places free: what they tell of addresses can be compared.
    void* hint = reinterpret_cast<void*>(first_place + pieces_.size() * place_bytes);
    void* data = mmap(hint, rounded + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    pieces_.emplace_back(data, rounded + 4096);
    guest_.add(reinterpret_cast<uintptr_t>(data), rounded, writable);
    return static_cast<std::byte*>(data);
  }

 private:
  static constexpr uintptr_t first_place = 0x2000'0000'0000, place_bytes = 0x1'0000'0000;
  GuestMemory& guest_;
  std::vector<std::pair<void*, std::size_t>> pieces_;
};

struct ProgramResult {
  enum class End : uint8_t { unread, unlinked, unfit, faulted, ran };
  End end = End::unread;
  std::string message;  // why it did not run to its end
  std::string printed;  // the program as the printer has it
  std::vector<std::byte> output;
};

struct ProgramRun {
  Dim3 grid, block;
  std::size_t output_bytes = 0;
  const char* device = "h200";
  std::chrono::milliseconds limit{2000};
  Executor* executor = nullptr;  // the reference executor when there is none
  bool together = false;         // all blocks at once
  observe::Observer* observer = nullptr;
  // Makes an observer that has to know the program, instead.
  std::function<observe::Observer*(const std::shared_ptr<const module::Image>&)> watch = nullptr;
};

namespace program_runner {

inline bool place_symbols(const module::Image& image, LoadedModule& loaded, Pages& pages) {
  loaded.symbol_address.resize(image.symbols.size());
  loaded.symbol_handle.resize(image.symbols.size());
  const auto placed = [](const module::Symbol& symbol) {
    return symbol.kind == module::SymbolKind::memory &&
           (symbol.space == module::Space::global || symbol.space == module::Space::const_);
  };
  for (std::size_t i = 0; i < image.symbols.size(); ++i) {
    const module::Symbol& symbol = image.symbols[i];
    if (!placed(symbol)) continue;
    if (symbol.size > (1 << 24) || symbol.init.size() > symbol.size) return false;
    std::byte* data = pages.allocate(symbol.size, symbol.space == module::Space::global);
    if (data == nullptr) return false;
    std::copy(symbol.init.begin(), symbol.init.end(), data);
    loaded.symbol_address[i] = reinterpret_cast<uintptr_t>(data);
  }
  for (std::size_t i = 0; i < image.symbols.size(); ++i) {
    if (!placed(image.symbols[i])) continue;
    for (const module::Relocation& r : image.symbols[i].relocations) {
      uint64_t value = r.symbol != module::none ? loaded.symbol_address[r.symbol] : code_handle(r.function);
      value = (value + r.addend) >> (8 * r.shift);
      std::memcpy(reinterpret_cast<std::byte*>(loaded.symbol_address[i]) + r.offset, &value, r.bytes);
    }
  }
  return true;
}

}  // namespace program_runner

// Reads (parses and verifies), links and runs the first kernel of `text`.
inline ProgramResult run_program(const std::string& text, const ProgramRun& run) {
  using End = ProgramResult::End;
  ProgramResult result;
  const auto source = std::make_shared<const SourceText>("program.ptx", text);
  Diagnostics diagnostics;
  const ptx::Module syntax = ptx::read(source, diagnostics);
  if (!diagnostics.all().empty()) result.message = diagnostics.render(*source);
  if (diagnostics.has_errors()) return result;
  result.printed = ptx::print(syntax);

  const ptx::Module* const modules[] = {&syntax};
  auto linked = module::link(modules);
  result.end = End::unlinked;
  if (!linked) {
    for (const std::string& message : linked.error().messages) result.message += message + '\n';
    return result;
  }
  LoadedModule loaded;
  loaded.image = std::move(linked.value());
  const module::Image& image = *loaded.image;
  const auto entry = std::ranges::find_if(
      image.functions, [](const module::Function& function) { return function.entry && function.defined; });
  // What the runtime would not launch, and what would need too much of this machine.
  result.end = End::unfit;
  if (entry == image.functions.end() || image.address_bits != 64) return result;
  std::size_t registers = 0, local = image.static_local_bytes;
  for (const module::Function& function : image.functions) {
    registers = std::max<std::size_t>(registers, function.register_slots);
    local = std::max<std::size_t>(local, function.frame_bytes);
  }
  if (entry->static_shared_bytes > (227U << 10) || entry->signature.param_bytes > 4096 || registers > 4096 ||
      local > (1U << 16))
    return result;

  GuestMemory guest;
  Pages pages(guest);
  if (!program_runner::place_symbols(image, loaded, pages)) return result;
  std::byte* in = pages.allocate(ptx::testing::random_program_input);
  std::byte* out = pages.allocate(run.output_bytes);
  if (in == nullptr || out == nullptr) return result;
  uint64_t state = 88172645463325252;
  for (uint32_t i = 0; i < ptx::testing::random_program_input; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    in[i] = static_cast<std::byte>(state >> 24);
  }
  std::vector<std::byte> params(entry->signature.param_bytes);
  const uint64_t pointers[] = {reinterpret_cast<uintptr_t>(in), reinterpret_cast<uintptr_t>(out)};
  std::memcpy(params.data(), pointers, std::min(params.size(), sizeof(pointers)));

  SilentServices services;
  Launch launch;
  launch.module = &loaded;
  launch.function = static_cast<uint32_t>(entry - image.functions.begin());
  launch.shape.grid = run.grid;
  launch.shape.block = run.block;
  launch.shape.cooperative = run.together;
  launch.params = params;
  if (const auto device = arch::find_device(run.device); device.ok()) launch.device = *device;
  launch.memory = &guest;
  launch.services = &services;
  launch.observer = run.watch ? run.watch(loaded.image) : run.observer;
  launch.local_bytes = 1 << 18;
  launch.deadline = std::chrono::steady_clock::now() + run.limit;
  const std::unique_ptr<Executor> reference = run.executor == nullptr ? make_executor() : nullptr;
  const auto report = (run.executor == nullptr ? *reference : *run.executor).run(launch);
  if (report) {
    result.end = End::ran;
    result.output.assign(out, out + run.output_bytes);
    return result;
  }
  const Fault& fault = report.error();
  result.end = End::faulted;
  result.message += std::string(name(fault.kind)) + ": " + fault.detail + " in " + fault.function + ": " +
                    fault.instruction_text;
  return result;
}

inline ProgramResult run_program(const ptx::testing::RandomProgram& program, const char* device = "h200",
                                 Executor* executor = nullptr) {
  ProgramRun run{{program.blocks}, {program.block_x, program.block_y}, program.output_bytes, device};
  run.executor = executor;
  run.together = program.together;
  return run_program(program.text, run);
}

}  // namespace heddle::exec::interp
