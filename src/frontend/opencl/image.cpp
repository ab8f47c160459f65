// 6.15.15: image functions, as PTX's tex, sust.p and txq (PTX ISA 9.7.10, 9.7.11) on the handles that kernels
// get.
#include <array>
#include <optional>

#include "frontend/opencl/body.h"
#include "llvm/IR/Intrinsics.h"

namespace heddle::frontend::opencl {

using llvm::Value;

namespace {

struct Shape {
  std::string_view name;      // in "ocl_<name>_ro"
  std::string_view geometry;  // of the instructions
  unsigned axes;
  bool array, depth;
};
// Longer names first.
constexpr std::array shapes{
    Shape{"image2d_array_depth", "a2d", 2, true, true},
    Shape{"image2d_array", "a2d", 2, true, false},
    Shape{"image2d_depth", "2d", 2, false, true},
    Shape{"image2d", "2d", 2, false, false},
    Shape{"image1d_array", "a1d", 1, true, false},
    Shape{"image1d_buffer", "1d", 1, false, false},
    Shape{"image1d", "1d", 1, false, false},
    Shape{"image3d", "3d", 3, false, false},
};

const Shape* shape_of(const Type& type) {
  std::string_view name = type.other;
  if (!name.starts_with("ocl_image")) return nullptr;
  name.remove_prefix(4);
  name.remove_suffix(std::min<std::size_t>(3, name.size()));
  for (const Shape& shape : shapes)
    if (shape.name == name) return &shape;
  return nullptr;
}
bool is_shared(const Type& type) { return type.other.ends_with("_rw"); }

Value* handle(Body& body, std::size_t i) {
  return body.ir.CreatePtrToInt(body.argument(i), body.ir.getInt64Ty());
}

// {layer, x, y}: the places of the instruction's coordinates, and their text from operand `first` on.
struct Coordinates {
  std::vector<Value*> values;
  std::string text, constraints;
};
std::optional<Coordinates> coordinates(Body& body, const Shape& shape, std::size_t argument, unsigned first) {
  llvm::IRBuilder<>& ir = body.ir;
  const Type& given = body.parameter(argument);
  const bool real = given.element == Element::f32;
  if ((!real && given.element != Element::i32) || given.width < shape.axes + (shape.array ? 1 : 0))
    return std::nullopt;
  Coordinates c;
  const auto add = [&](Value* value, const char* constraint) {
    c.text += (c.text.empty() ? "$" : ", $") + std::to_string(first + c.values.size());
    c.constraints += std::string(",") + constraint;
    c.values.push_back(value);
  };
  if (shape.array) {
    // "clamp(rint(coord.w), 0, image array size - 1)"; the instruction clamps at the upper end.
    Value* layer = body.element(body.argument(argument), shape.axes);
    if (real) {
      layer = ir.CreateUnaryIntrinsic(llvm::Intrinsic::rint, layer);
      layer = ir.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {ir.getInt32Ty(), ir.getFloatTy()}, {layer});
    }
    if (body.name().starts_with("read"))
      layer = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smax, layer, ir.getInt32(0));
    add(layer, "r");
  }
  for (unsigned i = 0; i < shape.axes; ++i) add(body.element(body.argument(argument), i), real ? "f" : "r");
  // Of three coordinates the instruction has four places.
  if (c.values.size() == 3) {
    c.text += ", $" + std::to_string(first + 2);
  }
  return c;
}

// devlib/opencl/image_write.cl; images of 1.x are written in two dimensions (OpenCL 1.0, 6.11.8.3).
bool write_texel(Body& body, const Shape& shape, const Coordinates& at) {
  if (shape.axes != 2 || shape.array || shape.depth) return false;
  llvm::IRBuilder<>& ir = body.ir;
  llvm::Type* four = llvm::FixedVectorType::get(ir.getInt32Ty(), 4);
  Value* colour = llvm::PoisonValue::get(four);
  for (unsigned i = 0; i < 4; ++i) {
    Value* value = body.element(body.argument(2), i);
    if (value->getType()->isHalfTy()) value = ir.CreateFPExt(value, ir.getFloatTy());
    colour = ir.CreateInsertElement(colour, ir.CreateBitCast(value, ir.getInt32Ty()), i);
  }
  const llvm::FunctionCallee write = body.callee("_Z20__heddle_write_texelmiiDv4_j", ir.getVoidTy(),
                                                 {ir.getInt64Ty(), ir.getInt32Ty(), ir.getInt32Ty(), four});
  ir.CreateCall(write, {handle(body, 0), at.values[0], at.values[1], colour});
  ir.CreateRetVoid();
  return true;
}

}  // namespace

// (image, [sampler,] coordinates)
bool define_read_image(Body& body) {
  if (body.count() < 2) return false;
  const Shape* shape = shape_of(body.parameter(0));
  const bool sampled = body.parameter(1).other == "ocl_sampler";
  if (shape == nullptr || body.count() != (sampled ? 3U : 2U)) return false;
  llvm::IRBuilder<>& ir = body.ir;
  const bool whole = body.name() == "read_imagei" || body.name() == "read_imageui";
  const auto at = coordinates(body, *shape, body.count() - 1, 6);
  if (!at) return false;
  Value* sampler = nullptr;
  if (sampled) {
    sampler = handle(body, 1);
  } else {
    // 6.15.15.3: "as if with CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE".
    const llvm::FunctionCallee make = body.module.getOrInsertFunction(
        "__translate_sampler_initializer",
        llvm::FunctionType::get(llvm::PointerType::get(body.module.getContext(), 4), {ir.getInt32Ty()},
                                false));
    sampler = ir.CreatePtrToInt(ir.CreateCall(make, {ir.getInt32(0x10)}), ir.getInt64Ty());
  }
  const bool real_coordinates = body.parameter(body.count() - 1).element == Element::f32;
  const std::string type = whole ? (body.name() == "read_imagei" ? "s32" : "u32") : "f32";
  llvm::Type* one = whole ? static_cast<llvm::Type*>(ir.getInt32Ty()) : ir.getFloatTy();
  std::vector<Value*> operands{handle(body, 0), sampler};
  operands.insert(operands.end(), at->values.begin(), at->values.end());
  const std::string text = "tex." + std::string(shape->geometry) + ".v4." + type +
                           (real_coordinates ? ".f32" : ".s32") + " {$0, $1, $2, $3}, [$4, $5, {" + at->text +
                           "}];";
  const std::string out = whole ? "=r,=r,=r,=r" : "=f,=f,=f,=f";
  Value* four = body.assembly(text, out + ",l,l" + at->constraints, llvm::StructType::get(one, one, one, one),
                              operands, is_shared(body.parameter(0)));
  if (!body.result()->isVectorTy()) {
    ir.CreateRet(ir.CreateExtractValue(four, 0));
    return shape->depth;
  }
  llvm::Type* wanted = body.result()->getScalarType();
  Value* all = llvm::PoisonValue::get(body.result());
  for (unsigned i = 0; i < 4; ++i) {
    Value* value = ir.CreateExtractValue(four, i);
    if (wanted->isHalfTy()) value = ir.CreateFPTrunc(value, wanted);
    all = ir.CreateInsertElement(all, value, i);
  }
  ir.CreateRet(all);
  return true;
}

// (image, coordinates, colour)
bool define_write_image(Body& body) {
  if (body.count() != 3) return false;
  const Shape* shape = shape_of(body.parameter(0));
  if (shape == nullptr) return false;
  llvm::IRBuilder<>& ir = body.ir;
  const auto at = coordinates(body, *shape, 1, 1);
  if (!at) return false;
  if (body.is_1x) return write_texel(body, *shape, *at);
  std::vector<Value*> operands{handle(body, 0)};
  operands.insert(operands.end(), at->values.begin(), at->values.end());
  std::string constraints = "l" + at->constraints, colour;
  for (unsigned i = 0; i < 4; ++i) {
    Value* value = i < body.parameter(2).width ? body.element(body.argument(2), i) : ir.getInt32(0);
    if (value->getType()->isHalfTy()) value = ir.CreateFPExt(value, ir.getFloatTy());
    colour += (i == 0 ? "$" : ", $") + std::to_string(operands.size());
    operands.push_back(ir.CreateBitCast(value, ir.getInt32Ty()));
    constraints += ",r";
  }
  body.assembly(
      "sust.p." + std::string(shape->geometry) + ".v4.b32.zero [$0, {" + at->text + "}], {" + colour + "};",
      constraints, ir.getVoidTy(), operands, true);
  ir.CreateRetVoid();
  return true;
}

bool define_query_image(Body& body) {
  if (body.count() != 1) return false;
  const Shape* shape = shape_of(body.parameter(0));
  if (shape == nullptr) return false;
  llvm::IRBuilder<>& ir = body.ir;
  const auto query = [&](std::string_view what) {
    return body.assembly("txq." + std::string(what) + ".b32 $0, [$1];", "=r,l", ir.getInt32Ty(),
                         {handle(body, 0)});
  };
  std::string_view what = body.name();
  what.remove_prefix(std::string_view("get_image_").size());
  if (what == "dim") {
    Value* all = llvm::Constant::getNullValue(body.result());
    constexpr std::array<std::string_view, 3> sizes{"width", "height", "depth"};
    for (unsigned i = 0; i < shape->axes; ++i) all = ir.CreateInsertElement(all, query(sizes[i]), i);
    ir.CreateRet(all);
    return true;
  }
  if (what == "num_mip_levels") what = "num_mipmap_levels";
  ir.CreateRet(ir.CreateZExtOrTrunc(query(what), body.result()));
  return true;
}

}  // namespace heddle::frontend::opencl
