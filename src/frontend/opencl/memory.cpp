// 6.15.7: vector loads and stores; 6.15.11: copies by a work-group; 6.15.9: what a generic address points to.
#include <algorithm>

#include "frontend/opencl/body.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace heddle::frontend::opencl {

using llvm::Value;

namespace {

// Bytes from one vector to the next, and what its address is a multiple of.
struct Layout {
  unsigned step = 0, align = 0;
};

Value* place(Body& body, Value* offset, Value* pointer, Layout layout) {
  llvm::IRBuilder<>& ir = body.ir;
  Value* bytes =
      ir.CreateMul(ir.CreateZExtOrTrunc(offset, ir.getInt64Ty()), ir.getInt64(layout.step), "", true, true);
  return ir.CreateGEP(ir.getInt8Ty(), pointer, bytes);
}

// vloada_half3 and vstorea_half3 step by four halves.
Layout half_layout(std::string_view name, unsigned width) {
  const bool aligned = name.starts_with("vloada") || name.starts_with("vstorea");
  const unsigned wide = aligned && width == 3 ? 4 : width;
  return {2 * wide, aligned ? 2 * wide : 2};
}

bool is_place(const Type& type) { return type.pointer && type.element != Element::other; }

}  // namespace

bool define_vload(Body& body) {
  if (body.count() != 2 || !is_place(body.parameter(1))) return false;
  const unsigned bytes = bits_of(body.parameter(1).element) / 8, width = width_of(body.result());
  Value* from = place(body, body.argument(0), body.argument(1), {bytes * width, bytes});
  body.ir.CreateRet(body.ir.CreateAlignedLoad(body.result(), from, llvm::Align(bytes)));
  return true;
}

bool define_vstore(Body& body) {
  if (body.count() != 3 || !is_place(body.parameter(2))) return false;
  const unsigned bytes = bits_of(body.parameter(2).element) / 8, width = body.parameter(0).width;
  Value* to = place(body, body.argument(1), body.argument(2), {bytes * width, bytes});
  body.ir.CreateAlignedStore(body.argument(0), to, llvm::Align(bytes));
  body.ir.CreateRetVoid();
  return true;
}

bool define_vload_half(Body& body) {
  if (body.count() != 2 || body.parameter(1).element != Element::f16) return false;
  const unsigned width = width_of(body.result());
  const Layout layout = half_layout(body.name(), width);
  Value* from = place(body, body.argument(0), body.argument(1), layout);
  Value* halves =
      body.ir.CreateAlignedLoad(body.type_of(Element::f16, width), from, llvm::Align(layout.align));
  body.ir.CreateRet(body.ir.CreateFPExt(halves, body.result()));
  return true;
}

bool define_vstore_half(Body& body) {
  if (body.count() != 3 || body.parameter(2).element != Element::f16) return false;
  const Type& given = body.parameter(0);
  const std::size_t mode_at = body.name().rfind("_rt");
  const char mode = mode_at == std::string_view::npos ? 0 : body.name().back();
  const Layout layout = half_layout(body.name(), given.width);
  Value* to = place(body, body.argument(1), body.argument(2), layout);
  Value* halves = llvm::PoisonValue::get(body.type_of(Element::f16, given.width));
  for (unsigned i = 0; i < given.width; ++i) {
    Value* one =
        convert_element(body, body.element(body.argument(0), i), given.element, Element::f16, false, mode);
    halves = given.width == 1 ? one : body.ir.CreateInsertElement(halves, one, i);
  }
  body.ir.CreateAlignedStore(halves, to, llvm::Align(layout.align));
  body.ir.CreateRetVoid();
  return true;
}

// async_work_group_copy(to, from, count, event), async_work_group_strided_copy(to, from, count, stride,
// event): the stride is of the global side.
bool define_async_copy(Body& body) {
  const bool strided = body.name() == "async_work_group_strided_copy";
  if (body.count() != (strided ? 5U : 4U) || !is_place(body.parameter(0)) || !is_place(body.parameter(1)))
    return false;
  llvm::IRBuilder<>& ir = body.ir;
  const Type& to = body.parameter(0);
  const bool to_local = to.space == 3;
  const unsigned bytes = bits_of(to.element) / 8 * (to.width == 3 ? 4 : to.width);
  const unsigned unit = std::min(bytes, 16U), parts = bytes / unit;
  const char* unit_name = unit == 1 ? "h" : unit == 2 ? "t" : unit == 4 ? "j" : unit == 8 ? "m" : "Dv2_m";
  const std::string name =
      std::string(to_local ? "_Z22__heddle_copy_to_localPU3AS3" : "_Z23__heddle_copy_to_globalPU3AS1") +
      unit_name + (to_local ? "PU3AS1K" : "PU3AS3K") + (unit == 16 ? "S_" : unit_name) + "mjmm";
  Value* count = body.argument(2);
  Value *to_step = ir.getInt64(parts), *from_step = to_step;
  if (strided) (to_local ? from_step : to_step) = ir.CreateMul(body.argument(3), ir.getInt64(parts));
  Value* part_count = ir.getInt32(parts);
  if (!strided) {
    count = ir.CreateMul(count, ir.getInt64(parts));
    part_count = ir.getInt32(1);
    to_step = from_step = ir.getInt64(1);
  }
  llvm::Type* types[] = {body.argument(0)->getType(),
                         body.argument(1)->getType(),
                         ir.getInt64Ty(),
                         ir.getInt32Ty(),
                         ir.getInt64Ty(),
                         ir.getInt64Ty()};
  const llvm::FunctionCallee copy = body.callee(name, ir.getVoidTy(), types);
  ir.CreateCall(copy, {body.argument(0), body.argument(1), count, part_count, to_step, from_step});
  ir.CreateRet(body.argument(body.count() - 1));
  return true;
}

bool define_to_space(Body& body) {
  llvm::IRBuilder<>& ir = body.ir;
  if (body.function.arg_size() != 1 || !body.argument(0)->getType()->isPointerTy()) return false;
  const llvm::StringRef name = body.function.getName();
  const llvm::Intrinsic::ID which = name == "__to_global"  ? llvm::Intrinsic::nvvm_isspacep_global
                                    : name == "__to_local" ? llvm::Intrinsic::nvvm_isspacep_shared
                                                           : llvm::Intrinsic::nvvm_isspacep_local;
  Value* inside = ir.CreateIntrinsic(which, {}, {body.argument(0)});
  // Nothing that LLVM sees through: of a pointer to other memory it would make a cast that there is not.
  Value* there = body.argument(0);
  if (body.result()->getPointerAddressSpace() != 0) {
    const std::string space = name == "__to_global" ? "global" : "shared";
    there = ir.CreateIntToPtr(body.assembly("cvta.to." + space + ".u64 $0, $1;", "=l,l", ir.getInt64Ty(),
                                            {ir.CreatePtrToInt(there, ir.getInt64Ty())}),
                              body.result());
  }
  // clang's null of local memory is the generic one, cast: 0 is the first byte there.
  llvm::Constant* null = llvm::Constant::getNullValue(body.result());
  if (body.result()->getPointerAddressSpace() == 3)
    null = llvm::ConstantExpr::getAddrSpaceCast(llvm::ConstantPointerNull::get(ir.getPtrTy()), body.result());
  ir.CreateRet(ir.CreateSelect(inside, there, null));
  return true;
}

}  // namespace heddle::frontend::opencl
