#include "module/initializer.h"

#include <algorithm>
#include <bit>

#include "module/layout.h"
#include "module/literal.h"

namespace heddle::module {

namespace {

using Kind = ptx::Initializer::Kind;

// A few values may be spread over a huge array; all bytes up to the last one are kept.
constexpr uint64_t max_initial_bytes = uint64_t{1} << 30;

class Reader {
 public:
  Reader(const ptx::Module& module, const ptx::Variable& variable, unsigned address_bits,
         const FindReferent& find, const Complain& complain)
      : variable_(variable),
        name_(module.text(variable.name)),
        type_(isa::info(variable.type)),
        singles_(std::ranges::find(module.target_options, "map_f64_to_f32") != module.target_options.end()),
        element_(element_bytes(variable.type)),
        address_bytes_(address_bits / 8),
        find_(find),
        complain_(complain) {
    for (uint64_t dim : variable.dims) dims_.push_back(dim);
    if (variable.vector > 1) dims_.push_back(variable.vector);
    strides_.assign(dims_.size(), 1);
    for (std::size_t i = dims_.size(); i-- > 1;) strides_[i - 1] = strides_[i] * dims_[i];
  }

  InitialValue run() {
    const bool open_ended = !dims_.empty() && dims_[0] == 0 && !variable_.dims.empty();
    // A level is a pair of braces: [begin, end) in elements, and how deep it is in the dimensions.
    levels_.push_back({0, dims_.empty() ? 1 : open_ended ? max_variable_bytes : strides_[0] * dims_[0], 0});
    for (const ptx::Initializer& item : variable_.init) {
      if (failed_) break;
      take(item);
    }
    InitialValue value;
    value.size = size_of(variable_).value_or(0);
    if (open_ended) value.size = align_up(longest_, strides_[0]) * element_;
    while (!bytes_.empty() && bytes_.back() == std::byte{0}) bytes_.pop_back();
    value.bytes = std::move(bytes_);
    value.relocations = std::move(relocations_);
    return value;
  }

 private:
  struct Level {
    uint64_t at, end;  // elements
    std::size_t depth;
  };

  void fail(const ptx::Initializer& item, std::string message) {
    failed_ = true;
    complain_(item.offset, std::move(message));
  }

  void take(const ptx::Initializer& item) {
    switch (item.kind) {
      case Kind::open: return open(item);
      case Kind::close:
        if (levels_.size() > 1) {
          levels_.pop_back();
          opened_ = levels_.size() > 1;
        }
        return;
      case Kind::integer: return constant(item, Literal::integer);
      case Kind::float32: return constant(item, Literal::single);
      case Kind::float64: return constant(item, Literal::number);
      case Kind::symbol:
      case Kind::generic_symbol: return symbol(item);
    }
  }

  void open(const ptx::Initializer& item) {
    if (!opened_) {  // the outermost pair stands for the whole variable
      opened_ = true;
      levels_.push_back(levels_.back());
      return;
    }
    Level& outer = levels_.back();
    if (outer.depth >= dims_.size())
      return fail(item, "too many braces in the initial value of '" + name_ + "'");
    const uint64_t stride = strides_[outer.depth];
    if (outer.at >= outer.end) return too_many(item);
    const Level inner{outer.at, outer.at + stride, outer.depth + 1};
    outer.at += stride;
    levels_.push_back(inner);
  }

  void too_many(const ptx::Initializer& item) {
    const Level& level = levels_.back();
    fail(item, "too many initial values for '" + name_ + "': there is room for " +
                   std::to_string(level.depth < dims_.size() ? dims_[level.depth] : 1));
  }

  // The place of the next element, in bytes; grows the bytes.
  std::optional<uint64_t> next(const ptx::Initializer& item) {
    Level& level = levels_.back();
    if (level.at >= level.end) {
      too_many(item);
      return std::nullopt;
    }
    const uint64_t place = level.at * element_;
    if (place >= max_initial_bytes) {
      fail(item, "the initial value of '" + name_ + "' reaches byte " + std::to_string(place) +
                     "; the limit is " + std::to_string(max_initial_bytes));
      return std::nullopt;
    }
    ++level.at;
    longest_ = std::max(longest_, level.at);
    return place;
  }

  void put(uint64_t place, uint64_t value) {
    if (value == 0) return;
    if (bytes_.size() < place + element_) {
      bytes_.reserve(std::bit_ceil(place + element_));
      bytes_.resize(place + element_);
    }
    for (uint32_t i = 0; i < std::min(element_, 8u); ++i)
      bytes_[place + i] = static_cast<std::byte>(value >> (8 * i));
  }

  void constant(const ptx::Initializer& item, Literal literal) {
    const auto place = next(item);
    if (!place) return;
    const auto bits = literal_bits(literal, item.value, type_, singles_);
    if (!bits)
      return fail(item,
                  "'" + name_ + "' of type ." + std::string(type_.name) + " cannot hold this initial value");
    put(*place, *bits);
    if (element_ == 16 && literal == Literal::integer && static_cast<int64_t>(item.value) < 0) {
      bytes_.resize(*place + 16);
      std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(*place) + 8, 8, std::byte{0xff});
    }
  }

  void symbol(const ptx::Initializer& item) {
    const auto place = next(item);
    if (!place) return;
    const auto referent = find_(item.symbol);
    if (!referent) {
      failed_ = true;
      return;
    }
    Relocation relocation{};
    relocation.offset = *place;
    relocation.symbol = referent->symbol;
    relocation.function = referent->function;
    relocation.addend = item.value;
    relocation.generic = item.kind == Kind::generic_symbol;
    if (item.mask != 0) {
      const int low = std::countr_zero(item.mask);
      if (item.mask != uint64_t{0xff} << low || low % 8 != 0)
        return fail(item, "a mask in the initial value of '" + name_ + "' takes one whole byte");
      relocation.bytes = 1;
      relocation.shift = static_cast<uint8_t>(low / 8);
    } else {
      relocation.bytes = static_cast<uint8_t>(std::min(element_, address_bytes_));
      if (element_ < 4)
        return fail(item, "'" + name_ + "' of type ." + std::string(type_.name) +
                              " cannot hold an address: at least 4 bytes are needed");
    }
    relocations_.push_back(relocation);
  }

  const ptx::Variable& variable_;
  std::string name_;
  const isa::TypeInfo& type_;
  const bool singles_;
  uint32_t element_;
  uint32_t address_bytes_;
  const FindReferent& find_;
  const Complain& complain_;
  std::vector<uint64_t> dims_, strides_;  // strides in elements
  std::vector<Level> levels_;
  bool opened_ = false;
  bool failed_ = false;
  uint64_t longest_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<Relocation> relocations_;
};

}  // namespace

InitialValue initial_value(const ptx::Module& module, const ptx::Variable& variable, unsigned address_bits,
                           const FindReferent& find, const Complain& complain) {
  return Reader(module, variable, address_bits, find, complain).run();
}

}  // namespace heddle::module
