// Giving bodies to the built-in functions that a program calls: what each rule of spec/opencl/builtins does.
#pragma once

#include <string>
#include <string_view>

#include "frontend/opencl/mangled.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend::opencl {

// One declaration that is about to get its body; `ir` stands in its entry block.
struct Body {
  llvm::Module& module;
  llvm::Function& function;
  const Mangled& mangled;
  llvm::IRBuilder<>& ir;
  bool is_1x = false;

  std::string_view name() const { return mangled.name; }
  const Type& parameter(std::size_t i) const { return mangled.parameters[i]; }
  std::size_t count() const { return mangled.parameters.size(); }
  llvm::Value* argument(std::size_t i) const { return function.getArg(static_cast<unsigned>(i)); }
  llvm::Type* result() const { return function.getReturnType(); }
  llvm::Type* type_of(Element) const;
  llvm::Type* type_of(Element, unsigned width) const;
  // Of that name, declared when it is not there.
  llvm::FunctionCallee callee(const std::string& name, llvm::Type* result,
                              llvm::ArrayRef<llvm::Type*> parameters);
  llvm::Value* element(llvm::Value* vector, unsigned i) const;  // of a scalar: itself
  // One PTX instruction: "cvt.rz.f32.s32 $0, $1;", "=f,r".
  llvm::Value* assembly(const std::string& text, const std::string& constraints, llvm::Type* result,
                        llvm::ArrayRef<llvm::Value*> operands, bool effect = false) const;
};

unsigned width_of(llvm::Type*);

// Each defines the function, or says false: no such overload.
bool define_elementwise(Body&, bool relational);
bool define_any_all(Body&, bool all);
bool define_select(Body&);
bool define_shuffle(Body&);
bool define_convert(Body&);
bool define_vload(Body&);
bool define_vstore(Body&);
bool define_vload_half(Body&);
bool define_vstore_half(Body&);
bool define_atomic(Body&);
bool define_async_copy(Body&);
bool define_nothing(Body&);
bool define_to_space(Body&);
bool define_read_image(Body&);
bool define_write_image(Body&);
bool define_query_image(Body&);

// The value of another format: `mode` is 'e' to nearest even, 'z', 'p', 'n', or 0 where C's conversion is
// meant.
llvm::Value* convert_element(Body&, llvm::Value* value, Element from, Element to, bool saturate, char mode);

}  // namespace heddle::frontend::opencl
