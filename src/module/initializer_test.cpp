#include "module/initializer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

namespace heddle::module {
namespace {

using Kind = ptx::Initializer::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Writes an initial value as the text would: braces as `open` and `close`, numbers as they are.
class Variable {
 public:
  Variable(isa::Type type, std::vector<uint64_t> dims = {}, uint8_t vector = 1) {
    module_.names = std::make_shared<Interner>();
    variable_.space = ptx::StateSpace::global;
    variable_.name = module_.names->add_copy("x");
    variable_.type = type;
    variable_.dims = std::move(dims);
    variable_.vector = vector;
  }
  Variable& open() { return add({.kind = Kind::open}); }
  Variable& close() { return add({.kind = Kind::close}); }
  Variable& operator()(int64_t value) {
    return add({.kind = Kind::integer, .value = static_cast<uint64_t>(value)});
  }
  Variable& number(double value) {
    return add({.kind = Kind::float64, .value = std::bit_cast<uint64_t>(value)});
  }
  Variable& symbol(const char* name, uint64_t addend = 0, uint64_t mask = 0, bool generic = false) {
    return add({.kind = generic ? Kind::generic_symbol : Kind::symbol,
                .symbol = module_.names->add_copy(name),
                .value = addend,
                .mask = mask});
  }
  // "y" is symbol 3, "f" is function 5.
  InitialValue read(unsigned address_bits = 64) {
    const FindReferent find = [&](NameId name) -> std::optional<Referent> {
      if (module_.text(name) == "y") return Referent{.symbol = 3};
      if (module_.text(name) == "f") return Referent{.function = 5};
      return std::nullopt;
    };
    return initial_value(module_, variable_, address_bits, find,
                         [&](uint32_t, std::string message) { complaint = std::move(message); });
  }
  std::string complaint;

 private:
  Variable& add(ptx::Initializer item) {
    variable_.init.push_back(item);
    return *this;
  }
  ptx::Module module_;
  ptx::Variable variable_;
};

std::vector<int> bytes(const InitialValue& value) {
  std::vector<int> result;
  for (std::byte b : value.bytes) result.push_back(std::to_integer<int>(b));
  return result;
}

TEST(Initializer, AScalar) {
  EXPECT_THAT(bytes(Variable(isa::Type::u32)(0x01020304).read()), ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(bytes(Variable(isa::Type::s16)(-2).read()), ElementsAre(0xfe, 0xff));
  EXPECT_THAT(bytes(Variable(isa::Type::u8)(300).read()), ElementsAre(44));
  EXPECT_THAT(bytes(Variable(isa::Type::f32).number(1.5).read()), ElementsAre(0, 0, 0xc0, 0x3f));
}

TEST(Initializer, TrailingZerosAreLeftOut) {
  const InitialValue value = Variable(isa::Type::u8, {8}).open()(1)(0)(0).close().read();
  EXPECT_THAT(bytes(value), ElementsAre(1));
  EXPECT_EQ(value.size, 8u);
}

TEST(Initializer, NestedBracesFillRowByRow) {
  // .s8 m[2][3] = {{1, 2}, {4}}
  const InitialValue value =
      Variable(isa::Type::s8, {2, 3}).open().open()(1)(2).close().open()(4).close().close().read();
  EXPECT_THAT(bytes(value), ElementsAre(1, 2, 0, 4));
}

TEST(Initializer, AVectorIsTheInnermostDimension) {
  // .v2 .u8 p[2] = {{1, 2}, {3, 4}}
  const InitialValue value =
      Variable(isa::Type::u8, {2}, 2).open().open()(1)(2).close().open()(3)(4).close().close().read();
  EXPECT_THAT(bytes(value), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bytes(Variable(isa::Type::u8, {}, 4).open()(1)(2)(3)(4).close().read()),
              ElementsAre(1, 2, 3, 4));
}

TEST(Initializer, AnEmptyFirstDimensionIsAsLongAsItsValues) {
  // .s16 m[][2] = {{1, 2}, {3}}
  const InitialValue value =
      Variable(isa::Type::s16, {0, 2}).open().open()(1)(2).close().open()(3).close().close().read();
  EXPECT_EQ(value.size, 8u);
  EXPECT_EQ(Variable(isa::Type::u64, {0}).open()(0)(0)(0).close().read().size, 24u);
}

TEST(Initializer, AddressesBecomeRelocations) {
  const InitialValue value =
      Variable(isa::Type::u64, {3}).open()(7).symbol("y", 4, 0, true).symbol("f").close().read();
  ASSERT_EQ(value.relocations.size(), 2u);
  EXPECT_EQ(value.relocations[0].offset, 8u);
  EXPECT_EQ(value.relocations[0].symbol, 3u);
  EXPECT_EQ(value.relocations[0].addend, 4u);
  EXPECT_EQ(value.relocations[0].bytes, 8u);
  EXPECT_TRUE(value.relocations[0].generic);
  EXPECT_EQ(value.relocations[1].offset, 16u);
  EXPECT_EQ(value.relocations[1].function, 5u);
  EXPECT_EQ(value.relocations[1].symbol, none);
}

TEST(Initializer, AMaskTakesOneByteOfAnAddress) {
  const InitialValue value = Variable(isa::Type::u8, {2})
                                 .open()
                                 .symbol("y", 0, 0xff)
                                 .symbol("y", 0, 0xff00000000000000, true)
                                 .close()
                                 .read();
  ASSERT_EQ(value.relocations.size(), 2u);
  EXPECT_EQ(value.relocations[0].bytes, 1u);
  EXPECT_EQ(value.relocations[0].shift, 0u);
  EXPECT_EQ(value.relocations[1].offset, 1u);
  EXPECT_EQ(value.relocations[1].shift, 7u);
  EXPECT_TRUE(value.relocations[1].generic);
}

TEST(Initializer, AnAddressOfA32BitModuleHasFourBytes) {
  EXPECT_EQ(Variable(isa::Type::u64).symbol("y").read(32).relocations.at(0).bytes, 4u);
}

TEST(Initializer, BadValuesAreNamed) {
  Variable many(isa::Type::u32, {2});
  many.open()(1)(2)(3).close().read();
  EXPECT_THAT(many.complaint, HasSubstr("too many initial values for 'x': there is room for 2"));
  Variable integer(isa::Type::f32);
  integer(1).read();
  EXPECT_THAT(integer.complaint, HasSubstr("'x' of type .f32 cannot hold"));
  Variable narrow(isa::Type::u16);
  narrow.symbol("y").read();
  EXPECT_THAT(narrow.complaint, HasSubstr("at least 4 bytes"));
  Variable spread(isa::Type::u8, {4, uint64_t{1} << 40});
  spread.open().open()(1).close().open()(1).close().close().read();
  EXPECT_THAT(spread.complaint, HasSubstr("the limit is 1073741824"));
}

}  // namespace
}  // namespace heddle::module
