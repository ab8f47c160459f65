// cuLink*: several programs become one image.
#include <deque>

#include "api/cuda/functions.gen.h"
#include "api/cuda/jit_limit.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/program.h"
#include "elf/object_file.h"
#include "fatbin/fatbin.h"
#include "support/read_file.h"

namespace heddle::cu {
namespace {

struct Linker {
  ContextRef context;
  cuda::JitOptions options;
  uint32_t max_registers = 0;             // of a thread; 0: no limit
  std::deque<cuda::ProgramImage> images;  // fat binaries stay where they are while they are linked
  std::vector<std::string> names;
  bool anything = false;  // was added, be it without code
  std::string output;     // what cuLinkComplete gave, good until the linker is destroyed
};

using Linkers = cuda::HandleTable<Linker, cuda::HandleKind::link>;
// Never destroyed, as the process's other handles.
Linkers& linkers() {
  static auto& table = *new Linkers;
  return table;
}

Answer<std::shared_ptr<Linker>> find_linker(CUlinkState state) {
  auto linker = linkers().find(state);
  if (linker == nullptr) return failure(Code::invalid_handle, "no such linker");
  if (!linker->output.empty()) return failure(Code::invalid_handle, "the linker has completed");
  return linker;
}

// Objects for the host and archives of them have device code in sections of their own; an archive may have
// none, as the device runtime's, whose functions need no code here.
Answer<std::vector<cuda::ProgramImage>> images_in_objects(std::string_view bytes, const std::string& name) {
  const auto objects = elf::read_objects(name, bytes);
  if (!objects) return failure(Code::invalid_image, objects.error().message);
  std::vector<cuda::ProgramImage> images;
  for (const elf::ObjectFile& object : *objects)
    for (const char* section : {"__nv_relfatbin", ".nv_fatbin"}) {
      const elf::ObjectSection* found = object.find(section);
      if (found == nullptr) continue;
      for (const std::string_view fat : elf::fat_binaries_in(found->bytes)) {
        auto image = cuda::read_image(fat.data(), fat.size());
        if (!image) return image.error();
        images.push_back(std::move(*image));
      }
    }
  if (images.empty() && !elf::is_archive(bytes))
    return failure(Code::no_binary_for_device, "'" + name + "' has no device code as PTX");
  return images;
}

Answer<std::vector<cuda::ProgramImage>> images_of(CUjitInputType type, std::string_view bytes,
                                                  const std::string& name) {
  const bool objects = type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY;
  if (objects && (elf::is_elf(bytes) || elf::is_archive(bytes))) return images_in_objects(bytes, name);
  auto image = cuda::read_image(bytes.data(), bytes.size());
  if (!image) return image.error();
  if (type == CU_JIT_INPUT_PTX && !image->binary.empty())
    return failure(Code::invalid_image, "'" + name + "' is no PTX");
  std::vector<cuda::ProgramImage> images;
  images.push_back(std::move(*image));
  return images;
}

Status add(CUlinkState state, CUjitInputType type, Answer<std::string_view> bytes, std::string name) {
  auto linker = find_linker(state);
  if (!linker) return linker.error();
  switch (type) {
    case CU_JIT_INPUT_PTX:
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY: break;
    case CU_JIT_INPUT_CUBIN:
      return failure(Code::no_binary_for_device, "'" + name + "' is machine code of a device; PTX is needed");
    default: return invalid_value("no kind of input has the number " + std::to_string(type));
  }
  if (!bytes) return bytes.error();
  auto images = images_of(type, *bytes, name);
  if (!images) {
    (*linker)->options.write_logs("", name + ": " + images.error().message + "\n");
    return images.error();
  }
  for (cuda::ProgramImage& image : *images) {
    (*linker)->images.push_back(std::move(image));
    (*linker)->names.push_back(name);
  }
  (*linker)->anything = true;
  return Unit{};
}

}  // namespace

Status cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues,
                       CUlinkState* stateOut) {
  auto context = working_context();
  if (!context) return context.error();
  auto linker = std::make_shared<Linker>();
  linker->context = *context;
  if (Status good = linker->options.read(numOptions, options, optionValues); !good) return good;
  linker->max_registers = register_limit(numOptions, options, optionValues);
  const uint64_t handle = linkers().add(std::move(linker));
  if (handle == 0) return failure(Code::out_of_memory, "too many linkers");
  *stateOut = as_handle<CUlinkState>(handle);
  return Unit{};
}

Status cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size, const char* name,
                        unsigned int numOptions, CUjit_option* options, void** optionValues) {
  if (data == nullptr) return missing("data");
  cuda::JitOptions own;
  if (Status good = own.read(numOptions, options, optionValues); !good) return good;
  return add(state, type, std::string_view(static_cast<const char*>(data), size),
             name != nullptr ? name : "input");
}

Status cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                        CUjit_option* options, void** optionValues) {
  cuda::JitOptions own;
  if (Status good = own.read(numOptions, options, optionValues); !good) return good;
  const auto bytes = read_file(path);
  if (!bytes) return add(state, type, failure(Code::file_not_found, bytes.error().message), path);
  return add(state, type, std::string_view(*bytes), path);
}

Status cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  auto found = find_linker(state);
  if (!found) return found.error();
  Linker& linker = **found;
  if (!linker.anything) return invalid_value("nothing was added");
  cuda::ProgramCode code;
  for (cuda::ProgramImage& image : linker.images) limit_registers(image, linker.max_registers);
  for (std::size_t i = 0; i < linker.images.size(); ++i) linker.images[i].add_to(code, linker.names[i]);
  // Whether it links, with all there is to say about that.
  auto image = cuda::link(linker.context, code, linker.options);
  if (!image) return image.error();
  // The image that comes out is ours: the texts that were linked, to be linked again where they are loaded.
  auto texts = code.texts_for(linker.context->device().facts());
  if (!texts) return texts.error();
  std::vector<fatbin::NewEntry> entries;
  for (const std::string& text : *texts) {
    fatbin::NewEntry entry;
    entry.arch.number = linker.context->device().capability();
    entry.content = text;
    entries.push_back(entry);
  }
  auto output = fatbin::write(entries);
  if (!output) return failure(Code::invalid_image, output.error().message);
  linker.output = std::move(*output);
  *cubinOut = linker.output.data();
  if (sizeOut != nullptr) *sizeOut = linker.output.size();
  return Unit{};
}

Status cuLinkDestroy(CUlinkState state) {
  if (linkers().remove(state) == nullptr) return failure(Code::invalid_handle, "no such linker");
  return Unit{};
}

}  // namespace heddle::cu
