#include "exec/jit/texture/form.h"

#include <optional>
#include <span>

namespace heddle::exec::jit::texture {

namespace {

using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

class Reader {
 public:
  Reader(const module::Image& image, const module::Function& function, const module::Instruction& instruction)
      : image_(image),
        function_(function),
        instruction_(instruction),
        words_(image.mnemonics[instruction.mnemonic].values) {}

  std::optional<FetchForm> fetch() {
    FetchForm form;
    int operands = 3;  // result, whether it is resident, [texture, sampler, coordinates]
    switch (instruction_.form) {
      case isa::Form::tex: break;
      case isa::Form::tex_level:
        form.by_level = true;
        operands = 4;
        break;
      case isa::Form::tex_grad:
        form.by_level = true;
        operands = 5;
        break;
      default: return std::nullopt;
    }
    // An offset in texels, a value to compare with.
    for (int i = operands; i < instruction_.operand_count; ++i)
      if (operand(i).kind != OperandKind::absent) return std::nullopt;
    if (operand(1).kind != OperandKind::absent && operand(1).kind != OperandKind::sink) return std::nullopt;
    if (!geometry(form) || !results(form, operand(0)) || !place(form, operand(2))) return std::nullopt;
    return form;
  }

  std::optional<SurfaceForm> surface() {
    SurfaceForm form;
    switch (instruction_.form) {
      case isa::Form::suld_b: break;
      case isa::Form::sust_b: form.store = true; break;
      case isa::Form::sust_p: form.store = form.formatted = true; break;
      default: return std::nullopt;
    }
    switch (words_[Slot::outside]) {
      case Word::zero: form.outside = Outside::zero; break;
      case Word::clamp: form.outside = Outside::clamp; break;
      default: break;  // instructions without the word trap too
    }
    form.element_bits = isa::info(words_.type(Slot::type)).bits;
    const auto values = elements(operand(form.store ? 1 : 0));
    if (values.size() > 4) return std::nullopt;
    form.elements = static_cast<int>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!form.store && values[i].kind == OperandKind::sink) continue;
      const auto value = source(values[i]);
      if (!value || (!form.store && value->slot == module::none)) return std::nullopt;
      if (form.store)
        form.value[i] = *value;
      else
        form.result[i] = value->slot;
    }
    if (!surface_place(form, operand(form.store ? 0 : 1))) return std::nullopt;
    return form;
  }

  std::optional<QueryForm> query() {
    QueryForm form;
    int sources = 1;
    switch (instruction_.form) {
      case isa::Form::txq:
      case isa::Form::txq_sampler:
      case isa::Form::suq: break;
      case isa::Form::txq_level: sources = 2; break;
      default: return std::nullopt;
    }
    if (operand(0).kind != OperandKind::reg) return std::nullopt;
    form.result = operand(0).reg;
    for (int i = 0; i < sources; ++i) form.asked[static_cast<std::size_t>(i)] = operand(1 + i).reg;
    return form;
  }

 private:
  bool surface_place(SurfaceForm& form, const Operand& bracket) const {
    const auto parts = children(bracket);
    const auto shape = geometry();
    if (parts.size() != 2 || !shape || shape->cube) return false;
    const auto surface = reference(parts.front());
    if (!surface) return false;
    form.surface = *surface;
    const auto given = elements(parts.back());
    if (given.size() < shape->coordinates + (shape->array ? 1 : 0)) return false;
    std::size_t next = 0;
    const auto take = [&](std::size_t axis) {
      const auto value = source(given[next++]);
      if (value) form.coordinate[axis] = *value;
      return value.has_value();
    };
    if (shape->array) {
      form.unsigned_slice = isa::info(given[0].declared).kind != isa::TypeKind::signed_;
      if (!take(2)) return false;
    }
    for (std::size_t i = 0; i < shape->coordinates; ++i)
      if (!take(i)) return false;
    return true;
  }

  const Operand& operand(int i) const {
    return function_.operands[instruction_.first_operand + static_cast<uint32_t>(i)];
  }
  std::span<const Operand> elements(const Operand& o) const {
    if (o.kind == OperandKind::vector) return children(o);
    return {&o, 1};
  }
  std::span<const Operand> children(const Operand& o) const {
    return {function_.operands.data() + o.first_child, o.child_count};
  }

  struct Geometry {
    unsigned coordinates;
    bool array, cube;
  };
  std::optional<Geometry> geometry() const {
    switch (words_[Slot::geom]) {
      case Word::_1d: return Geometry{1, false, false};
      case Word::_2d: return Geometry{2, false, false};
      case Word::_3d: return Geometry{3, false, false};
      case Word::a1d: return Geometry{1, true, false};
      case Word::a2d: return Geometry{2, true, false};
      case Word::cube: return Geometry{3, false, true};
      case Word::acube: return Geometry{3, true, true};
      default: return std::nullopt;
    }
  }
  bool geometry(FetchForm& form) const {
    form.whole = words_.type(Slot::ctype) == isa::Type::s32;
    const auto found = geometry();
    if (!found) return false;
    form.coordinates = found->coordinates;
    form.array = found->array;
    form.cube = found->cube;
    return true;
  }

  bool results(FetchForm& form, const Operand& o) const {
    switch (words_.type(Slot::dtype)) {
      case isa::Type::u32:
      case isa::Type::s32:
      case isa::Type::f32: break;
      default: return false;
    }
    const auto parts = elements(o);
    if (parts.size() != 4) return false;
    for (std::size_t i = 0; i < 4; ++i) {
      if (parts[i].kind == OperandKind::sink) continue;
      if (parts[i].kind != OperandKind::reg || isa::info(parts[i].declared).bits != 32) return false;
      form.result[i] = parts[i].reg;
    }
    return true;
  }

  bool place(FetchForm& form, const Operand& bracket) const {
    const auto parts = children(bracket);
    if (parts.size() < 2) return false;
    const auto texture = reference(parts.front());
    if (!texture) return false;
    form.texture = *texture;
    if (parts.size() > 2 && parts[1].kind != OperandKind::absent) {
      const auto sampler = reference(parts[1]);
      if (!sampler) return false;
      form.sampler = *sampler;
      form.has_sampler = true;
    }
    const auto given = elements(parts.back());
    std::size_t next = 0;
    if (given.size() < form.coordinates + (form.array ? 1 : 0)) return false;
    if (form.array) {
      const auto layer = source(given[next]);
      if (!layer) return false;
      form.layer = *layer;
      form.signed_layer = isa::info(given[next++].declared).kind == isa::TypeKind::signed_;
    }
    for (unsigned i = 0; i < form.coordinates; ++i) {
      const auto coordinate = source(given[next++]);
      if (!coordinate) return false;
      form.coordinate[i] = *coordinate;
    }
    return true;
  }

  static std::optional<Source> source(const Operand& o) {
    if (o.kind == OperandKind::reg) return Source{.slot = o.reg};
    if (o.kind == OperandKind::immediate) return Source{.value = o.value};
    return std::nullopt;
  }

  std::optional<Reference> reference(const Operand& o) const {
    if (o.index == module::none) return Reference{.slot = o.reg, .offset = o.value};
    const module::Symbol& symbol = image_.symbols[o.index];
    if (symbol.kind == module::SymbolKind::memory || symbol.space == module::Space::param ||
        symbol.space == module::Space::local || o.reg != module::none)
      return std::nullopt;
    return Reference{.symbol = o.index, .offset = o.value};
  }

  const module::Image& image_;
  const module::Function& function_;
  const module::Instruction& instruction_;
  const isa::SlotValues& words_;
};

// How often a function names a register: one that stands nowhere but in one result is never read.
class Uses {
 public:
  explicit Uses(const module::Function& function) : count_(function.register_slots) {
    for (const Operand& o : function.operands) add(o.reg);
    for (const auto* parameters : {&function.signature.params, &function.signature.results})
      for (const module::Parameter& p : *parameters)
        if (p.in_register) {
          add(p.reg);
          add(p.reg);
        }
  }
  bool again(uint32_t slot) const { return count_[slot] > 1; }

 private:
  void add(uint32_t slot) {
    if (slot < count_.size() && count_[slot] < 2) ++count_[slot];
  }
  std::vector<uint8_t> count_;
};

}  // namespace

Forms forms_of(const module::Image& image, std::span<const Site> sites) {
  Forms forms;
  std::vector<std::optional<Uses>> uses(image.functions.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = sites[i];
    if (site.function == module::none || site.instruction == module::none) continue;
    const module::Function& function = image.functions[site.function];
    Reader reader(image, function, function.code[site.instruction]);
    Forms::Entry entry;
    const auto keep = [&](Forms::Kind kind, auto& all, const auto& form) {
      entry = {kind, static_cast<uint32_t>(all.size())};
      all.push_back(form);
    };
    const auto only_read = [&](auto& slots) {
      if (!uses[site.function]) uses[site.function].emplace(function);
      for (uint32_t& slot : slots)
        if (slot != module::none && !uses[site.function]->again(slot)) slot = module::none;
    };
    if (auto fetch = reader.fetch()) {
      only_read(fetch->result);
      keep(Forms::Kind::fetch, forms.fetches, *fetch);
    } else if (auto surface = reader.surface()) {
      only_read(surface->result);
      keep(Forms::Kind::surface, forms.surfaces, *surface);
    } else if (auto query = reader.query()) {
      keep(Forms::Kind::query, forms.queries, *query);
    } else {
      continue;
    }
    forms.of_site.resize(i + 1);
    forms.of_site[i] = entry;
  }
  return forms;
}

}  // namespace heddle::exec::jit::texture
