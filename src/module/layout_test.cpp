#include "module/layout.h"

#include <gtest/gtest.h>

namespace heddle::module {
namespace {

ptx::Variable variable(isa::Type type, std::vector<uint64_t> dims = {}, uint32_t align = 0,
                       uint8_t vector = 1) {
  ptx::Variable v;
  v.space = ptx::StateSpace::param;
  v.type = type;
  v.dims = std::move(dims);
  v.align = align;
  v.vector = vector;
  return v;
}

struct Prototype {
  ptx::Module module;
  ptx::Prototype prototype;
  Prototype() { module.names = std::make_shared<Interner>(); }
};

TEST(Layout, NaturalAlignmentIsThatOfAnElementOrVector) {
  EXPECT_EQ(align_of(variable(isa::Type::b8, {16})), 1u);
  EXPECT_EQ(align_of(variable(isa::Type::f64)), 8u);
  EXPECT_EQ(align_of(variable(isa::Type::f32, {}, 0, 4)), 16u);
  EXPECT_EQ(align_of(variable(isa::Type::b8, {16}, 32)), 32u);
  EXPECT_EQ(align_of(variable(isa::Type::texref)), 8u);
}

TEST(Layout, SizesMultiplyOut) {
  EXPECT_EQ(size_of(variable(isa::Type::s32, {4, 2})), 32u);
  EXPECT_EQ(size_of(variable(isa::Type::f32, {3}, 0, 4)), 48u);
  EXPECT_EQ(size_of(variable(isa::Type::b8, {0})), 0u);
  EXPECT_EQ(size_of(variable(isa::Type::b64, {uint64_t{1} << 40, uint64_t{1} << 40})), std::nullopt);
  EXPECT_EQ(size_of(variable(isa::Type::b8, {max_variable_bytes + 1})), std::nullopt);
}

TEST(Layout, EntryParametersFillABufferOfTheirOwn) {
  Prototype p;
  p.prototype.params = {variable(isa::Type::u8), variable(isa::Type::u64), variable(isa::Type::b8, {3}),
                        variable(isa::Type::b8, {12}, 8), variable(isa::Type::u16)};
  Frame frame;
  const Signature s = make_signature(p.module, p.prototype, true, frame);
  std::vector<uint32_t> offsets;
  for (const Parameter& parameter : s.params) offsets.push_back(parameter.offset);
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 8, 16, 24, 36}));
  EXPECT_EQ(s.param_bytes, 38u);
  EXPECT_EQ(frame.bytes(), 0u);
}

TEST(Layout, AFunctionsFrameBeginsWithParametersAndResults) {
  Prototype p;
  p.prototype.params = {variable(isa::Type::u32)};
  p.prototype.results = {variable(isa::Type::b8, {16}, 16)};
  Frame frame;
  const Signature s = make_signature(p.module, p.prototype, false, frame);
  EXPECT_EQ(s.param_bytes, 4u);
  EXPECT_EQ(s.result_offset, 16u);
  EXPECT_EQ(s.results[0].offset, 16u);
  EXPECT_EQ(s.result_bytes, 16u);
  EXPECT_EQ(frame.bytes(), 32u);
  EXPECT_EQ(frame.align(), 16u);
}

TEST(Layout, ScopesOfAFrameMayLieOverEachOther) {
  Frame frame(8);
  const uint64_t mark = frame.mark();
  EXPECT_EQ(frame.add(4, 4), 8u);
  EXPECT_EQ(frame.add(8, 8), 16u);
  frame.release(mark);
  EXPECT_EQ(frame.add(4, 4), 8u);
  EXPECT_EQ(frame.bytes(), 24u);
}

TEST(Layout, MissingDimensionsOfALimitAreOne) {
  ptx::Function function;
  function.directives = {{isa::Directive::maxntid, {256}}, {isa::Directive::minnctapersm, {2}}};
  const Limits limits = make_limits(function);
  EXPECT_EQ(limits.max_threads[0], 256u);
  EXPECT_EQ(limits.max_threads[2], 1u);
  EXPECT_EQ(limits.min_blocks, 2u);
  EXPECT_EQ(limits.required_threads[0], 0u);
}

TEST(Layout, SignaturesFitBySizes) {
  Prototype p;
  p.prototype.params = {variable(isa::Type::f32)};
  Prototype q;
  q.prototype.params = {variable(isa::Type::b32)};
  Frame frame;
  EXPECT_TRUE(same_shape(make_signature(p.module, p.prototype, false, frame),
                         make_signature(q.module, q.prototype, false, frame)));
  q.prototype.params[0].type = isa::Type::b64;
  EXPECT_FALSE(same_shape(make_signature(p.module, p.prototype, false, frame),
                          make_signature(q.module, q.prototype, false, frame)));
}

}  // namespace
}  // namespace heddle::module
