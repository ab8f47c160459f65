#include "exec/jit/matrix/form.h"

#include <string_view>

namespace heddle::exec::jit::matrix {

namespace {

using isa::Slot;
using isa::Word;
using module::Operand;
using module::OperandKind;

std::optional<Number> number_of(isa::Type type, bool in_bytes) {
  using isa::Type;
  switch (type) {
    case Type::f16: return Number::f16;
    case Type::bf16: return Number::bf16;
    case Type::tf32: return Number::tf32;
    case Type::f32: return Number::f32;
    case Type::f64: return Number::f64;
    case Type::e4m3: return Number::e4m3;
    case Type::e5m2: return Number::e5m2;
    case Type::e3m2: return Number::e3m2;
    case Type::e2m3: return Number::e2m3;
    case Type::e2m1: return in_bytes ? Number::e2m1_in_byte : Number::e2m1;
    case Type::s8: return Number::s8;
    case Type::u8: return Number::u8;
    case Type::s4: return Number::s4;
    case Type::u4: return Number::u4;
    case Type::b1: return Number::b1;
    case Type::s32: return Number::s32;
    default: return std::nullopt;
  }
}

class Reader {
 public:
  Reader(const module::Image& image, const module::Function& function, const module::Instruction& instruction)
      : function_(function), instruction_(instruction), words_(image.mnemonics[instruction.mnemonic].values) {
    form_.size = size_of(words_[Slot::shape]);
  }

  std::optional<Form> read() {
    switch (instruction_.form) {
      case isa::Form::mma_f16:
        if (form_.size.m == 8) form_.kind = Kind::quads;
        return product();
      case isa::Form::mma_bf16:
      case isa::Form::mma_tf32:
      case isa::Form::mma_f64:
      case isa::Form::mma_int8:
      case isa::Form::mma_int4:
      case isa::Form::mma_b1:
      case isa::Form::mma_f8:
      case isa::Form::mma_f8f6f4: return product();
      case isa::Form::mma_block_scale: form_.scaled = true; return product();
      case isa::Form::mma_sp_f16:
      case isa::Form::mma_sp_bf16:
      case isa::Form::mma_sp_tf32:
      case isa::Form::mma_sp_int8:
      case isa::Form::mma_sp_int4:
      case isa::Form::mma_sp_f8:
      case isa::Form::mma_sp_f8f6f4: form_.sparse = true; return product();
      case isa::Form::mma_sp_block_scale: form_.sparse = form_.scaled = true; return product();
      case isa::Form::wmma_mma_f16: return wmma_product(isa::Type::f16);
      case isa::Form::wmma_mma_bf16:
      case isa::Form::wmma_mma_tf32:
      case isa::Form::wmma_mma_f64:
      case isa::Form::wmma_mma_int:
      case isa::Form::wmma_mma_b1: return wmma_product(words_.type(Slot::atype));
      case isa::Form::wmma_load_a: return wmma_memory(Kind::load, Role::a, words_.type(Slot::atype));
      case isa::Form::wmma_load_b: return wmma_memory(Kind::load, Role::b, words_.type(Slot::btype));
      case isa::Form::wmma_load_c: return wmma_memory(Kind::load, Role::c, words_.type(Slot::ctype));
      case isa::Form::wmma_store: return wmma_memory(Kind::store, Role::c, words_.type(Slot::dtype));
      case isa::Form::ldmatrix: return rows(Kind::rows_in, operand(1), operand(0));
      case isa::Form::stmatrix: return rows(Kind::rows_out, operand(0), operand(1));
      case isa::Form::movmatrix:
        form_.kind = Kind::turn;
        form_.a_at = next_;
        if (!add(form_.in, operand(1)) || !begin(form_.d_at) || !add(form_.out, operand(0)))
          return std::nullopt;
        return form_;
      default: return std::nullopt;
    }
  }

 private:
  // ---- the frame
  bool begin(uint32_t& place) {
    place = next_;
    return true;
  }

  bool add(std::vector<Register>& to, const Operand& o, uint8_t bytes = 0) {
    const unsigned bits = isa::info(o.declared).bits;
    Register r{o.reg, bytes != 0 ? bytes : static_cast<uint8_t>(bits / 8), next_};
    if (o.kind == OperandKind::sink && &to == &form_.out) {
      r = {module::none, static_cast<uint8_t>(isa::info(o.type).bits / 8), next_};
    } else if (o.kind != OperandKind::reg || bits > 64 || (bytes == 0 && bits != 32 && bits != 64)) {
      return false;
    }
    to.push_back(r);
    next_ += r.frame_size();
    return next_ <= frame_bytes;
  }

  bool add_fragment(std::vector<Register>& to, const Operand& o, uint32_t& place) {
    place = next_;
    const auto parts = o.kind == OperandKind::vector ? children(o) : std::span<const Operand>{&o, 1};
    for (const Operand& part : parts)
      if (!add(to, part)) return false;
    return true;
  }

  const Operand& operand(int i) const {
    return function_.operands[instruction_.first_operand + static_cast<uint32_t>(i)];
  }
  std::span<const Operand> children(const Operand& o) const {
    return {function_.operands.data() + o.first_child, o.child_count};
  }
  bool present(int i) const {
    return i < instruction_.operand_count && operand(i).kind != OperandKind::absent;
  }

  // ---- products: d, a, b, c; of sparse ones metadata and selector; of scaled ones scales and their choices
  bool set_types(isa::Type a, isa::Type b) {
    const bool in_bytes =
        words_[Slot::kind] == Word::kind_f8f6f4 || words_[Slot::kind] == Word::kind_mxf8f6f4;
    const auto a_number = number_of(a, in_bytes), b_number = number_of(b, in_bytes),
               c_number = number_of(words_.type(Slot::ctype), false),
               d_number = number_of(words_.type(Slot::dtype), false);
    if (!a_number || !b_number || !c_number || !d_number) return false;
    form_.a = *a_number, form_.b = *b_number, form_.c = *c_number, form_.d = *d_number;
    form_.sums = sums_of(*a_number, in_bytes);
    form_.saturate = words_.has(Slot::satfinite);
    form_.exclusive = words_[Slot::op] == Word::xor_;
    form_.a_by_row = words_[Slot::alayout] == Word::row;
    form_.b_by_row = words_[Slot::blayout] == Word::row;
    // Other directions are left to the reference executor.
    return form_.d != Number::f64 || words_[Slot::rnd] == Word::none || words_[Slot::rnd] == Word::rn;
  }

  Form::Sums sums_of(Number a, bool in_bytes) const {
    if (form_.kind != Kind::product) return Form::Sums::exact;
    if (a == Number::f16 || a == Number::bf16 || a == Number::tf32) return Form::Sums::whole;
    const bool small = a == Number::e4m3 || a == Number::e5m2;
    return small && !in_bytes && !form_.scaled ? Form::Sums::pairs : Form::Sums::exact;
  }

  bool fragments() {
    return add_fragment(form_.in, operand(1), form_.a_at) && add_fragment(form_.in, operand(2), form_.b_at) &&
           add_fragment(form_.in, operand(3), form_.c_at);
  }

  std::optional<Form> product() {
    if (!set_types(words_.type(Slot::atype), words_.type(Slot::btype)) || !fragments()) return std::nullopt;
    int next = 4;
    if (form_.sparse) {
      if (!begin(form_.metadata_at) || !add(form_.in, operand(4))) return std::nullopt;
      form_.selector = static_cast<uint32_t>(operand(5).value);
      next = 6;
    }
    if (form_.scaled && !scales(next)) return std::nullopt;
    if (!add_fragment(form_.out, operand(0), form_.d_at)) return std::nullopt;
    return form_;
  }

  std::optional<Form> wmma_product(isa::Type type) {
    form_.wmma = true;
    if (!set_types(type, type) || !fragments() || !add_fragment(form_.out, operand(0), form_.d_at))
      return std::nullopt;
    // Fragments with more room than elements repeat them; the first ones count.
    const auto repeats = [&](uint32_t begin, uint32_t end, Number number, int elements) {
      const auto needed = static_cast<uint32_t>(elements * bits_of(number) / 8);
      for (Register& r : form_.in) r.unread |= r.at >= begin + needed && r.at < end;
    };
    repeats(form_.a_at, form_.b_at, form_.a, form_.size.m * form_.size.k);
    repeats(form_.b_at, form_.c_at, form_.b, form_.size.n * form_.size.k);
    return form_;
  }

  bool scales(int first) {
    switch (words_[Slot::scale_vec]) {
      case Word::scale_vec_4X: form_.scales = 4; break;
      case Word::scale_vec_2X: form_.scales = 2; break;
      case Word::scale_vec_1X: form_.scales = 1; break;
      default: form_.scales = words_[Slot::kind] == Word::kind_mxf8f6f4 ? 1 : 2;
    }
    form_.unsigned_scale = words_.type(Slot::stype) == isa::Type::ue4m3;
    return begin(form_.scale_a_at) && add(form_.in, operand(first)) &&
           choice(operand(first + 1), form_.scale_a_byte, form_.scale_a_lane) && begin(form_.scale_b_at) &&
           add(form_.in, operand(first + 2)) &&
           choice(operand(first + 3), form_.scale_b_byte, form_.scale_b_lane);
  }

  bool choice(const Operand& both, Form::Choice& byte, Form::Choice& lane) {
    const auto parts = children(both);
    if (parts.size() != 2) return false;
    const auto take = [&](const Operand& o, Form::Choice& to) {
      to.value = static_cast<uint32_t>(o.value);
      if (o.kind == OperandKind::immediate) return true;
      to.at = next_;
      return add(form_.in, o, 8);
    };
    return take(parts[0], byte) && take(parts[1], lane);
  }

  // ---- memory
  bool address(const Operand& o) {
    if (o.kind != OperandKind::address || o.reg == module::none || o.index != module::none) return false;
    if (o.space != module::Space::generic && o.space != module::Space::global &&
        o.space != module::Space::shared)
      return false;
    form_.space = o.space;
    form_.offset = o.value;
    Operand base = o;
    base.kind = OperandKind::reg;
    return add(form_.in, base, 8);
  }

  // load: d, [p], stride; store: [p], d, stride.
  std::optional<Form> wmma_memory(Kind kind, Role role, isa::Type type) {
    const auto number = number_of(type, false);
    form_.kind = kind;
    form_.wmma = true;
    form_.role = role;
    form_.by_row = words_[Slot::layout] == Word::row;
    const bool load = kind == Kind::load;
    if (!number || !address(operand(load ? 1 : 0))) return std::nullopt;
    form_.a = *number;
    form_.has_stride = present(2);
    if (form_.has_stride) {
      form_.stride_at = next_;
      if (!add(form_.in, operand(2), 8)) {
        if (operand(2).kind != OperandKind::immediate) return std::nullopt;
        form_.stride_at = module::none;
        form_.selector = static_cast<uint32_t>(operand(2).value);
      }
    }
    if (!add_fragment(load ? form_.out : form_.in, operand(load ? 0 : 1), form_.d_at)) return std::nullopt;
    return form_;
  }

  std::optional<Form> rows(Kind kind, const Operand& at, const Operand& fragment) {
    if (words_[Slot::shape] != Word::m8n8) return std::nullopt;
    form_.kind = kind;
    form_.matrices = words_[Slot::num] == Word::x1 ? 1 : words_[Slot::num] == Word::x2 ? 2 : 4;
    form_.transposed = words_.has(Slot::trans);
    if (!address(at) || !add_fragment(kind == Kind::rows_in ? form_.out : form_.in, fragment, form_.d_at))
      return std::nullopt;
    return form_;
  }

  const module::Function& function_;
  const module::Instruction& instruction_;
  const isa::SlotValues& words_;
  Form form_;
  uint32_t next_ = 0;
};

}  // namespace

int bits_of(Number number) {
  switch (number) {
    case Number::f64: return 64;
    case Number::f32:
    case Number::tf32:
    case Number::s32: return 32;
    case Number::f16:
    case Number::bf16: return 16;
    case Number::e2m1:
    case Number::s4:
    case Number::u4: return 4;
    case Number::b1: return 1;
    default: return 8;
  }
}

Size size_of(isa::Word shape) {
  Size size;
  int* number = nullptr;
  for (const char c : isa::spelling(shape)) {
    if (c == 'm')
      number = &size.m;
    else if (c == 'n')
      number = &size.n;
    else if (c == 'k')
      number = &size.k;
    else if (number != nullptr)
      *number = *number * 10 + (c - '0');
  }
  return size;
}

std::optional<Form> form_of(const module::Image& image, const Site& site) {
  if (site.function == module::none || site.instruction == module::none) return std::nullopt;
  const module::Function& function = image.functions[site.function];
  return Reader(image, function, function.code[site.instruction]).read();
}

Forms forms_of(const module::Image& image, std::span<const Site> sites) {
  Forms forms;
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (auto form = form_of(image, sites[i])) forms.emplace(static_cast<uint32_t>(i), std::move(*form));
  return forms;
}

}  // namespace heddle::exec::jit::matrix
