// Modules: programs loaded in one context.
#include "api/cuda/functions.gen.h"
#include "api/cuda/jit_limit.h"
#include "api/cuda/objects.h"
#include "api/cuda_state/program.h"

namespace heddle::cu {
namespace {

Status load(CUmodule* out, const Answer<cuda::ProgramImage>& program, const char* name,
            cuda::JitOptions options) {
  auto context = working_context();
  if (!context) return context.error();
  if (!program) {
    options.write_logs("", program.error().message);
    options.write_wall_time(0);
    return program.error();
  }
  cuda::ProgramCode code;
  program->add_to(code, name);
  auto image = cuda::link(*context, code, options);
  if (!image) return image.error();
  auto module = cuda::Module::load(*context, *image);
  if (!module) return module.error();
  *out = as_handle<CUmodule>((*module)->handle());
  return Unit{};
}

}  // namespace

Status cuModuleLoad(CUmodule* module, const char* fname) {
  return load(module, cuda::read_image_file(fname), fname, {});
}

Status cuModuleLoadData(CUmodule* module, const void* image) {
  if (image == nullptr) return missing("image");
  return load(module, cuda::read_image(image), "module.ptx", {});
}

Status cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions, CUjit_option* options,
                          void** optionValues) {
  if (image == nullptr) return missing("image");
  cuda::JitOptions jit;
  if (Status good = jit.read(numOptions, options, optionValues); !good) return good;
  auto program = cuda::read_image(image);
  if (program) limit_registers(*program, register_limit(numOptions, options, optionValues));
  return load(module, program, "module.ptx", jit);
}

Status cuModuleUnload(CUmodule hmod) {
  auto module = find_module(hmod);
  if (!module) return module.error();
  return (*module)->unload();
}

Status cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  *mode = CU_MODULE_LAZY_LOADING;  // kernels are compiled when they are first launched
  return Unit{};
}

Status cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  auto module = find_module(hmod);
  if (!module) return module.error();
  if (*name == '\0') return invalid_value("the name is empty");
  auto function = (*module)->function(name);
  if (!function) return function.error();
  *hfunc = as_handle<CUfunction>((*function)->handle());
  return Unit{};
}

Status cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  auto module = find_module(mod);
  if (!module) return module.error();
  *count = static_cast<unsigned int>((*module)->functions().size());
  return Unit{};
}

Status cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions, CUmodule mod) {
  auto module = find_module(mod);
  if (!module) return module.error();
  if (functions == nullptr && numFunctions != 0) return missing("functions");
  unsigned int i = 0;
  for (const cuda::FunctionRef& function : (*module)->functions())
    if (i < numFunctions) functions[i++] = as_handle<CUfunction>(function->handle());
  return Unit{};
}

Status cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  auto module = find_module(hmod);
  if (!module) return module.error();
  if (dptr == nullptr && bytes == nullptr) return invalid_value("dptr and bytes are NULL");
  auto variable = (*module)->variable(name);
  if (!variable) return variable.error();
  if (dptr != nullptr) *dptr = variable->address;
  if (bytes != nullptr) *bytes = variable->bytes;
  return Unit{};
}

}  // namespace heddle::cu
