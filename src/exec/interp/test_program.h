// For tests: a PTX text, linked and placed, whose kernels run on a device of the catalogue.
//
//     TestProgram program(R"(.version 8.0 .target sm_70 .address_size 64 ...)");
//     auto out = program.buffer<uint32_t>(32);
//     ASSERT_TRUE(program.run("kernel", {.block = {32}}, out));
//     EXPECT_EQ(out[5], 5u);
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "arch/device.h"
#include "exec/interp/executor.h"
#include "exec/launch.h"
#include "exec/memory_map.h"
#include "module/link.h"
#include "ptx/parse.h"

namespace heddle::exec::interp {

class TestServices : public Services {
 public:
  void print(std::string_view text) override { printed += text; }
  void print_error(std::string_view text) override { errors += text; }
  uint64_t allocate(uint64_t bytes) override { return allocate_ ? allocate_(bytes) : 0; }
  bool release(uint64_t address) override { return std::erase(allocated, address) != 0; }
  const TextureObject* texture(uint64_t handle) override { return find(textures, handle); }
  const Sampler* sampler(uint64_t handle) override { return find(samplers, handle); }
  const SurfaceObject* surface(uint64_t handle) override { return find(surfaces, handle); }

  std::string printed, errors;
  std::vector<uint64_t> allocated;
  std::function<uint64_t(uint64_t)> allocate_;
  std::map<uint64_t, TextureObject> textures;  // by handle
  std::map<uint64_t, Sampler> samplers;
  std::map<uint64_t, SurfaceObject> surfaces;

 private:
  template <class T>
  static const T* find(const std::map<uint64_t, T>& objects, uint64_t handle) {
    const auto found = objects.find(handle);
    return found == objects.end() ? nullptr : &found->second;
  }
};

// Memory that a guest may use, in the lower 2 GiB so that 32-bit programs can, followed by a hole.
class TestMemory {
 public:
  explicit TestMemory(GuestMemory& guest) : guest_(guest) {}
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;
  ~TestMemory() {
    for (const auto& [data, bytes] : pieces_) munmap(data, bytes);
  }
  std::byte* allocate(std::size_t bytes, bool writable = true) {
    constexpr std::size_t page = 4096;
    const std::size_t rounded = (bytes + page - 1) / page * page;
    void* data =
        mmap(nullptr, rounded + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (data == MAP_FAILED) return nullptr;
    mprotect(static_cast<std::byte*>(data) + rounded, page, PROT_NONE);
    pieces_.emplace_back(data, rounded + page);
    guest_.add(reinterpret_cast<uintptr_t>(data), rounded, writable);
    return static_cast<std::byte*>(data);
  }

 private:
  GuestMemory& guest_;
  std::vector<std::pair<void*, std::size_t>> pieces_;
};

template <class T>
struct Buffer {
  T* data = nullptr;
  std::size_t count = 0;
  T& operator[](std::size_t i) { return data[i]; }
  std::vector<T> values() const { return {data, data + count}; }
};

struct Argument {
  std::vector<std::byte> bytes;
  template <class T>
  Argument(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.resize(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
  }
  template <class T>
  Argument(const Buffer<T>& buffer) : Argument(reinterpret_cast<uint64_t>(buffer.data)) {}
};

class TestProgram {
 public:
  explicit TestProgram(std::string_view ptx, std::string_view device = "h200") : memory_(guest_) {
    if (auto found = arch::find_device(device); found.ok()) device_ = *found;
    EXPECT_NE(device_, nullptr) << device;
    auto source = std::make_shared<SourceText>("test.ptx", std::string(ptx));
    Diagnostics diagnostics;
    syntax_ = std::make_unique<ptx::Module>(ptx::read(source, diagnostics));
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render(*source);
    const ptx::Module* const modules[] = {syntax_.get()};
    auto linked = module::link(modules);
    if (!linked.ok()) {
      for (const std::string& message : linked.error().messages) ADD_FAILURE() << message;
      return;
    }
    module_.image = std::move(linked.value());
    place_symbols();
    services.allocate_ = [this](uint64_t bytes) {
      services.allocated.push_back(reinterpret_cast<uintptr_t>(memory_.allocate(bytes)));
      return services.allocated.back();
    };
  }

  template <class T>
  Buffer<T> buffer(std::size_t count) {
    return {reinterpret_cast<T*>(memory_.allocate(count * sizeof(T))), count};
  }
  template <class T>
  Buffer<T> buffer(const std::vector<T>& values) {
    Buffer<T> made = buffer<T>(values.size());
    std::copy(values.begin(), values.end(), made.data);
    return made;
  }
  template <class T>
  T* symbol(std::string_view name) {
    const uint32_t index = module_.image->symbol_index(name);
    return index == module::none ? nullptr : reinterpret_cast<T*>(module_.symbol_address[index]);
  }

  // Binds a texture, sampler or surface variable.
  void bind(std::string_view name, uint64_t handle) {
    const uint32_t index = module_.image->symbol_index(name);
    ASSERT_NE(index, module::none) << name;
    module_.symbol_handle[index] = handle;
  }

  template <class... Arguments>
  Result<LaunchReport, Fault> run(std::string_view kernel, LaunchShape shape, const Arguments&... arguments) {
    std::vector<std::byte> params;
    const std::optional<Launch> launch = this->launch(params, kernel, shape, arguments...);
    if (!launch) return Fault{};
    return executor_->run(*launch);
  }
  // What `run` hands to the executor; `params` must live as long.
  template <class... Arguments>
  std::optional<Launch> launch(std::vector<std::byte>& params, std::string_view kernel, LaunchShape shape,
                               const Arguments&... arguments) {
    const uint32_t function = module_.image == nullptr ? module::none : module_.image->function_index(kernel);
    if (function == module::none) {
      ADD_FAILURE() << "no kernel '" << kernel << "'";
      return std::nullopt;
    }
    const std::array<Argument, sizeof...(Arguments)> given{Argument(arguments)...};
    const module::Signature& signature = module_.image->functions[function].signature;
    EXPECT_EQ(signature.params.size(), given.size());
    params.assign(signature.param_bytes, {});
    for (std::size_t i = 0; i < std::min(given.size(), signature.params.size()); ++i)
      std::copy_n(given[i].bytes.begin(),
                  std::min<std::size_t>(given[i].bytes.size(), signature.params[i].size),
                  params.begin() + signature.params[i].offset);
    Launch launch = settings;
    launch.module = &module_;
    launch.function = function;
    launch.shape = shape;
    launch.params = params;
    launch.device = device_;
    launch.memory = &guest_;
    launch.services = &services;
    return launch;
  }
  // As run, where a fault is expected.
  template <class... Arguments>
  Fault fault(std::string_view kernel, LaunchShape shape, const Arguments&... arguments) {
    auto result = run(kernel, shape, arguments...);
    EXPECT_FALSE(result.ok()) << "the kernel did not fault";
    return result.ok() ? Fault{} : result.error();
  }

  // Another executor than the reference.
  void use(std::unique_ptr<Executor> executor) { executor_ = std::move(executor); }

  TestServices services;
  Launch settings;  // limits, deadline, cancel: the rest is filled in
  const module::Image& image() const { return *module_.image; }

 private:
  void place_symbols() {
    const module::Image& image = *module_.image;
    module_.symbol_address.resize(image.symbols.size());
    module_.symbol_handle.resize(image.symbols.size());
    for (std::size_t i = 0; i < image.symbols.size(); ++i) {
      const module::Symbol& symbol = image.symbols[i];
      if (symbol.kind != module::SymbolKind::memory) continue;
      if (symbol.space != module::Space::global && symbol.space != module::Space::const_) continue;
      std::byte* data =
          memory_.allocate(std::max<uint64_t>(symbol.size, 1), symbol.space == module::Space::global);
      std::copy(symbol.init.begin(), symbol.init.end(), data);
      module_.symbol_address[i] = reinterpret_cast<uintptr_t>(data);
    }
    for (std::size_t i = 0; i < image.symbols.size(); ++i)
      for (const module::Relocation& r : image.symbols[i].relocations) {
        uint64_t value =
            r.symbol != module::none ? module_.symbol_address[r.symbol] : code_handle(r.function);
        value = (value + r.addend) >> (8 * r.shift);
        std::memcpy(reinterpret_cast<std::byte*>(module_.symbol_address[i]) + r.offset, &value, r.bytes);
      }
  }

  GuestMemory guest_;
  TestMemory memory_;
  const arch::Device* device_ = nullptr;
  std::unique_ptr<ptx::Module> syntax_;
  LoadedModule module_;
  std::unique_ptr<Executor> executor_ = make_executor();
};

}  // namespace heddle::exec::interp
