// What a program that uses NVTX and a tool say to each other: the program's code (headers, or libnvToolsExt)
// asks the tool's InitializeInjectionNvtx2 to fill tables of functions, which its calls then go to. The
// numbers and layouts are those of NVTX's public headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::ranges {

// Tables by number.
enum class Module : uint32_t { core = 1, cuda = 2, opencl = 3, cudart = 4, core2 = 5, sync = 6 };
// What can be asked of the program's side.
enum class ExportTable : uint32_t { callbacks = 1, version = 3 };

using Function = void (*)();
// Where the program keeps its pointers to functions: a pointer to each, by the function's number.
using FunctionTable = Function**;

struct ExportedCallbacks {
  std::size_t bytes;
  int (*table)(uint32_t module, FunctionTable* table, unsigned* size);  // 0: there is none
};

using GetExportTable = const void* (*)(uint32_t table);

// Takes over a program's, or library's, NVTX. Each linked object that uses NVTX comes by itself. 0 when it
// offers no functions.
int inject(GetExportTable get);

}  // namespace heddle::ranges
