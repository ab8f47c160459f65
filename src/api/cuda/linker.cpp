// cuLink*: several programs become one image.
#include <deque>

#include "api/cuda/functions.gen.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/device.h"
#include "api/cuda_state/program.h"
#include "fatbin/fatbin.h"

namespace heddle::cu {
namespace {

struct Linker {
  ContextRef context;
  cuda::JitOptions options;
  std::deque<cuda::ProgramImage> images;  // fat binaries stay where they are while they are linked
  std::vector<std::string> names;
  std::string output;  // what cuLinkComplete gave, good until the linker is destroyed
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

Status add(CUlinkState state, CUjitInputType type, Answer<cuda::ProgramImage> image, std::string name) {
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
  if (!image) {
    (*linker)->options.write_logs("", name + ": " + image.error().message + "\n");
    return image.error();
  }
  if (type == CU_JIT_INPUT_PTX && !image->binary.empty())
    return failure(Code::invalid_image, "'" + name + "' is no PTX");
  (*linker)->images.push_back(std::move(*image));
  (*linker)->names.push_back(std::move(name));
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
  return add(state, type, cuda::read_image(data, size), name != nullptr ? name : "input");
}

Status cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path, unsigned int numOptions,
                        CUjit_option* options, void** optionValues) {
  cuda::JitOptions own;
  if (Status good = own.read(numOptions, options, optionValues); !good) return good;
  return add(state, type, cuda::read_image_file(path), path);
}

Status cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  auto found = find_linker(state);
  if (!found) return found.error();
  Linker& linker = **found;
  if (linker.images.empty()) return invalid_value("nothing was added");
  cuda::ProgramCode code;
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
