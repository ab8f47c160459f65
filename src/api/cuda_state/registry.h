// What programs register at their start: fat binaries, and which host symbols stand for which kernels and
// variables in them. Nothing is read or compiled before it is needed, except for the first contents of
// managed variables, which the host may use at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/cuda_state/library.h"
#include "api/cuda_state/managed_section.h"
#include "fatbin/embedded.h"

namespace heddle::cuda {

// A texture or surface reference, the older kind: a variable of the host and one of the device.
struct Reference {
  std::shared_ptr<Library> library;
  std::string name;
  bool surface = false;
  bool normalized_read = false;  // of the template's read mode
};

class Registry {
 public:
  explicit Registry(Process& process) : process_(process) {}

  // ---- from the constructors of programs and their libraries
  // The handle that the functions below take; nullptr when the wrapper is none.
  void** add_program(const void* wrapper);
  void add_kernel(void** program, const void* stub, const char* name);
  void add_variable(void** program, const void* shadow, const char* name, uint64_t bytes);
  // A managed variable that the host reaches through a pointer of its own (nvcc's way): it points to the
  // variable from now on.
  void add_managed_pointer(void** program, void** pointer, const char* name, uint64_t bytes);
  // Variables with shadows in this range of the host are managed, and lie where their shadows do (clang's
  // way). Ranges of programs' own sections are known without (managed_section.h).
  void add_managed_range(const void* begin, const void* end);
  void add_reference(void** program, const void* reference, const char* name, bool surface, bool normalized);
  // All of the program was registered.
  void complete(void** program);
  void remove(void** program);

  // ---- later
  // The kernel of a host stub in a context. Also takes what cudaGetKernel and cudaGetFuncBySymbol gave.
  // Good until the calling thread asks for another one.
  Answer<Function*> function(const ContextRef& context, const void* stub);
  Answer<std::shared_ptr<LibraryKernel>> kernel(const void* stub);
  Answer<runtime::Variable> variable(const ContextRef& context, const void* shadow);
  Answer<Reference> reference(const void* reference);
  // Every program that was registered, loaded in the context: for those that ask to have it done early.
  Status load_all(const ContextRef& context);
  // The code of every program that registered a kernel or a variable.
  std::vector<std::shared_ptr<Library>> libraries();
  // Managed variables belong to guests from now on. Called when a context is made.
  Status open_managed();

 private:
  struct Managed {
    std::string name;
    uint64_t address = 0, bytes = 0;
    bool open = false;
    runtime::AllocationRef memory;
  };
  struct Program {
    void* handle_target = nullptr;  // what a handle points to
    std::shared_ptr<Library> library;
    std::vector<std::span<const std::byte>> images;
    std::vector<const void*> stubs, shadows, references;
    std::vector<std::pair<const void*, std::string>> fresh;  // variables that may turn out to be managed
    std::vector<Managed> managed;
    bool complete = false;
  };
  struct Symbol {
    std::shared_ptr<Library> library;
    std::string name;
    uint64_t bytes = 0;
  };
  Program* program_of(void** handle);
  void** adopt(std::unique_ptr<Program> program);
  bool add_images(Program& program, const void* wrapper);
  void find_managed(Program& program);
  void write_first_contents(const Program& program, const Managed& managed);
  Status open(Program& program, Managed& managed);

  Process& process_;
  std::shared_mutex mutex_;
  std::map<void**, std::unique_ptr<Program>> programs_;
  std::vector<AddressRange> managed_ranges_;
  std::unordered_map<const void*, std::shared_ptr<LibraryKernel>> kernels_;
  std::unordered_map<const void*, Symbol> variables_;
  std::unordered_map<const void*, Reference> references_;
};

}  // namespace heddle::cuda
