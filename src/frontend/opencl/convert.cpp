// 6.3.3: convert_<type>[_sat][_rte|_rtz|_rtp|_rtn](x), each element by itself.
#include "frontend/opencl/body.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::frontend::opencl {

using llvm::Value;

namespace {

// PTX's name of a rounding, and of a type.
std::string rounding(char mode) {
  return mode == 'z' ? "rz" : mode == 'p' ? "rp" : mode == 'n' ? "rm" : "rn";
}
std::string ptx_type(Element e) {
  return (is_float(e) ? "f" : is_signed(e) ? "s" : "u") + std::to_string(bits_of(e));
}
const char* constraint(Element e) {
  switch (e) {
    case Element::f32: return "f";
    case Element::f64: return "d";
    case Element::f16: return "h";
    default: return bits_of(e) == 64 ? "l" : bits_of(e) == 16 ? "h" : "r";
  }
}

Value* convert_by_instruction(Body& body, Value* value, Element from, Element to, char mode) {
  llvm::IRBuilder<>& ir = body.ir;
  if (is_integer(from) && bits_of(from) < 32) {  // asm has no registers for bytes
    value = is_signed(from) ? ir.CreateSExt(value, ir.getInt32Ty()) : ir.CreateZExt(value, ir.getInt32Ty());
    from = is_signed(from) ? Element::i32 : Element::u32;
  }
  if (from == Element::f16) value = ir.CreateBitCast(value, ir.getInt16Ty());
  llvm::Type* type = to == Element::f16 ? ir.getInt16Ty() : body.type_of(to);
  Value* out = body.assembly("cvt." + rounding(mode) + "." + ptx_type(to) + "." + ptx_type(from) + " $0, $1;",
                             std::string("=") + constraint(to) + "," + constraint(from), type, {value});
  return to == Element::f16 ? ir.CreateBitCast(out, body.type_of(to)) : out;
}

Value* rounded(Body& body, Value* value, char mode) {
  using llvm::Intrinsic::ID;
  const ID which = mode == 'e'   ? llvm::Intrinsic::rint
                   : mode == 'p' ? llvm::Intrinsic::ceil
                   : mode == 'n' ? llvm::Intrinsic::floor
                                 : llvm::Intrinsic::trunc;
  return body.ir.CreateUnaryIntrinsic(which, value);
}

Value* saturated(Body& body, Value* value, Element from, Element to) {
  llvm::IRBuilder<>& ir = body.ir;
  const unsigned bits = bits_of(from), wanted = bits_of(to);
  const bool was_signed = is_signed(from), becomes_signed = is_signed(to);
  llvm::Type* type = value->getType();
  // What the target holds, as far as the source can say it.
  const unsigned most_bits = becomes_signed ? wanted - 1 : wanted;
  if (was_signed) {
    const unsigned low_bits = becomes_signed ? wanted - 1 : 0;
    if (!becomes_signed || low_bits < bits - 1) {
      const llvm::APInt least =
          becomes_signed ? llvm::APInt::getSignedMinValue(wanted).sext(bits) : llvm::APInt(bits, 0);
      value = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, llvm::ConstantInt::get(type, least));
    }
    if (most_bits < bits - 1)
      value =
          ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value,
                                   llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(bits, most_bits)));
  } else if (most_bits < bits) {
    value =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value,
                                 llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(bits, most_bits)));
  }
  return value;
}

}  // namespace

Value* convert_element(Body& body, Value* value, Element from, Element to, bool saturate, char mode) {
  llvm::IRBuilder<>& ir = body.ir;
  if (from == to) return value;
  llvm::Type* type = body.type_of(to);
  if (is_float(from) && is_float(to)) {
    if (bits_of(to) > bits_of(from)) return ir.CreateFPExt(value, type);
    if (mode == 0 || mode == 'e') return ir.CreateFPTrunc(value, type);
    return convert_by_instruction(body, value, from, to, mode);
  }
  if (is_float(from)) {
    if (from == Element::f16) value = ir.CreateFPExt(value, ir.getFloatTy());
    if (mode != 0 && mode != 'z') value = rounded(body, value, mode);
    if (!saturate) return is_signed(to) ? ir.CreateFPToSI(value, type) : ir.CreateFPToUI(value, type);
    return ir.CreateIntrinsic(is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                              {type, value->getType()}, {value});
  }
  if (is_float(to)) {
    const unsigned digits = to == Element::f64 ? 53 : to == Element::f32 ? 24 : 11;
    const unsigned needed = bits_of(from) - (is_signed(from) ? 1 : 0);
    if (mode == 0 || mode == 'e' || needed <= digits)
      return is_signed(from) ? ir.CreateSIToFP(value, type) : ir.CreateUIToFP(value, type);
    return convert_by_instruction(body, value, from, to, mode);
  }
  if (saturate) value = saturated(body, value, from, to);
  return ir.CreateIntCast(value, type, is_signed(from));
}

bool define_convert(Body& body) {
  if (body.count() != 1) return false;
  std::string_view rest = body.name();
  rest.remove_prefix(std::string_view("convert_").size());
  const std::size_t end = rest.find_first_of("0123456789_");
  const auto to = element_named(rest.substr(0, end));
  if (!to) return false;
  const std::size_t suffix = rest.find('_');
  const std::string_view ways = suffix == std::string_view::npos ? "" : rest.substr(suffix);
  const bool saturate = ways.starts_with("_sat");
  const char mode =
      ways.size() >= 4 && ways[ways.size() - 4] == '_' && ways[ways.size() - 3] == 'r' ? ways.back() : 0;
  const Type& from = body.parameter(0);
  const unsigned width = width_of(body.result());
  if (from.pointer || from.width != width) return false;
  Value* all = llvm::PoisonValue::get(body.result());
  for (unsigned i = 0; i < width; ++i) {
    Value* one = convert_element(body, body.element(body.argument(0), i), from.element, *to, saturate, mode);
    all = width == 1 ? one : body.ir.CreateInsertElement(all, one, i);
  }
  body.ir.CreateRet(all);
  return true;
}

}  // namespace heddle::frontend::opencl
