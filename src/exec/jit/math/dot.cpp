#include "exec/jit/math/dot.h"

#include <string_view>

#include "exec/jit/math/lanes.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace heddle::exec::jit {

namespace {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

// c plus four products of an unsigned byte of a and a signed one of b.
Intrinsic::ID vnni(const Host& host, unsigned lanes) {
  const auto has = [&](std::string_view feature) { return host.features.find(feature) != std::string::npos; };
  const bool narrow = has("+avxvnni") || (has("+avx512vnni") && has("+avx512vl"));
  if (lanes == 16 && has("+avx512vnni") && host.level == VectorLevel::avx512)
    return Intrinsic::x86_avx512_vpdpbusd_512;
  if (lanes == 8 && narrow) return Intrinsic::x86_avx512_vpdpbusd_256;
  if (lanes == 4 && narrow) return Intrinsic::x86_avx512_vpdpbusd_128;
  return Intrinsic::not_intrinsic;
}

// Two products of 16 bits, added.
Intrinsic::ID pairs(const Host& host, unsigned lanes) {
  if (lanes == 16 && host.level == VectorLevel::avx512) return Intrinsic::x86_avx512_pmaddw_d_512;
  if (lanes == 8 && host.level >= VectorLevel::avx2) return Intrinsic::x86_avx2_pmadd_wd;
  if (lanes == 4) return Intrinsic::x86_sse2_pmadd_wd;
  return Intrinsic::not_intrinsic;
}

// Bytes with the other sign are 128 off: x ^ 0x80 is x + 128 or x - 128, and 128 times the other side's bytes
// go the other way.
Value* by_vnni(const Lanes& l, Intrinsic::ID id, bool a_signed, bool b_signed, Value* a, Value* b, Value* c) {
  const auto dot = [&](Value* sum, Value* x, Value* y) { return l.ir.CreateIntrinsic(id, {}, {sum, x, y}); };
  llvm::Constant *zero = l.word(0), *half = l.word(0x80808080);
  if (a_signed && !b_signed) return dot(c, b, a);
  if (!a_signed && b_signed) return dot(c, a, b);
  if (a_signed) return l.ir.CreateSub(dot(c, l.ir.CreateXor(a, half), b), dot(zero, half, b));
  return l.ir.CreateSub(dot(c, a, l.ir.CreateXor(b, half)), dot(zero, a, half));
}

// Bytes 0 and 2, then 1 and 3 as 16-bit numbers.
Value* by_pairs(const Lanes& l, Intrinsic::ID id, bool a_signed, bool b_signed, Value* a, Value* b,
                Value* c) {
  auto* halves = llvm::FixedVectorType::get(l.ir.getInt16Ty(), 2 * l.count());
  const auto bytes = [&](Value* word, bool is_signed, bool odd) {
    Value* x = l.ir.CreateBitCast(word, halves);
    if (!odd) x = l.left(x, 8);
    return is_signed ? l.right_signed(x, 8) : l.right(x, 8);
  };
  for (const bool odd : {false, true}) {
    Value* sum = l.ir.CreateIntrinsic(id, {}, {bytes(a, a_signed, odd), bytes(b, b_signed, odd)});
    c = l.ir.CreateAdd(c, sum);
  }
  return c;
}

}  // namespace

Value* dot_bytes(llvm::IRBuilderBase& ir, const Host& host, bool a_signed, bool b_signed, Value* a, Value* b,
                 Value* c) {
  const Lanes l(ir, a->getType());
  if (const auto id = vnni(host, l.count())) return by_vnni(l, id, a_signed, b_signed, a, b, c);
  if (const auto id = pairs(host, l.count())) return by_pairs(l, id, a_signed, b_signed, a, b, c);
  for (unsigned first = 0; first < 32; first += 8) {
    const auto byte = [&](Value* word, bool is_signed) {
      Value* x = l.left(word, 24 - first);
      return is_signed ? l.right_signed(x, 24) : l.right(x, 24);
    };
    c = ir.CreateAdd(c, ir.CreateMul(byte(a, a_signed), byte(b, b_signed)));
  }
  return c;
}

}  // namespace heddle::exec::jit
