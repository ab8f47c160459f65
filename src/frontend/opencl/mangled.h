// The names of OpenCL C's overloads: what clang mangles (Itanium C++ ABI 5.1, with clang's names for address
// spaces and for OpenCL's own types), read back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::frontend::opencl {

enum class Element : uint8_t { other, none, boolean, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

bool is_float(Element);
bool is_signed(Element);  // integers alone
bool is_integer(Element);
unsigned bits_of(Element);
// "uint"; the code letter of the mangling is code_of().
std::string_view name_of(Element);
std::string_view code_of(Element);
std::optional<Element> element_named(std::string_view name);

struct Type {
  Element element = Element::other;
  unsigned width = 1;  // elements of a vector
  bool pointer = false;
  unsigned space = 0;           // of a pointer: 0 generic and private, 1 global, 3 local, 4 constant
  bool is_atomic = false;       // what the pointer points to is
  std::string_view other = {};  // the name, of Element::other: "ocl_image2d_ro", "memory_order"
};

struct Mangled {
  std::string_view name;
  std::vector<Type> parameters;
};

// Nothing for what is no overload of an OpenCL C function.
std::optional<Mangled> read_mangled(std::string_view symbol);
// Only for values and pointers of address space 0.
std::string mangle(std::string_view name, const std::vector<Type>& parameters);

}  // namespace heddle::frontend::opencl
