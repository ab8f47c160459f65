// The functions of nvFatbin: a fat binary is made in memory, entry by entry.
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "api/entry/handle_table.h"
#include "api/nvfatbin/functions.gen.h"
#include "api/nvfatbin/options.h"
#include "elf/object_file.h"
#include "fatbin/embedded.h"
#include "fatbin/text_cubin.h"
#include "fatbin/words.h"

namespace heddle::nvfatbin {
namespace {

// An entry with what it refers to.
struct Owned {
  fatbin::NewEntry entry;
  std::string content;
};

struct Maker {
  std::mutex mutex;  // of every call on it
  Options options;
  std::vector<Owned> entries;
};

using Makers = entry::HandleTable<Maker, nvFatbinHandle>;

Status too_short() { return failure(NVFATBIN_ERROR_EMPTY_INPUT, "the input has no bytes"); }
std::string text_of(const char* text) { return text != nullptr ? text : ""; }

// "80", "90a"; of an empty name 0, which runs on every device.
Result<fatbin::Arch, Failure> read_arch(std::string_view name) {
  if (name.empty()) return fatbin::Arch{};
  if (const auto arch = fatbin::parse_arch(name)) return *arch;
  return failure(NVFATBIN_ERROR_INVALID_ARCH,
                 "'" + std::string(name) + "' is no number of an architecture, as 80 or 90a are");
}

// Machine code of devices says for which it is: in the second byte of its flags since version 8 of its ABI,
// in the first one before.
uint32_t arch_of_elf(std::string_view bytes) {
  constexpr std::size_t abi_version = 8, flags = 48;
  constexpr unsigned flags_have_moved = 8;
  if (bytes.size() < flags + 4) return 0;
  const bool moved = static_cast<unsigned char>(bytes[abi_version]) >= flags_have_moved;
  return static_cast<unsigned char>(bytes[flags + (moved ? 1 : 0)]);
}

void add_entry(Maker& maker, fatbin::Kind kind, fatbin::Arch arch, std::string content, std::string name,
               std::string options, const fatbin::Entry* like = nullptr) {
  Owned owned;
  fatbin::NewEntry& entry = owned.entry;
  entry.kind = kind;
  entry.arch = arch;
  entry.debug = maker.options.debug;
  entry.wide = maker.options.wide;
  entry.host = maker.options.host;
  entry.compression = maker.options.compression;
  entry.source_name = std::move(name);
  entry.options = std::move(options);
  if (like != nullptr) {
    entry.version_major = like->version_major;
    entry.version_minor = like->version_minor;
    entry.debug |= like->debug;
  }
  owned.content = std::move(content);
  maker.entries.push_back(std::move(owned));
}

// What a fat binary has, entry by entry; each of the architecture, if one is named.
Status add_entries(Maker& maker, std::string_view bytes, const fatbin::Arch* arch, const std::string& name) {
  const auto entries = fatbin::read(std::as_bytes(std::span(bytes)));
  if (!entries) return failure(NVFATBIN_ERROR_INTERNAL, entries.error().message);
  for (const fatbin::Entry& entry : *entries) {
    if (arch != nullptr && entry.arch != *arch)
      return failure(NVFATBIN_ERROR_ELF_ARCH_MISMATCH,
                     "it is for " + fatbin::real_name(entry.arch) + ", not for " + fatbin::real_name(*arch));
    auto content = fatbin::contents(entry);
    if (!content) return failure(NVFATBIN_ERROR_INTERNAL, content.error().message);
    add_entry(maker, entry.kind, entry.arch, std::move(*content),
              name.empty() ? std::string(entry.source_name) : name, std::string(entry.options), &entry);
  }
  return Unit{};
}

// What an assembler made: of ours a fat binary, of devices before 2.0 a text, of NVIDIA's machine code.
Status add_cubin(Maker& maker, std::string_view bytes, fatbin::Arch arch, const std::string& name) {
  if (fatbin::is_text_cubin(bytes)) {
    const auto inner = fatbin::read_text_cubin(bytes);
    if (!inner) return failure(NVFATBIN_ERROR_INTERNAL, inner.error().message);
    return add_entries(maker, *inner, &arch, name);
  }
  if (elf::is_elf(bytes)) {
    if (const uint32_t found = arch_of_elf(bytes); found != arch.number)
      return failure(NVFATBIN_ERROR_ELF_ARCH_MISMATCH, "the machine code is for sm_" + std::to_string(found) +
                                                           ", not for " + fatbin::real_name(arch));
    add_entry(maker, fatbin::Kind::elf, arch, std::string(bytes), name, "");
    return Unit{};
  }
  if (fatbin::form_of(bytes) != fatbin::Form::fat_binary)
    return failure(NVFATBIN_ERROR_ELF_SIZE_MISMATCH, "the input is no cubin");
  return add_entries(maker, bytes, &arch, name);
}

Status add_objects(Maker& maker, std::string_view bytes) {
  if (!elf::is_elf(bytes) && !elf::is_archive(bytes))
    return failure(NVFATBIN_ERROR_INTERNAL, "the input is no object file");
  const auto objects = elf::read_objects("<object>", bytes);
  if (!objects) return failure(NVFATBIN_ERROR_INTERNAL, objects.error().message);
  bool any = false;
  for (const elf::ObjectFile& object : *objects)
    if (const elf::ObjectSection* const found = object.find("__nv_relfatbin"))
      for (const std::string_view fat : elf::fat_binaries_in(found->bytes)) {
        any = true;
        if (Status added = add_entries(maker, fat, nullptr, ""); !added) return added;
      }
  if (!any)
    return failure(NVFATBIN_ERROR_MISSING_FATBIN, "the object has no relocatable device code (nvcc -dc)");
  return Unit{};
}

Result<std::string, Failure> whole(const Maker& maker) {
  std::vector<fatbin::NewEntry> entries;
  for (const Owned& owned : maker.entries) {
    entries.push_back(owned.entry);
    entries.back().content = owned.content;
  }
  auto bytes = fatbin::write(entries);
  if (!bytes) return failure(NVFATBIN_ERROR_COMPRESSION_FAILED, bytes.error().message);
  return std::move(*bytes);
}

template <class Work>
Status with(nvFatbinHandle handle, Work&& work) {
  if (handle == nullptr) return missing("handle");
  const auto maker = Makers::get().find(handle);
  if (maker == nullptr) return failure(NVFATBIN_ERROR_NULL_POINTER, "there is no fat binary of that handle");
  const std::lock_guard lock(maker->mutex);
  return work(*maker);
}

}  // namespace

const char* nvFatbinGetErrorString(nvFatbinResult result) {
  switch (result) {
    case NVFATBIN_SUCCESS: return nullptr;
    case NVFATBIN_ERROR_INTERNAL: return "internal error";
    case NVFATBIN_ERROR_ELF_ARCH_MISMATCH:
      return "fatbinary elf mismatch: elf arch does not match user-specified arch";
    case NVFATBIN_ERROR_ELF_SIZE_MISMATCH:
      return "fatbinary elf mismatch: elf size doesn't match user-specified size";
    case NVFATBIN_ERROR_MISSING_PTX_VERSION: return "could not find ptx version";
    case NVFATBIN_ERROR_NULL_POINTER: return "input contained null pointer";
    case NVFATBIN_ERROR_COMPRESSION_FAILED: return "compression failed";
    case NVFATBIN_ERROR_COMPRESSED_SIZE_EXCEEDED:
      return "compressed size is bigger than max size of compressed size field";
    case NVFATBIN_ERROR_UNRECOGNIZED_OPTION: return "unknown option";
    case NVFATBIN_ERROR_INVALID_ARCH: return "invalid architecture";
    case NVFATBIN_ERROR_INVALID_NVVM: return "invalid NVVM input";
    case NVFATBIN_ERROR_EMPTY_INPUT: return "empty input";
    case NVFATBIN_ERROR_MISSING_PTX_ARCH: return "missing ptx architecture";
    case NVFATBIN_ERROR_PTX_ARCH_MISMATCH: return "ptx architecture incompatible with specified architecture";
    case NVFATBIN_ERROR_MISSING_FATBIN: return "host object doesn't contain a fatbin";
    case NVFATBIN_ERROR_INVALID_INDEX: return "invalid index input";
    case NVFATBIN_ERROR_IDENTIFIER_REUSE:
      return "each relocatable entry must have a unique identifier name per architecture";
    case NVFATBIN_ERROR_INTERNAL_PTX_OPTION: return "used ptx options include internal options";
  }
  return "unknown error";
}

// A handle comes of wrong options as well.
Status nvFatbinCreate(nvFatbinHandle* handle_indirect, const char** options, size_t optionsCount) {
  if (optionsCount != 0 && options == nullptr) return missing("options");
  for (size_t i = 0; i < optionsCount; ++i)
    if (options[i] == nullptr) return missing("an option");
  auto maker = std::make_shared<Maker>();
  const auto read = read_options({options, optionsCount});
  if (read) maker->options = *read;
  *handle_indirect = Makers::get().add(std::move(maker));
  return read ? Status(Unit{}) : failure(NVFATBIN_ERROR_UNRECOGNIZED_OPTION, read.error().message);
}

Status nvFatbinDestroy(nvFatbinHandle* handle_indirect) {
  if (*handle_indirect == nullptr) return missing("the handle");
  if (!Makers::get().erase(*handle_indirect))
    return failure(NVFATBIN_ERROR_NULL_POINTER, "there is no fat binary of that handle");
  *handle_indirect = nullptr;
  return Unit{};
}

// The architecture is the caller's word: the text is not read beyond its version.
Status nvFatbinAddPTX(nvFatbinHandle handle, const char* code, size_t size, const char* arch,
                      const char* identifier, const char* optionsCmdLine) {
  return with(handle, [&](Maker& maker) -> Status {
    if (size == 0) return too_short();
    const auto read = read_arch(arch);
    if (!read) return read.error();
    std::string text(code, strnlen(code, size));
    const auto version = fatbin::version_of(text);
    if (!version)
      return failure(NVFATBIN_ERROR_MISSING_PTX_VERSION, "the PTX has no .version, or no number there");
    add_entry(maker, fatbin::Kind::ptx, *read, std::move(text), text_of(identifier), text_of(optionsCmdLine));
    maker.entries.back().entry.version_major = version->major;
    maker.entries.back().entry.version_minor = version->minor;
    return Unit{};
  });
}

Status nvFatbinAddCubin(nvFatbinHandle handle, const void* code, size_t size, const char* arch,
                        const char* identifier) {
  return with(handle, [&](Maker& maker) -> Status {
    if (size == 0) return too_short();
    const auto read = read_arch(arch);
    if (!read) return read.error();
    return add_cubin(maker, {static_cast<const char*>(code), size}, *read, text_of(identifier));
  });
}

// Kept as it is. Compilers of this toolkit make none, and nobody here can tell whether it is good.
Status nvFatbinAddLTOIR(nvFatbinHandle handle, const void* code, size_t size, const char* arch,
                        const char* identifier, const char* optionsCmdLine) {
  return with(handle, [&](Maker& maker) -> Status {
    if (size == 0) return too_short();
    const auto read = read_arch(arch);
    if (!read) return read.error();
    const std::string_view bytes(static_cast<const char*>(code), size);
    if (!bytes.starts_with("\xed\x43\x4e\x7f"))
      return failure(NVFATBIN_ERROR_INTERNAL, "the input is no container of NVVM IR");
    add_entry(maker, fatbin::Kind::lto, *read, std::string(bytes), text_of(identifier),
              text_of(optionsCmdLine));
    return Unit{};
  });
}

// Of what tells linkers where in a library something is: its form is nowhere documented, and no tool here
// makes or reads one.
Status nvFatbinAddIndex(nvFatbinHandle handle, const void* /*code*/, size_t size,
                        const char* /*identifier*/) {
  return with(handle, [&](Maker&) -> Status {
    if (size == 0) return too_short();
    return failure(NVFATBIN_ERROR_INVALID_INDEX, "indices are not known here");
  });
}

Status nvFatbinAddReloc(nvFatbinHandle handle, const void* code, size_t size) {
  return with(handle, [&](Maker& maker) -> Status {
    if (size == 0) return too_short();
    return add_objects(maker, {static_cast<const char*>(code), size});
  });
}

Status nvFatbinAddTileIR(nvFatbinHandle handle, const void* /*code*/, size_t size, const char* /*identifier*/,
                         const char* /*optionsCmdLine*/) {
  return with(handle, [&](Maker&) -> Status {
    if (size == 0) return too_short();
    return failure(NVFATBIN_ERROR_INTERNAL, "Tile IR is not known here");
  });
}

Status nvFatbinSize(nvFatbinHandle handle, size_t* size) {
  return with(handle, [&](const Maker& maker) -> Status {
    const auto bytes = whole(maker);
    if (!bytes) return bytes.error();
    *size = bytes->size();
    return Unit{};
  });
}

Status nvFatbinGet(nvFatbinHandle handle, void* buffer) {
  return with(handle, [&](const Maker& maker) -> Status {
    const auto bytes = whole(maker);
    if (!bytes) return bytes.error();
    std::memcpy(buffer, bytes->data(), bytes->size());
    return Unit{};
  });
}

Status nvFatbinVersion(unsigned int* major, unsigned int* minor) {
  *major = 12;
  *minor = 9;
  return Unit{};
}
Status nvFatbinVersion_v13(unsigned int* major, unsigned int* minor) {
  *major = 13;
  *minor = 0;
  return Unit{};
}

}  // namespace heddle::nvfatbin
