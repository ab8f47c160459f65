#include "module/layout.h"

#include <algorithm>

namespace heddle::module {

uint32_t element_bytes(isa::Type type) { return (isa::info(type).bits + 7u) / 8u; }

uint32_t align_of(const ptx::Variable& variable) {
  if (variable.align != 0) return variable.align;
  return std::max(1u, element_bytes(variable.type) * variable.vector);
}

std::optional<uint64_t> size_of(const ptx::Variable& variable) {
  uint64_t size = uint64_t{element_bytes(variable.type)} * variable.vector;
  bool empty = false;
  for (uint64_t dim : variable.dims) {
    empty |= dim == 0;
    if (__builtin_mul_overflow(size, std::max<uint64_t>(dim, 1), &size) || size > max_variable_bytes)
      return std::nullopt;
  }
  return empty ? 0 : size;
}

uint64_t Frame::add(uint64_t size, uint32_t align) {
  align_ = std::max(align_, align);
  const uint64_t place = align_up(next_, align);
  next_ = place + size;
  end_ = std::max(end_, next_);
  return place;
}

namespace {

Space space_of(ptx::StateSpace space) {
  switch (space) {
    case ptx::StateSpace::global: return Space::global;
    case ptx::StateSpace::const_: return Space::const_;
    case ptx::StateSpace::shared: return Space::shared;
    case ptx::StateSpace::local: return Space::local;
    case ptx::StateSpace::param: return Space::param;
    default: return Space::generic;
  }
}

Parameter make_parameter(const ptx::Module& module, const ptx::Variable& variable) {
  Parameter parameter;
  parameter.name = module.text(variable.name);
  parameter.type = variable.type;
  parameter.in_register = variable.space == ptx::StateSpace::reg;
  parameter.size = size_of(variable).value_or(max_variable_bytes);
  parameter.align = align_of(variable);
  parameter.pointer = variable.pointer;
  parameter.pointee = space_of(variable.pointee);
  parameter.pointee_align = variable.pointee_align;
  return parameter;
}

void place(std::vector<Parameter>& parameters, Frame& frame) {
  for (Parameter& parameter : parameters)
    if (!parameter.in_register)
      parameter.offset = static_cast<uint32_t>(frame.add(parameter.size, parameter.align));
}

bool same_shape(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Parameter& x, const Parameter& y) {
    return x.size == y.size && x.in_register == y.in_register;
  });
}

}  // namespace

Signature make_signature(const ptx::Module& module, const ptx::Prototype& prototype, bool entry,
                         Frame& frame) {
  Signature signature;
  signature.noreturn = prototype.noreturn;
  signature.variadic = prototype.variadic;
  for (const ptx::Variable& v : prototype.params) signature.params.push_back(make_parameter(module, v));
  for (const ptx::Variable& v : prototype.results) signature.results.push_back(make_parameter(module, v));
  Frame buffer;  // of an entry
  Frame& params = entry ? buffer : frame;
  place(signature.params, params);
  signature.param_bytes = params.bytes();
  if (signature.results.empty()) return signature;
  uint32_t align = 1;
  for (const Parameter& result : signature.results)
    if (!result.in_register) align = std::max(align, result.align);
  signature.result_offset = frame.add(0, align);
  place(signature.results, frame);
  signature.result_bytes = frame.bytes() - signature.result_offset;
  return signature;
}

bool same_shape(const Signature& a, const Signature& b) {
  return a.variadic == b.variadic && same_shape(a.params, b.params) && same_shape(a.results, b.results);
}

Limits make_limits(const ptx::Function& function) {
  Limits limits;
  limits.no_return = function.signature.noreturn;
  for (const ptx::PerformanceDirective& given : function.directives) {
    const auto number = [&](std::size_t i) {
      return i < given.values.size() ? static_cast<uint32_t>(std::min<uint64_t>(given.values[i], 0xffffffff))
                                     : 1;
    };
    const auto extent = [&](uint32_t(&to)[3]) {
      for (std::size_t i = 0; i < 3; ++i) to[i] = number(i);
    };
    using isa::Directive;
    switch (given.directive) {
      case Directive::maxntid: extent(limits.max_threads); break;
      case Directive::reqntid: extent(limits.required_threads); break;
      case Directive::minnctapersm:
      case Directive::maxnctapersm: limits.min_blocks = number(0); break;
      case Directive::maxnreg: limits.max_registers = number(0); break;
      case Directive::reqnctapercluster: extent(limits.required_cluster); break;
      case Directive::explicitcluster: limits.explicit_cluster = true; break;
      case Directive::maxclusterrank: limits.max_cluster_rank = number(0); break;
      case Directive::blocksareclusters: limits.blocks_are_clusters = true; break;
      case Directive::noreturn: limits.no_return = true; break;
      default: break;
    }
  }
  return limits;
}

}  // namespace heddle::module
