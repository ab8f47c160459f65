// Whether two modules say the same. Numbers of names and mnemonics are a module's own, so they are compared
// by text, each pair of numbers once.
#include <algorithm>

#include "ptx/ast.h"

namespace heddle::ptx {

namespace {

class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b), names_(a.names->size(), unknown) {}

  bool modules() {
    const auto target = [](const Module& m) {
      return m.target != nullptr ? m.target->name : std::string_view();
    };
    return a_.version == b_.version && target(a_) == target(b_) && a_.target_options == b_.target_options &&
           a_.address_bits == b_.address_bits && a_.has_address_size == b_.has_address_size &&
           lists(a_.variables, b_.variables) && lists(a_.functions, b_.functions) &&
           lists(a_.files, b_.files) && lists(a_.sections, b_.sections) && lists(a_.aliases, b_.aliases) &&
           lists(a_.order, b_.order);
  }

 private:
  static constexpr NameId unknown = 0xffffffff;

  bool same_name(NameId x, NameId y) {
    if (names_[x] == unknown && a_.text(x) == b_.text(y)) names_[x] = y;
    return names_[x] == y;
  }

  template <class T>
  bool lists(const std::vector<T>& x, const std::vector<T>& y) {
    return std::ranges::equal(x, y, [this](const T& p, const T& q) { return same(p, q); });
  }

  bool same(const Operand& x, const Operand& y) {
    return x.kind == y.kind && x.negated == y.negated && x.minus == y.minus && x.piped == y.piped &&
           x.is_unsigned == y.is_unsigned && x.subscript == y.subscript && x.child_count == y.child_count &&
           x.component == y.component && x.value == y.value && same_name(x.name, y.name);
  }

  bool same(const Initializer& x, const Initializer& y) {
    return x.kind == y.kind && x.is_unsigned == y.is_unsigned && x.value == y.value && x.mask == y.mask &&
           same_name(x.symbol, y.symbol);
  }

  bool same(const Variable& x, const Variable& y) {
    return x.linkage == y.linkage && x.space == y.space && x.type == y.type && x.vector == y.vector &&
           x.bank == y.bank && x.align == y.align && same_name(x.name, y.name) && x.range == y.range &&
           x.dims == y.dims && lists(x.init, y.init) && x.managed == y.managed && x.unified == y.unified &&
           x.pointer == y.pointer && x.pointee == y.pointee && x.pointee_align == y.pointee_align &&
           x.fields == y.fields;
  }

  bool same(const Location& x, const Location& y) {
    return x.file == y.file && x.line == y.line && x.column == y.column &&
           same_name(x.function_name, y.function_name) && x.function_offset == y.function_offset &&
           x.inlined == y.inlined && x.at_file == y.at_file && x.at_line == y.at_line &&
           x.at_column == y.at_column;
  }

  bool same(const Prototype& x, const Prototype& y) {
    return lists(x.results, y.results) && lists(x.params, y.params) && x.noreturn == y.noreturn &&
           x.variadic == y.variadic && x.abi_preserve == y.abi_preserve &&
           x.abi_preserve_control == y.abi_preserve_control;
  }

  bool same(const Statement& x, const Statement& y) {
    if (x.kind != y.kind || x.guard_negated != y.guard_negated || x.candidate != y.candidate ||
        x.operand_count != y.operand_count || !same_name(x.name, y.name)) {
      return false;
    }
    if (x.kind == StatementKind::pragma) return a_.strings[x.index] == b_.strings[y.index];
    if (x.index != y.index) return false;
    return x.kind != StatementKind::instruction ||
           a_.mnemonics[x.mnemonic].text == b_.mnemonics[y.mnemonic].text;
  }

  bool same(const Function& x, const Function& y) {
    const auto pragma = [this](uint32_t p, uint32_t q) { return a_.strings[p] == b_.strings[q]; };
    return x.linkage == y.linkage && x.entry == y.entry && x.has_body == y.has_body &&
           same_name(x.name, y.name) && same(x.signature, y.signature) && x.directives == y.directives &&
           std::ranges::equal(x.pragmas, y.pragmas, pragma) && x.unified == y.unified &&
           lists(x.body, y.body) && lists(x.operands, y.operands) && lists(x.declarations, y.declarations) &&
           lists(x.locations, y.locations) && lists(x.prototypes, y.prototypes);
  }

  bool same(const FileEntry& x, const FileEntry& y) { return x == y; }
  bool same(const Alias& x, const Alias& y) {
    return same_name(x.name, y.name) && same_name(x.aliasee, y.aliasee);
  }

  bool same(const SectionValue& x, const SectionValue& y) {
    return x.number == y.number && same_name(x.symbol, y.symbol) && same_name(x.minus, y.minus);
  }
  bool same(const SectionItem& x, const SectionItem& y) {
    return x.kind == y.kind && same_name(x.label, y.label) && x.first == y.first && x.count == y.count;
  }
  bool same(const Section& x, const Section& y) {
    return x.name == y.name && x.attributes == y.attributes && x.old_style == y.old_style &&
           lists(x.items, y.items) && lists(x.values, y.values);
  }

  bool same(const TopLevel& x, const TopLevel& y) {
    if (x.kind != y.kind) return false;
    return x.kind == TopLevel::Kind::pragma ? a_.strings[x.index] == b_.strings[y.index] : x.index == y.index;
  }

  const Module& a_;
  const Module& b_;
  std::vector<NameId> names_;  // by number in a_: the number in b_
};

}  // namespace

bool equal(const Module& a, const Module& b) { return Comparison(a, b).modules(); }

}  // namespace heddle::ptx
