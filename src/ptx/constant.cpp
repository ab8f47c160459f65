#include "ptx/constant.h"

#include <bit>
#include <string>

namespace heddle::ptx {

namespace {

using Kind = Constant::Kind;

constexpr const char* kRule = "PTX ISA 4.5.4 Constant Expressions";
constexpr unsigned kMaxDepth = 256;  // of nested calls here, far more than anyone writes

constexpr int kLowest = 1;
constexpr int kTernary = 1;

// C's precedence; 0 for what is no binary operator.
int precedence(Tok op) {
  switch (op) {
    case Tok::question: return kTernary;
    case Tok::or_or: return 2;
    case Tok::and_and: return 3;
    case Tok::bar: return 4;
    case Tok::caret: return 5;
    case Tok::ampersand: return 6;
    case Tok::equal_equal:
    case Tok::not_equal: return 7;
    case Tok::less:
    case Tok::greater:
    case Tok::less_equal:
    case Tok::greater_equal: return 8;
    case Tok::less_less:
    case Tok::greater_greater: return 9;
    case Tok::plus:
    case Tok::minus: return 10;
    case Tok::star:
    case Tok::slash:
    case Tok::percent: return 11;
    default: return 0;
  }
}

Constant signed_(int64_t value) { return {Kind::s64, static_cast<uint64_t>(value)}; }
Constant unsigned_(uint64_t value) { return {Kind::u64, value}; }
Constant real(double value) { return {Kind::f64, std::bit_cast<uint64_t>(value)}; }
double as_double(const Constant& c) { return std::bit_cast<double>(c.bits); }
int64_t as_signed(const Constant& c) { return static_cast<int64_t>(c.bits); }

template <class T>
std::optional<bool> compare(Tok op, T a, T b) {
  switch (op) {
    case Tok::less: return a < b;
    case Tok::greater: return a > b;
    case Tok::less_equal: return a <= b;
    case Tok::greater_equal: return a >= b;
    case Tok::equal_equal: return a == b;
    case Tok::not_equal: return a != b;
    default: return {};
  }
}

// Table 5 of the manual. Empty when the operator does not take the operands; division by zero is seen before.
std::optional<Constant> fold_real(Tok op, double a, double b) {
  switch (op) {
    case Tok::plus: return real(a + b);
    case Tok::minus: return real(a - b);
    case Tok::star: return real(a * b);
    case Tok::slash: return real(a / b);
    default: break;
  }
  const std::optional<bool> truth = compare(op, a, b);
  return truth ? std::optional(signed_(*truth)) : std::nullopt;
}

// Shifts by 64 and more leave nothing but sign.
Constant shift(Tok op, Constant a, uint64_t count) {
  const bool fill = op == Tok::greater_greater && a.kind == Kind::s64 && as_signed(a) < 0;
  if (count > 63) {
    a.bits = fill ? UINT64_MAX : 0;
  } else if (op == Tok::less_less) {
    a.bits <<= count;
  } else {
    a.bits = a.bits >> count | (fill && count != 0 ? UINT64_MAX << (64 - count) : 0);
  }
  return a;
}

Constant divide(Constant a, Constant b, Kind kind) {
  if (kind == Kind::u64) return unsigned_(a.bits / b.bits);
  if (as_signed(b) == -1) return signed_(static_cast<int64_t>(0 - a.bits));  // INT64_MIN / -1 wraps
  return signed_(as_signed(a) / as_signed(b));
}

Constant fold_integer(Tok op, Constant a, Constant b) {
  const Kind common = a.kind == Kind::u64 || b.kind == Kind::u64 ? Kind::u64 : Kind::s64;
  switch (op) {
    case Tok::plus: return {common, a.bits + b.bits};
    case Tok::minus: return {common, a.bits - b.bits};
    case Tok::star: return {common, a.bits * b.bits};
    case Tok::slash: return divide(a, b, common);
    case Tok::percent: return signed_(static_cast<int64_t>(a.bits % b.bits));  // .u64 operands, .s64 result
    case Tok::less_less:
    case Tok::greater_greater: return shift(op, a, b.bits);
    case Tok::ampersand: return unsigned_(a.bits & b.bits);
    case Tok::bar: return unsigned_(a.bits | b.bits);
    case Tok::caret: return unsigned_(a.bits ^ b.bits);
    case Tok::and_and: return signed_(a.bits != 0 && b.bits != 0);
    case Tok::or_or: return signed_(a.bits != 0 || b.bits != 0);
    default: break;
  }
  return signed_(common == Kind::u64 ? *compare(op, a.bits, b.bits)
                                     : *compare(op, as_signed(a), as_signed(b)));
}

class ExpressionReader {
 public:
  explicit ExpressionReader(Reader& in) : in_(in) {}

  std::optional<Constant> binary(int lowest) {
    if (++depth_ > kMaxDepth) return complain(in_.token().span(), "this expression is nested too deeply");
    std::optional<Constant> left = unary();
    while (left) {
      split_percent();
      const Token op = in_.token();
      const int level = precedence(op.kind);
      if (level < lowest || level == 0) break;
      in_.advance();
      left = level == kTernary ? ternary(op, *left) : apply(op, *left, binary(level + 1));
    }
    --depth_;
    return left;
  }

 private:
  std::optional<Constant> complain(SourceSpan span, std::string message) {
    in_.fail(span, std::move(message), kRule);
    return {};
  }

  // Where an operator stands, `%3` is a modulo and a number, not a name.
  void split_percent() {
    if (!in_.at(Tok::name) || !in_.text().starts_with('%')) return;
    const uint32_t begin = in_.token().begin;
    in_.raw_token() = {Tok::percent, false, begin, begin + 1, 0};
    in_.lexer().reset(begin + 1);
  }

  std::optional<Constant> ternary(const Token& op, const Constant& condition) {
    if (!condition.is_integer()) return complain(op.span(), "the condition of '?:' must be an integer");
    const std::optional<Constant> yes = binary(kLowest);
    if (!yes || !in_.expect(Tok::colon, "of '?:'", kRule)) return {};
    const std::optional<Constant> no = binary(kTernary);
    if (!no) return {};
    if (yes->is_integer() != no->is_integer()) {
      return complain(op.span(), "both results of '?:' must be integers, or both floating-point numbers");
    }
    Constant result = condition.bits != 0 ? *yes : *no;
    if (result.is_integer() && (yes->kind == Kind::u64 || no->kind == Kind::u64)) result.kind = Kind::u64;
    return result;
  }

  std::optional<Constant> apply(const Token& op, const Constant& a, const std::optional<Constant>& b) {
    if (!b) return {};
    if (a.is_integer() != b->is_integer()) {
      return complain(op.span(),
                      "an integer and a floating-point number do not mix in a constant expression");
    }
    if (!a.is_integer()) {
      const std::optional<Constant> result = fold_real(op.kind, as_double(a), as_double(*b));
      if (!result) complain(op.span(), std::string(spelling(op.kind)) + " takes integers only");
      return result;
    }
    if ((op.kind == Tok::slash || op.kind == Tok::percent) && b->bits == 0) {
      return complain(op.span(), "division by zero in a constant expression");
    }
    return fold_integer(op.kind, a, *b);
  }

  std::optional<Constant> unary() {
    if (++depth_ > kMaxDepth) return complain(in_.token().span(), "this expression is nested too deeply");
    std::optional<Constant> value = unary_at_depth();
    --depth_;
    return value;
  }

  std::optional<Constant> unary_at_depth() {
    const Token token = in_.token();
    switch (token.kind) {
      case Tok::integer:
        in_.advance();
        return token.is_unsigned ? unsigned_(token.value) : signed_(static_cast<int64_t>(token.value));
      case Tok::float64: in_.advance(); return Constant{Kind::f64, token.value};
      case Tok::float32:
        return complain(token.span(),
                        "0f constants are no part of constant expressions; write 0d or a decimal");
      case Tok::name:
        if (in_.text() != "WARP_SZ") break;
        in_.advance();
        return signed_(warp_size);
      case Tok::left_paren: in_.advance(); return parenthesised(token);
      case Tok::plus:
      case Tok::minus:
      case Tok::exclamation:
      case Tok::tilde: {
        in_.advance();
        const std::optional<Constant> operand = unary();
        return operand ? apply_unary(token, *operand) : std::nullopt;
      }
      default: break;
    }
    in_.unexpected("a constant", kRule);
    return {};
  }

  std::optional<Constant> parenthesised(const Token& open) {
    if (in_.at(Tok::directive)) {
      const bool to_unsigned = in_.text() == ".u64";
      if (!to_unsigned && in_.text() != ".s64") {
        return complain(in_.token().span(), "only the casts (.s64) and (.u64) are constant expressions");
      }
      in_.advance();
      if (!in_.expect(Tok::right_paren, "after the type of a cast", kRule)) return {};
      std::optional<Constant> value = unary();
      if (!value) return {};
      if (!value->is_integer()) return complain(open.span(), "only integers can be cast");
      value->kind = to_unsigned ? Kind::u64 : Kind::s64;
      return value;
    }
    std::optional<Constant> value = binary(kLowest);
    if (!value || !in_.expect(Tok::right_paren, "of the constant expression", kRule)) return {};
    return value;
  }

  std::optional<Constant> apply_unary(const Token& op, Constant value) {
    if (op.kind == Tok::plus) return value;
    if (!value.is_integer()) {
      if (op.kind == Tok::minus) return real(-as_double(value));
      return complain(op.span(), std::string(spelling(op.kind)) + " takes integers only");
    }
    if (op.kind == Tok::minus) return Constant{value.kind, 0 - value.bits};
    if (op.kind == Tok::tilde) return unsigned_(~value.bits);
    return signed_(value.bits == 0);
  }

  Reader& in_;
  unsigned depth_ = 0;
};

}  // namespace

std::optional<Constant> read_constant(Reader& in) { return ExpressionReader(in).binary(kLowest); }

std::optional<uint64_t> read_integer(Reader& in, std::string_view what, uint64_t limit) {
  const Token first = in.token();
  const std::optional<Constant> value = read_constant(in);
  if (!value) return {};
  const SourceSpan span{first.begin, in.last_end()};
  if (!value->is_integer()) {
    in.fail(span, std::string(what) + " must be an integer", kRule);
    return {};
  }
  if (value->kind == Constant::Kind::s64 && static_cast<int64_t>(value->bits) < 0) {
    in.fail(span, std::string(what) + " is " + std::to_string(static_cast<int64_t>(value->bits)) +
                      ", it must not be negative");
    return {};
  }
  if (value->bits > limit) {
    in.fail(span, std::string(what) + " is " + std::to_string(value->bits) + ", the largest possible is " +
                      std::to_string(limit));
    return {};
  }
  return value->bits;
}

bool begins_constant(const Reader& in) {
  switch (in.token().kind) {
    case Tok::integer:
    case Tok::float64:
    case Tok::left_paren:
    case Tok::plus:
    case Tok::minus:
    case Tok::exclamation:
    case Tok::tilde: return true;
    case Tok::name: return in.text() == "WARP_SZ";
    default: return false;
  }
}

}  // namespace heddle::ptx
