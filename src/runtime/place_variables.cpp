// Places for a module's variables, their first contents, and the addresses in those.
#include <algorithm>
#include <cstring>
#include <string>

#include "exec/memory_map.h"
#include "runtime/module.h"
#include "runtime/sampler_fields.h"

namespace heddle::runtime {

namespace {

using module::Space;
using module::Symbol;
using module::SymbolKind;

bool in_memory(const Symbol& symbol, Space space) {
  return symbol.kind == SymbolKind::memory && symbol.space == space && symbol.size != 0 && !symbol.external;
}

std::byte* bytes_at(uint64_t address) { return reinterpret_cast<std::byte*>(address); }

uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

Done Module::place_variables(std::span<const Placement> placements) {
  auto loaded = std::make_shared<exec::LoadedModule>();
  loaded->image = image_;
  loaded->symbol_address.assign(image_->symbols.size(), 0);
  loaded->symbol_handle.assign(image_->symbols.size(), 0);
  std::vector<bool> placed_before(image_->symbols.size(), false);
  for (const Placement& placement : placements) {
    const uint32_t index = image_->symbol_index(placement.name);
    if (index == module::none || !(in_memory(image_->symbols[index], Space::global) ||
                                   in_memory(image_->symbols[index], Space::const_)))
      return error(ErrorCode::not_found, "no variable in memory is called '" + placement.name + "'");
    loaded->symbol_address[index] = placement.address;
    placed_before[index] = true;
  }
  for (uint32_t i = 0; i < image_->symbols.size(); ++i) {
    if (placed_before[i] || !in_memory(image_->symbols[i], Space::global)) continue;
    auto address = place_global(i);
    if (!address) return address.error();
    loaded->symbol_address[i] = *address;
  }
  if (Done placed = place_constants(*loaded); !placed) return placed;
  if (Done written = write_initial_bytes(*loaded, placed_before); !written) return written;
  if (Done made = make_samplers(*loaded); !made) return made;
  loaded_module_ = std::move(loaded);
  return Unit{};
}

Outcome<uint64_t> Module::place_global(uint32_t index) {
  const Symbol& symbol = image_->symbols[index];
  MemoryRequest request;
  request.kind = symbol.managed ? MemoryKind::managed : MemoryKind::variable;
  request.every_context = symbol.managed;
  request.bytes = symbol.size;
  request.alignment = std::max<uint64_t>(symbol.align, 256);
  auto memory = allocate(request, "variable '" + symbol.name + "'");
  if (!memory) return memory.error();
  return (*memory)->address;
}

Outcome<AllocationRef> Module::allocate(MemoryRequest request, const std::string& what) {
  if (image_->address_bits == 32) request.region = Region::low;
  auto memory = context_->allocate(request);
  if (!memory) {
    Error failure = memory.error();
    failure.message = what + ": " + failure.message;
    return failure;
  }
  std::memset(bytes_at((*memory)->address), 0, request.bytes);
  memory_.push_back(*memory);
  return memory;
}

// All of them lie together: one piece, as large as the device allows. Banks (before PTX 2.2) are as large
// each. Kernels may write it by its global address, and later launches read what they wrote, as on an H200
// (tests/hw/h200/constants).
Done Module::place_constants(exec::LoadedModule& loaded) {
  const uint64_t allowed = context_->device().facts.arch.memory.constant_bytes;
  uint64_t total = 0, largest_alignment = 256;
  uint64_t bank_bytes[256] = {};
  std::vector<uint64_t> offset(image_->symbols.size(), 0);
  for (std::size_t i = 0; i < image_->symbols.size(); ++i) {
    const Symbol& symbol = image_->symbols[i];
    if (!in_memory(symbol, Space::const_) || loaded.symbol_address[i] != 0) continue;
    const uint64_t align = std::max<uint64_t>(symbol.align, 1);
    uint64_t& bank = bank_bytes[symbol.bank];
    bank = round_up(bank, align) + symbol.size;
    if (bank > allowed)
      return error(ErrorCode::invalid_image, "constant variables of the program are " + std::to_string(bank) +
                                                 " bytes with '" + symbol.name + "', " +
                                                 arch::describe(context_->device().facts) + " allows " +
                                                 std::to_string(allowed));
    offset[i] = round_up(total, align);
    total = offset[i] + symbol.size;
    largest_alignment = std::max(largest_alignment, align);
  }
  if (total == 0) return Unit{};
  MemoryRequest request;
  request.kind = MemoryKind::variable;
  request.bytes = total;
  request.alignment = largest_alignment;
  auto memory = allocate(request, "constant variables");
  if (!memory) return memory.error();
  for (std::size_t i = 0; i < image_->symbols.size(); ++i)
    if (in_memory(image_->symbols[i], Space::const_) && loaded.symbol_address[i] == 0)
      loaded.symbol_address[i] = (*memory)->address + offset[i];
  return Unit{};
}

Done Module::write_initial_bytes(const exec::LoadedModule& loaded, const std::vector<bool>& placed) {
  for (std::size_t i = 0; i < image_->symbols.size(); ++i) {
    const Symbol& symbol = image_->symbols[i];
    const uint64_t address = loaded.symbol_address[i];
    if (address == 0 || placed[i]) continue;
    std::byte* const to = bytes_at(address);
    std::copy_n(symbol.init.begin(), std::min<uint64_t>(symbol.init.size(), symbol.size), to);
    for (const module::Relocation& relocation : symbol.relocations) {
      uint64_t value = 0;
      if (relocation.symbol == module::none) {
        value = exec::code_handle(relocation.function);
      } else {
        const Symbol& target = image_->symbols[relocation.symbol];
        value = target.kind == SymbolKind::memory ? loaded.symbol_address[relocation.symbol] : 0;
        if (value == 0)
          return error(ErrorCode::invalid_image, "the initialiser of '" + symbol.name + "' names '" +
                                                     target.name + "', which has no address");
      }
      // A variable's generic address is its address.
      value = (value + relocation.addend) >> (8 * relocation.shift);
      std::memcpy(to + relocation.offset, &value, relocation.bytes);
    }
  }
  return Unit{};
}

Done Module::make_samplers(exec::LoadedModule& loaded) {
  for (std::size_t i = 0; i < image_->symbols.size(); ++i) {
    const Symbol& symbol = image_->symbols[i];
    if (symbol.kind != SymbolKind::sampler) continue;
    const auto handle = context_->services().samplers.add(sampler_of(symbol.fields));
    if (!handle) return error(ErrorCode::out_of_memory, "too many samplers");
    samplers_.push_back(*handle);
    loaded.symbol_handle[i] = *handle;
  }
  return Unit{};
}

}  // namespace heddle::runtime
