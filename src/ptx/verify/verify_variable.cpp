// Declarations: variables, parameters, signatures and what stands between them and a body (PTX
// ISA 5.1, 5.4, 11.2, 11.4).
#include <algorithm>
#include <bit>

#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

std::string_view name_of(StateSpace space) {
  switch (space) {
    case StateSpace::reg: return ".reg";
    case StateSpace::sreg: return ".sreg";
    case StateSpace::const_: return ".const";
    case StateSpace::global: return ".global";
    case StateSpace::local: return ".local";
    case StateSpace::param: return ".param";
    case StateSpace::shared: return ".shared";
    default: return ".tex";
  }
}

bool is_unsized(const Variable& v) { return std::find(v.dims.begin(), v.dims.end(), 0u) != v.dims.end(); }

constexpr uint64_t most_bytes = uint64_t{1} << 48;

// Bytes of a variable; most_bytes when that many or more. An unsized dimension counts as none.
uint64_t bytes_of(const Variable& v) {
  unsigned __int128 bytes =
      std::max<unsigned>(isa::info(v.type).bits / 8u, 1) * (v.vector == 3 ? 4u : v.vector);
  for (const uint64_t dim : v.dims) {
    bytes *= dim;
    if (bytes >= most_bytes) return most_bytes;
  }
  return static_cast<uint64_t>(bytes);
}

uint64_t alignment_of(const Variable& v) {
  if (v.align != 0) return v.align;
  return std::max<uint64_t>(1, isa::info(v.type).bits / 8u * v.vector);
}

std::string of_bytes(uint64_t bytes) {
  return bytes >= most_bytes ? "more than 2^48 bytes" : std::to_string(bytes) + " bytes";
}

// The fundamental types (5.2.1) and the packed .f16x2; the others are formats that instructions read.
bool has_registers(isa::Type type) {
  const isa::TypeInfo& info = isa::info(type);
  switch (info.kind) {
    case isa::TypeKind::floating:
      return type == isa::Type::f16 || type == isa::Type::f16x2 || type == isa::Type::f32 ||
             type == isa::Type::f64;
    case isa::TypeKind::none: return false;
    case isa::TypeKind::predicate:
    case isa::TypeKind::opaque: return true;
    default: return info.elements == 1 && info.bits >= 8;
  }
}

}  // namespace

// 5.3: module scope in .global, or a parameter of a kernel.
void Verifier::check_opaque(const Variable& v, bool in_function) {
  const std::string what = quoted(v.name) + " is ." + std::string(isa::info(v.type).name);
  if (in_function || (v.space != StateSpace::global && v.space != StateSpace::tex))
    complain(v.offset, text(v.name),
             what + "; those are .global variables outside functions, or parameters of kernels", "5.3");
  else if (v.type == isa::Type::samplerref && !independent_textures_)
    complain(v.offset, text(v.name), what + ", which is for texmode_independent only", "5.3");
}

void Verifier::check_variable(const Variable& v, bool in_function) {
  const std::string_view id = text(v.name);
  const isa::TypeInfo& type = isa::info(v.type);
  if (v.align != 0 && !std::has_single_bit(v.align))
    complain(v.offset, id,
             "alignment " + std::to_string(v.align) + " of '" + std::string(id) + "' is no power of two",
             "5.4.5");
  if (!has_registers(v.type))
    complain(v.offset, id,
             "'" + std::string(id) + "' is ." + std::string(type.name) +
                 ", which is a format of instructions, not a type of variables; ." + "b" +
                 std::to_string(type.bits) + " holds it",
             "5.2.1");
  if (type.kind == isa::TypeKind::opaque) check_opaque(v, in_function);
  if (!in_function && (v.space == StateSpace::param))
    complain(v.offset, id, "parameter '" + std::string(id) + "' stands outside functions", "5.1.6");
  if (v.vector > 1 && type.kind == isa::TypeKind::predicate)
    complain(v.offset, id, "'" + std::string(id) + "' is a vector of .pred; predicates are scalars", "5.4.2");
  if (v.managed && v.space != StateSpace::global)
    complain(v.offset, id,
             "'" + std::string(id) + "' is .managed in " + std::string(name_of(v.space)) +
                 "; only .global variables may be",
             "5.4.8");
  if (v.space == StateSpace::reg) {
    if (!v.dims.empty())
      complain(v.offset, id, "register '" + std::string(id) + "' cannot be an array", "5.1.1");
    if (!v.init.empty())
      complain(v.offset, id, "register '" + std::string(id) + "' cannot have an initialiser", "5.4.4");
  } else if (type.kind == isa::TypeKind::predicate) {
    complain(v.offset, id,
             "'" + std::string(id) + "' is .pred in " + std::string(name_of(v.space)) +
                 "; predicates are registers only",
             "5.2.1");
  }
  if (v.vector > 1 && type.bits * v.vector > 128 && v.vector != 8)
    complain(v.offset, id,
             "a vector of " + std::to_string(v.vector) + " elements of ." + std::string(type.name) + " is " +
                 std::to_string(type.bits * v.vector) + " bits, the limit is 128",
             "5.4.2");
  if (!v.init.empty() && v.space != StateSpace::const_ && v.space != StateSpace::global &&
      v.space != StateSpace::reg)
    complain(v.offset, id,
             "'" + std::string(id) + "' in " + std::string(name_of(v.space)) +
                 " cannot have an initialiser; only .const and .global variables have one",
             "5.4.4");
  if (is_unsized(v) && v.init.empty() && v.linkage != Linkage::extern_ && v.space != StateSpace::param)
    complain(v.offset, id,
             "array '" + std::string(id) +
                 "' has no size; only an .extern array or one with an initialiser may leave it out",
             "5.4.3");
  if (v.linkage == Linkage::extern_ && !v.init.empty())
    complain(v.offset, id, "'" + std::string(id) + "' is .extern and has an initialiser", "11.6.1");
  if (v.linkage == Linkage::common && v.space != StateSpace::global)
    complain(v.offset, id,
             "'" + std::string(id) + "' is .common in " + std::string(name_of(v.space)) +
                 "; only .global variables may be",
             "11.6.4");
  if (in_function && v.linkage != Linkage::none && v.space != StateSpace::shared &&
      v.linkage != Linkage::extern_)
    complain(v.offset, id, "'" + std::string(id) + "' has a linking directive inside a function", "11.6");
  if (bytes_of(v) >= most_bytes)
    complain(v.offset, id, "'" + std::string(id) + "' takes " + of_bytes(bytes_of(v)), "5.4.3");
  check_initializer(v);
}

// No more values than elements. Braces need not be written for every dimension.
void Verifier::check_initializer(const Variable& v) {
  if (v.init.empty()) return;
  const bool braces = v.init.front().kind == Initializer::Kind::open;
  if (braces ? v.dims.empty() && v.vector == 1 : !v.dims.empty())
    complain(v.offset, text(v.name),
             quoted(v.name) + (braces ? " is no array, its initial value has no braces"
                                      : " is an array, its initial values stand in braces"),
             "5.4.4");
  if (is_unsized(v)) return;
  uint64_t elements = v.vector;
  for (const uint64_t dim : v.dims)
    elements = elements > most_bytes / std::max<uint64_t>(dim, 1) ? most_bytes : elements * dim;
  uint64_t values = 0;
  for (const Initializer& item : v.init) {
    if (item.kind != Initializer::Kind::open && item.kind != Initializer::Kind::close) ++values;
    const bool number = item.kind == Initializer::Kind::float32 || item.kind == Initializer::Kind::float64;
    const isa::TypeKind kind = isa::info(v.type).kind;
    const bool mixed = number ? kind == isa::TypeKind::unsigned_ || kind == isa::TypeKind::signed_
                              : item.kind == Initializer::Kind::integer && kind == isa::TypeKind::floating &&
                                    isa::info(v.type).bits >= 32 && isa::info(v.type).elements == 1;
    if (mixed)
      complain(item.offset, "",
               quoted(v.name) + " is ." + std::string(isa::info(v.type).name) + ", not of " +
                   (number ? "floating-point" : "integer") + " values",
               "5.4.4");
    if (item.kind != Initializer::Kind::symbol && item.kind != Initializer::Kind::generic_symbol) continue;
    if (item.mask == 0 &&
        (isa::info(v.type).bits < module_.address_bits || isa::info(v.type).kind == isa::TypeKind::floating))
      complain(item.offset, text(item.symbol),
               "the address of " + quoted(item.symbol) + " has " + std::to_string(module_.address_bits) +
                   " bits, " + quoted(v.name) + " is ." + std::string(isa::info(v.type).name),
               "5.4.4");
    const Meaning& meaning = names_.find(item.symbol);
    if (meaning.kind == Meaning::Kind::variable && meaning.variable->space != StateSpace::global &&
        meaning.variable->space != StateSpace::const_)
      complain(item.offset, text(item.symbol),
               "the initialiser of " + quoted(v.name) + " names " + quoted(item.symbol) + " in " +
                   std::string(name_of(meaning.variable->space)) +
                   ", which has no address before a kernel runs",
               "5.4.4");
    if (meaning.kind != Meaning::Kind::variable && meaning.kind != Meaning::Kind::function)
      complain(
          item.offset, text(item.symbol),
          "the initialiser of " + quoted(v.name) + " names " + quoted(item.symbol) + ", which is " +
              (meaning.kind == Meaning::Kind::unknown ? "not declared" : std::string(name(meaning.kind))),
          "5.4.4");
  }
  if (values > elements)
    complain(v.offset, text(v.name),
             quoted(v.name) + " has " + std::to_string(elements) + " elements and " + std::to_string(values) +
                 " initial values",
             "5.4.4");
}

void Verifier::check_parameter(const Variable& p, bool entry) {
  if (entry && p.space != StateSpace::param)
    complain(p.offset, text(p.name),
             "parameter " + quoted(p.name) + " of a kernel is in " + std::string(name_of(p.space)) +
                 "; kernels take .param only",
             "7.1");
  if (isa::info(p.type).kind == isa::TypeKind::opaque && !entry)
    complain(p.offset, text(p.name),
             "parameter " + quoted(p.name) + " is ." + std::string(isa::info(p.type).name) +
                 "; those are parameters of kernels only",
             "5.3");
  if (p.type == isa::Type::samplerref && !independent_textures_)
    complain(p.offset, text(p.name),
             "parameter " + quoted(p.name) + " is .samplerref, which is for texmode_independent only", "5.3");
  if (!has_registers(p.type))
    complain(p.offset, text(p.name),
             "parameter " + quoted(p.name) + " is ." + std::string(isa::info(p.type).name) +
                 ", which is a format of instructions, not a type of variables",
             "5.2.1");
  if (p.align != 0 && !std::has_single_bit(p.align))
    complain(p.offset, text(p.name),
             "alignment " + std::to_string(p.align) + " of " + quoted(p.name) + " is no power of two",
             "5.4.5");
  if (p.pointer && p.pointee_align != 0 && !std::has_single_bit(p.pointee_align))
    complain(p.offset, text(p.name),
             "alignment " + std::to_string(p.pointee_align) + " of what " + quoted(p.name) +
                 " points to is no power of two",
             "11.4.2");
}

void Verifier::check_signature(const Function& f) {
  if (f.has_body && f.linkage == Linkage::extern_)
    complain(f.offset, text(f.name), quoted(f.name) + " is .extern and has a body", "11.6.1");
  for (const Variable& p : f.signature.params) check_parameter(p, f.entry);
  for (const Variable& p : f.signature.results) check_parameter(p, false);
  if (f.entry) {
    uint64_t bytes = 0;
    for (const Variable& p : f.signature.params) {
      const uint64_t align = std::max<uint64_t>(alignment_of(p), 1);
      bytes = std::min(most_bytes, (bytes + align - 1) / align * align + bytes_of(p));
    }
    static constexpr isa::Needs large_parameters = [] {
      isa::Needs needs;
      needs.ptx = {8, 1};
      needs.target.sm = 70;
      return needs;
    }();
    const bool large =
        isa::meets(module_.version, large_parameters) && isa::meets(*module_.target, large_parameters);
    const uint64_t most = large ? 32764 : 4352;
    if (bytes > most)
      complain(f.offset, text(f.name),
               "the parameters of kernel " + quoted(f.name) + " take " + of_bytes(bytes) + ", the limit is " +
                   std::to_string(most) + (large ? "" : " before PTX 8.1 and sm_70"),
               "5.1.6.1");
  }
  // A declaration and the definition agree.
  const Meaning& first = names_.find(f.name);
  if (first.kind != Meaning::Kind::function || first.function == &f) return;
  const auto differ = [](const std::vector<Variable>& a, const std::vector<Variable>& b) {
    if (a.size() != b.size()) return true;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (isa::info(a[i].type).bits != isa::info(b[i].type).bits || a[i].dims != b[i].dims ||
          a[i].vector != b[i].vector)
        return true;
    return false;
  };
  const Prototype &a = first.function->signature, &b = f.signature;
  if (first.function->entry != f.entry || differ(a.params, b.params) || differ(a.results, b.results)) {
    Diagnostic& d = complain(f.offset, text(f.name),
                             quoted(f.name) + " does not agree with its earlier declaration", "11.2");
    note_declaration(d, first, text(f.name));
  }
}

void Verifier::check_directives(const Function& f) {
  for (const PerformanceDirective& directive : f.directives) {
    const isa::DirectiveInfo& info = isa::info(directive.directive);
    const std::string what = "'." + std::string(info.name) + "'";
    if ((info.places & (f.entry ? isa::place_entry : isa::place_func)) == 0)
      complain(f.offset, text(f.name),
               what + " may not stand on " + (f.entry ? "kernel " : "function ") + quoted(f.name), "11.4");
    if (directive.values.size() < info.min_values || directive.values.size() > info.max_values)
      complain(f.offset, text(f.name),
               what + " of " + quoted(f.name) + " takes " + std::to_string(info.min_values) + " to " +
                   std::to_string(info.max_values) + " numbers, it has " +
                   std::to_string(directive.values.size()),
               "11.4");
    check_need(info.needs, f.offset, what, "11.4");
    if (std::ranges::find(directive.values, 0u) != directive.values.end() &&
        directive.directive != isa::Directive::reqnctapercluster)
      complain(f.offset, text(f.name), what + " of " + quoted(f.name) + " is 0", "11.4");
  }
  const auto has = [&](isa::Directive wanted) {
    return std::ranges::any_of(f.directives,
                               [&](const PerformanceDirective& d) { return d.directive == wanted; });
  };
  using enum isa::Directive;
  for (const auto& [a, b] : {std::pair{maxntid, reqntid}, std::pair{reqnctapercluster, maxclusterrank}})
    if (has(a) && has(b))
      complain(f.offset, text(f.name),
               quoted(f.name) + " has '." + std::string(isa::info(a).name) + "' and '." +
                   std::string(isa::info(b).name) + "'; one excludes the other",
               "11.4");
  if (has(blocksareclusters) && !(has(reqntid) && has(reqnctapercluster)))
    complain(f.offset, text(f.name),
             quoted(f.name) + " has '.blocksareclusters' without '.reqntid' and '.reqnctapercluster'",
             "11.7");
  if (f.signature.noreturn && !f.signature.results.empty())
    complain(f.offset, text(f.name), quoted(f.name) + " is .noreturn and has a result", "11.4.6");
}

}  // namespace heddle::ptx
