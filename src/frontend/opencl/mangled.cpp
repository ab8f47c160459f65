#include "frontend/opencl/mangled.h"

#include <array>
#include <charconv>

namespace heddle::frontend::opencl {

namespace {

struct Row {
  Element element;
  std::string_view name, code;
  unsigned bits;
};
constexpr std::array rows{
    Row{Element::none, "void", "v", 0},   Row{Element::boolean, "bool", "b", 8},
    Row{Element::i8, "char", "c", 8},     Row{Element::u8, "uchar", "h", 8},
    Row{Element::i16, "short", "s", 16},  Row{Element::u16, "ushort", "t", 16},
    Row{Element::i32, "int", "i", 32},    Row{Element::u32, "uint", "j", 32},
    Row{Element::i64, "long", "l", 64},   Row{Element::u64, "ulong", "m", 64},
    Row{Element::f16, "half", "Dh", 16},  Row{Element::f32, "float", "f", 32},
    Row{Element::f64, "double", "d", 64},
};
const Row* row_of(Element element) {
  for (const Row& row : rows)
    if (row.element == element) return &row;
  return nullptr;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  std::optional<unsigned> number() {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (failed != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::optional<std::string_view> name() {
    const auto length = number();
    if (!length || *length == 0 || *length > rest_.size()) return std::nullopt;
    const std::string_view text = rest_.substr(0, *length);
    rest_.remove_prefix(*length);
    return text;
  }
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<Type> type() {
    if (++depth_ > 8) return std::nullopt;
    auto found = any_type();
    --depth_;
    return found;
  }

 private:
  std::optional<Type> keep(std::optional<Type> type) {
    if (type) known_.push_back(*type);
    return type;
  }

  // 5.1.8: "S_" is the first thing that can be substituted, "S0_" the second, in base 36.
  std::optional<Type> substitution() {
    std::size_t index = 0;
    if (!skip("_")) {
      for (; !rest_.empty() && rest_.front() != '_'; rest_.remove_prefix(1)) {
        const char c = rest_.front();
        if (c >= '0' && c <= '9')
          index = index * 36 + static_cast<std::size_t>(c - '0');
        else if (c >= 'A' && c <= 'Z')
          index = index * 36 + static_cast<std::size_t>(c - 'A') + 10;
        else
          return std::nullopt;
        if (index > known_.size()) return std::nullopt;
      }
      if (!skip("_")) return std::nullopt;
      ++index;
    }
    if (index >= known_.size()) return std::nullopt;
    return known_[index];
  }

  std::optional<Type> qualified() {
    unsigned space = 0;
    bool any = false;
    while (rest_.starts_with("U") && !rest_.starts_with("U7_Atomic")) {
      skip("U");
      const auto qualifier = name();
      if (!qualifier) return std::nullopt;
      any = true;
      if (qualifier->starts_with("AS")) {
        const std::string_view digits = qualifier->substr(2);
        std::from_chars(digits.data(), digits.data() + digits.size(), space);
      }
    }
    while (skip("r") || skip("V") || skip("K")) any = true;
    if (!any) return std::nullopt;
    auto inner = type();
    if (inner && space != 0) inner->space = space;
    return keep(inner);
  }

  std::optional<Type> any_type() {
    if (rest_.empty()) return std::nullopt;
    if (skip("S")) return substitution();
    if (skip("P")) {
      // What a pointer points to has an address space and so is a qualified type, even where that has no
      // name.
      const bool named = !rest_.empty() &&
                         std::string_view("UVKr").find(rest_.front()) != std::string_view::npos &&
                         !rest_.starts_with("U7_Atomic");
      auto target = type();
      if (!named) keep(target);
      if (!target || target->pointer) return std::nullopt;
      target->pointer = true;
      return keep(target);
    }
    if (skip("U7_Atomic")) {
      auto inner = type();
      if (inner) inner->is_atomic = true;
      return keep(inner);
    }
    if (const char c = rest_.front(); c == 'U' || c == 'V' || c == 'K' || c == 'r') return qualified();
    if (skip("Dv")) {
      const auto width = number();
      if (!width || *width < 2 || *width > 16 || !skip("_")) return std::nullopt;
      auto element = type();
      if (!element || element->pointer) return std::nullopt;
      element->width = *width;
      return keep(element);
    }
    if (rest_.front() >= '0' && rest_.front() <= '9') {
      Type named;
      const auto text = name();
      if (!text) return std::nullopt;
      named.other = *text;
      return keep(named);
    }
    for (const Row& row : rows) {
      if (!skip(row.code)) continue;
      Type plain;
      plain.element = row.element;
      return plain;
    }
    return std::nullopt;
  }

  std::string_view rest_;
  std::vector<Type> known_;
  int depth_ = 0;
};

std::string mangle_value(const Type& type, std::vector<std::string>& known) {
  std::string text(code_of(type.element));
  const auto remember = [&](std::string whole) {
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i] == whole) return i == 0 ? std::string("S_") : "S" + std::to_string(i - 1) + "_";
    known.push_back(whole);
    return whole;
  };
  if (type.width > 1) text = remember("Dv" + std::to_string(type.width) + "_" + text);
  if (type.pointer) text = remember("P" + text);
  return text;
}

}  // namespace

bool is_float(Element e) { return e >= Element::f16; }
bool is_integer(Element e) { return e >= Element::i8 && e <= Element::u64; }
bool is_signed(Element e) {
  return e == Element::i8 || e == Element::i16 || e == Element::i32 || e == Element::i64;
}
unsigned bits_of(Element e) {
  const Row* row = row_of(e);
  return row == nullptr ? 0 : row->bits;
}
std::string_view name_of(Element e) {
  const Row* row = row_of(e);
  return row == nullptr ? "" : row->name;
}
std::string_view code_of(Element e) {
  const Row* row = row_of(e);
  return row == nullptr ? "" : row->code;
}
std::optional<Element> element_named(std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row.element;
  return std::nullopt;
}

std::optional<Mangled> read_mangled(std::string_view symbol) {
  Reader reader(symbol);
  if (!reader.skip("_Z")) return std::nullopt;
  Mangled mangled;
  const auto name = reader.name();
  if (!name) return std::nullopt;
  mangled.name = *name;
  while (!reader.done()) {
    const auto type = reader.type();
    if (!type) return std::nullopt;
    mangled.parameters.push_back(*type);
  }
  if (mangled.parameters.size() == 1 && mangled.parameters[0].element == Element::none &&
      !mangled.parameters[0].pointer)
    mangled.parameters.clear();
  return mangled;
}

std::string mangle(std::string_view name, const std::vector<Type>& parameters) {
  std::string text = "_Z" + std::to_string(name.size()) + std::string(name);
  std::vector<std::string> known;
  for (const Type& type : parameters) text += mangle_value(type, known);
  return parameters.empty() ? text + "v" : text;
}

}  // namespace heddle::frontend::opencl
