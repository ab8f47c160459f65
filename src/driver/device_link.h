// What a device linker does: it checks that what device code of one object needs another one has, and makes
// one image of them.
#pragma once

#include <string>
#include <vector>

#include "driver/architecture.h"
#include "elf/object_file.h"
#include "support/result.h"

namespace heddle::driver {

// "Undefined reference to '_Z4workv' in 'b.o'", for each architecture that all of the objects with
// relocatable device code have, each name once. Functions with names of C are provided when the program is
// loaded (vprintf, cudaLaunchDeviceV2).
std::vector<std::string> undefined_device_symbols(const std::vector<elf::ObjectFile>& objects);

// Kernels that take more shared memory together with all that they call, for the same architectures.
std::vector<std::string> shared_memory_problems(const std::vector<elf::ObjectFile>& objects);

// What keeps the objects from being linked for one architecture: "Multiple definition of '_Z1fi' in 'b.o',
// first defined in 'a.o'", and as above what nobody has.
struct LinkProblems {
  std::vector<std::string> multiple, undefined;
};
Result<LinkProblems> link_problems(const std::vector<elf::ObjectFile>& objects, const ArchName& architecture);

// Whether the object has device code that can be linked, and whether some of it is for the architecture.
bool has_relocatable_code(const elf::ObjectFile& object);
bool has_relocatable_code(const elf::ObjectFile& object, const ArchName& architecture);

// The texts that make the image of an architecture, in their order, and where each is from.
struct LinkedText {
  std::string object, text;
};
Result<std::vector<LinkedText>> linked_texts(const std::vector<elf::ObjectFile>& objects,
                                             const ArchName& architecture);

// The relocatable device code of the objects, and of those members of archives that they need, for each of
// the architectures. It is linked where it is loaded, as what cuLinkComplete gives.
Result<std::string> linked_image(const std::vector<elf::ObjectFile>& objects,
                                 const std::vector<ArchName>& architectures);

}  // namespace heddle::driver
