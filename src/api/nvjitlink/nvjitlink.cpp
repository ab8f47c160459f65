// nvJitLink's functions. What comes out is what cuLinkComplete and ptxas give: a fat binary with the texts
// that were linked, checked here and linked again where they are loaded.
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "api/entry/handle_table.h"
#include "api/nvjitlink/functions.gen.h"
#include "api/nvjitlink/options.h"
#include "elf/object_file.h"
#include "exec/interp/host_function.h"
#include "fatbin/embedded.h"
#include "module/link.h"
#include "module/math_function.h"
#include "ptx/parse.h"
#include "support/read_file.h"

namespace heddle::nvjitlink {
namespace {

struct Text {
  std::string name, ptx;
};

struct Linker {
  std::mutex mutex;  // of every call on it
  Options options;
  std::vector<Text> texts;
  std::string errors, info, output;
  bool usable = false;  // the options were good
  bool complete = false;
};

using Linkers = entry::HandleTable<Linker, nvJitLinkHandle>;

Result<std::shared_ptr<Linker>, Failure> find(nvJitLinkHandle handle) {
  if (handle == nullptr) return failure(NVJITLINK_ERROR_NULL_INPUT, "handle is NULL");
  if (auto found = Linkers::get().find(handle)) return found;
  return invalid_input("no such linker");
}

nvJitLinkResult code_of(OptionError::What what) {
  switch (what) {
    case OptionError::What::unrecognized: return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
    case OptionError::What::no_arch: return NVJITLINK_ERROR_MISSING_ARCH;
    case OptionError::What::unknown_arch: return NVJITLINK_ERROR_UNRECOGNIZED_ARCH;
    case OptionError::What::unsupported_arch: return NVJITLINK_ERROR_UNSUPPORTED_ARCH;
    case OptionError::What::incompatible: return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
  }
  return NVJITLINK_ERROR_INTERNAL;
}

// Refused, and told in the log of errors.
Failure refuse(Linker& linker, nvJitLinkResult code, const std::string& what) {
  linker.errors += what;
  if (!linker.errors.ends_with('\n')) linker.errors += '\n';
  return failure(code, what);
}

// ---- input

Failure not_that_kind(Linker& linker, const std::string& name, const char* kind) {
  return refuse(linker, NVJITLINK_ERROR_INCORRECT_INPUT_TYPE, "'" + name + "' is no " + kind);
}

Status add_ptx(Linker& linker, const std::string& name, std::string_view bytes) {
  std::string text(bytes.substr(0, bytes.find('\0')));
  const auto source = std::make_shared<const SourceText>(name, text);
  Diagnostics diagnostics;
  ptx::read(source, diagnostics);
  if (diagnostics.has_errors())
    return refuse(
        linker, NVJITLINK_ERROR_PTX_COMPILE,
        diagnostics.render(*source) + "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (" + name + ")");
  linker.texts.push_back({name, std::move(text)});
  return Unit{};
}

Status add_fat_binary(Linker& linker, const std::string& name, std::string_view bytes) {
  const auto entries = fatbin::read(std::as_bytes(std::span(bytes)));
  if (!entries) return refuse(linker, NVJITLINK_ERROR_INVALID_INPUT, name + ": " + entries.error().message);
  const auto chosen = fatbin::choose_ptx(*entries, linker.options.capability);
  if (!chosen) return refuse(linker, NVJITLINK_ERROR_ARCH_MISMATCH, name + ": " + chosen.error().message);
  // What was linked before has several texts for its architecture.
  for (const fatbin::Entry& entry : *entries) {
    if (entry.kind != fatbin::Kind::ptx || entry.arch != (*chosen)->arch) continue;
    const auto text = fatbin::contents(entry);
    if (!text) return refuse(linker, NVJITLINK_ERROR_INVALID_INPUT, name + ": " + text.error().message);
    if (Status added = add_ptx(linker, name, *text); !added) return added;
  }
  return Unit{};
}

Status add_objects(Linker& linker, const std::string& name, std::string_view bytes) {
  const auto objects = elf::read_objects(name, bytes);
  if (!objects) return refuse(linker, NVJITLINK_ERROR_INVALID_INPUT, objects.error().message);
  for (const elf::ObjectFile& object : *objects)
    for (const char* section : {"__nv_relfatbin", ".nv_fatbin"}) {
      const elf::ObjectSection* found = object.find(section);
      if (found == nullptr) continue;
      for (const std::string_view fat : elf::fat_binaries_in(found->bytes))
        if (Status added = add_fat_binary(linker, object.name, fat); !added) return added;
    }
  return Unit{};
}

Status add(Linker& linker, nvJitLinkInputType type, std::string_view bytes, const std::string& name) {
  if (!linker.usable || linker.complete)
    return refuse(linker, NVJITLINK_ERROR_INTERNAL,
                  linker.complete ? "the linker has completed" : "the linker's options were wrong");
  if ((type < NVJITLINK_INPUT_CUBIN || type > NVJITLINK_INPUT_LIBRARY) && type != NVJITLINK_INPUT_ANY)
    return refuse(linker, NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
                  "no kind of input that can be linked has the number " + std::to_string(type));
  if (bytes.size() < 4) return refuse(linker, NVJITLINK_ERROR_INVALID_INPUT, "'" + name + "' has no bytes");
  const bool objects = elf::is_elf(bytes) || elf::is_archive(bytes);
  const fatbin::Form form = objects ? fatbin::Form::elf : fatbin::form_of(bytes);
  if (form == fatbin::Form::fat_binary && fatbin::extent_of(bytes.data()).size() > bytes.size())
    return refuse(linker, NVJITLINK_ERROR_INVALID_INPUT, "'" + name + "' is cut short");
  switch (type) {
    case NVJITLINK_INPUT_PTX:
      return form == fatbin::Form::ptx ? add_ptx(linker, name, bytes) : not_that_kind(linker, name, "PTX");
    case NVJITLINK_INPUT_CUBIN:
      if (elf::is_elf(bytes))
        return refuse(linker, NVJITLINK_ERROR_MISSING_FATBIN,
                      "'" + name + "' is machine code of a device; PTX is needed");
      return form == fatbin::Form::fat_binary ? add_fat_binary(linker, name, bytes)
                                              : not_that_kind(linker, name, "cubin");
    case NVJITLINK_INPUT_FATBIN:
      return form == fatbin::Form::fat_binary ? add_fat_binary(linker, name, bytes)
                                              : not_that_kind(linker, name, "fat binary");
    case NVJITLINK_INPUT_OBJECT:
    case NVJITLINK_INPUT_LIBRARY:
      return objects ? add_objects(linker, name, bytes) : not_that_kind(linker, name, "object file");
    case NVJITLINK_INPUT_ANY:
      if (objects) return add_objects(linker, name, bytes);
      if (form == fatbin::Form::fat_binary) return add_fat_binary(linker, name, bytes);
      if (form == fatbin::Form::ptx) return add_ptx(linker, name, bytes);
      return refuse(linker, NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
                    "'" + name + "' is nothing that can be linked");
    case NVJITLINK_INPUT_LTOIR:
      // What compilers of this toolkit make for it is PTX: all code is optimised when it has been linked.
      if (!linker.options.lto) return refuse(linker, NVJITLINK_ERROR_LTO_NOT_ENABLED, "LTO IR needs -lto");
      if (form == fatbin::Form::ptx) return add_ptx(linker, name, bytes);
      return form == fatbin::Form::fat_binary ? add_fat_binary(linker, name, bytes)
                                              : not_that_kind(linker, name, "LTO IR that is known here");
    case NVJITLINK_INPUT_NONE:
    case NVJITLINK_INPUT_INDEX: break;
  }
  return not_that_kind(linker, name, "input that can be linked");
}

// ---- output

// What nobody has, neither the texts nor whoever will run them.
std::string undefined_functions(const module::Image& image) {
  std::vector<bool> wanted(image.functions.size(), false);
  for (const module::Function& function : image.functions)
    for (const uint32_t callee : function.callees) wanted[callee] = true;
  std::string all;
  for (std::size_t i = 0; i < image.functions.size(); ++i) {
    const module::Function& function = image.functions[i];
    if (function.defined || !(wanted[i] || function.address_taken) ||
        module::math_function(function) != nullptr ||
        exec::interp::find_host_function(function.name) != nullptr)
      continue;
    all += "error   : Undefined reference to '" + function.name + "'\n";
  }
  return all;
}

Status complete(Linker& linker) {
  if (!linker.usable || linker.complete)
    return refuse(linker, NVJITLINK_ERROR_INTERNAL,
                  linker.complete ? "the linker has completed" : "the linker's options were wrong");
  linker.complete = true;
  std::vector<ptx::Module> modules;
  std::vector<const ptx::Module*> inputs;
  modules.reserve(linker.texts.size());
  for (const Text& text : linker.texts) {
    Diagnostics diagnostics;  // it was read without errors when it was added
    modules.push_back(ptx::read(std::make_shared<const SourceText>(text.name, text.ptx), diagnostics));
    inputs.push_back(&modules.back());
  }
  std::vector<fatbin::NewEntry> entries;
  if (!inputs.empty()) {
    const auto image = module::link(inputs);
    if (!image) {
      std::string all;
      for (const std::string& message : image.error().messages) all += message + '\n';
      return refuse(linker, NVJITLINK_ERROR_INTERNAL, all);
    }
    if (const std::string undefined = undefined_functions(**image); !undefined.empty())
      return refuse(linker, NVJITLINK_ERROR_INTERNAL, undefined);
    if (linker.options.verbose)
      for (const module::Function& function : (*image)->functions)
        if (function.entry && function.defined)
          linker.info += "info    : Function properties for '" + function.name +
                         "':\ninfo    : " + std::to_string(function.static_shared_bytes) + " bytes smem\n";
  }
  for (const Text& text : linker.texts) {
    fatbin::NewEntry entry;
    entry.arch.number = linker.options.capability;
    if (linker.options.max_registers != 0)
      entry.options = "-maxrregcount=" + std::to_string(linker.options.max_registers);
    entry.source_name = text.name;
    entry.content = text.ptx;
    entries.push_back(std::move(entry));
  }
  auto output = fatbin::write(entries);
  if (!output) return refuse(linker, NVJITLINK_ERROR_FINALIZE, output.error().message);
  linker.output = std::move(*output);
  return Unit{};
}

// A log's size counts the zero behind it; an empty one has none.
std::size_t size_of(const std::string& log) { return log.empty() ? 0 : log.size() + 1; }
void write(const std::string& log, char* to) {
  if (!log.empty()) std::memcpy(to, log.c_str(), log.size() + 1);
}

template <class Work>
Status with(nvJitLinkHandle handle, Work&& work) {
  auto linker = find(handle);
  if (!linker) return linker.error();
  const std::lock_guard lock((*linker)->mutex);
  return work(**linker);
}

}  // namespace

Status nvJitLinkVersion(unsigned int* major, unsigned int* minor) {
  *major = 12;
  *minor = 9;
  return Unit{};
}
Status nvJitLinkVersion_v13(unsigned int* major, unsigned int* minor) {
  *major = 13;
  *minor = 0;
  return Unit{};
}

// A linker whose options are wrong is made as well, so that its log can be read.
Status nvJitLinkCreate(nvJitLinkHandle* handle, uint32_t numOptions, const char** options) {
  if (options == nullptr) return missing("options");
  auto linker = std::make_shared<Linker>();
  Status made = Unit{};
  const auto read = read_options({options, numOptions});
  if (read)
    linker->options = *read;
  else
    made = refuse(*linker, code_of(read.error().what), read.error().message);
  linker->usable = read.ok();
  *handle = Linkers::get().add(std::move(linker));
  return made;
}

Status nvJitLinkDestroy(nvJitLinkHandle* handle) {
  if (*handle == nullptr) return failure(NVJITLINK_ERROR_NULL_INPUT, "the handle is NULL");
  if (!Linkers::get().erase(*handle)) return invalid_input("no such linker");
  *handle = nullptr;
  return Unit{};
}

Status nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType, const void* data, size_t size,
                        const char* name) {
  return with(handle, [&](Linker& linker) {
    return add(linker, inputType, {static_cast<const char*>(data), size}, name != nullptr ? name : "<input>");
  });
}

Status nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType, const char* fileName) {
  return with(handle, [&](Linker& linker) -> Status {
    const auto bytes = read_file(fileName);
    if (!bytes) return refuse(linker, NVJITLINK_ERROR_INVALID_INPUT, bytes.error().message);
    return add(linker, inputType, *bytes, fileName);
  });
}

Status nvJitLinkComplete(nvJitLinkHandle handle) { return with(handle, complete); }

Status nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](const Linker& linker) -> Status {
    if (linker.output.empty()) return failure(NVJITLINK_ERROR_INTERNAL, "nothing has been linked");
    *size = linker.output.size();
    return Unit{};
  });
}

Status nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void* cubin) {
  return with(handle, [&](const Linker& linker) -> Status {
    if (linker.output.empty()) return failure(NVJITLINK_ERROR_INTERNAL, "nothing has been linked");
    std::memcpy(cubin, linker.output.data(), linker.output.size());
    return Unit{};
  });
}

// PTX comes out where LTO IR went in.
Status nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t* /*size*/) {
  return with(handle, [&](const Linker&) -> Status { return invalid_input("no LTO IR was linked"); });
}
Status nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char* /*ptx*/) {
  return with(handle, [&](const Linker&) -> Status { return invalid_input("no LTO IR was linked"); });
}

Status nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](const Linker& linker) -> Status {
    *size = size_of(linker.errors);
    return Unit{};
  });
}
Status nvJitLinkGetErrorLog(nvJitLinkHandle handle, char* log) {
  return with(handle, [&](const Linker& linker) -> Status {
    write(linker.errors, log);
    return Unit{};
  });
}
Status nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t* size) {
  return with(handle, [&](const Linker& linker) -> Status {
    *size = size_of(linker.info);
    return Unit{};
  });
}
Status nvJitLinkGetInfoLog(nvJitLinkHandle handle, char* log) {
  return with(handle, [&](const Linker& linker) -> Status {
    write(linker.info, log);
    return Unit{};
  });
}

}  // namespace heddle::nvjitlink
