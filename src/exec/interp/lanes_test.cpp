// Single instructions for another executor, which keeps registers, memory and control flow.
#include "exec/interp/lanes.h"

#include "exec/interp/test_program.h"

namespace heddle::exec::interp {
namespace {

constexpr uint64_t stride = 256;

class Borrowed {
 public:
  Borrowed(const char* ptx, LaunchShape shape) : program_(ptx) {
    launch_ = program_.launch(params_, "k", shape);
    function_ = program_.image().function_index("k");
    shared_.resize(1024);
    local_.resize(shape.block.count() * stride);
    lanes_ = make_reference_lanes_factory()->make(*launch_, nullptr, nullptr);
    lanes_->enter({.block = {3, 2, 1},
                   .shared = shared_.data(),
                   .shared_bytes = static_cast<uint32_t>(shared_.size()),
                   .local = local_.data(),
                   .local_stride = stride});
  }
  const module::Function& function() const { return program_.image().functions[function_]; }
  uint64_t& reg(const char* name, int lane) {
    for (const module::RegisterInfo& info : function().registers)
      if (info.name == name) return lanes_->registers()[info.slot * 32 + static_cast<uint32_t>(lane)];
    ADD_FAILURE() << "no register " << name;
    return lanes_->registers()[0];
  }
  // The instruction whose text contains `text`.
  bool execute(const char* text, uint32_t lanes, uint32_t warp = 0, uint64_t frame = 0) {
    const auto& code = function().code;
    for (uint32_t i = 0; i < code.size(); ++i)
      if (module::instruction_text(program_.image(), function(), code[i]).find(text) != std::string::npos)
        return lanes_->execute(function_, i, warp, lanes, frame, carry);
    ADD_FAILURE() << "no instruction " << text;
    return false;
  }
  Fault fault() { return lanes_->take_fault(); }
  template <class T>
  T& shared(std::size_t offset) {
    return *reinterpret_cast<T*>(shared_.data() + offset);
  }
  template <class T>
  T& local(uint32_t thread, std::size_t offset) {
    return *reinterpret_cast<T*>(local_.data() + thread * stride + offset);
  }
  uint32_t carry = 0;

 private:
  TestProgram program_;
  std::vector<std::byte> params_;
  std::optional<Launch> launch_;
  uint32_t function_ = 0;
  std::vector<std::byte> shared_, local_;
  std::unique_ptr<ReferenceLanes> lanes_;
};

constexpr const char* text = R"(
.version 8.0
.target sm_70
.address_size 64
.entry k()
{
  .reg .b32 %a, %b, %c, %m;
  .reg .b64 %x;
  .reg .pred %p;
  .shared .b32 words[256];
  .local .b32 mine[8];
  add.s32 %c, %a, %b;
  add.cc.u32 %c, %a, %b;
  addc.u32 %c, %a, 0;
  st.shared.u32 [%x], %a;
  ld.local.u32 %c, [mine+8];
  shfl.sync.bfly.b32 %c, %a, 1, 31, -1;
  match.any.sync.b32 %c, %a, %m;
  mov.u32 %c, %ctaid.x;
  mov.u32 %b, %tid.x;
  bar.sync 0;
@%p bra end;
  mov.u32 %c, 1;
end:
  ret;
}
)";

TEST(lanes, an_instruction_works_on_registers_of_the_lanes_given) {
  Borrowed lanes(text, {.block = {64}});
  for (int i = 0; i < 32; ++i) {
    lanes.reg("%a", i) = static_cast<uint64_t>(i);
    lanes.reg("%b", i) = 100;
    lanes.reg("%c", i) = 7;
  }
  ASSERT_TRUE(lanes.execute("add.s32", 0xffff0000));
  EXPECT_EQ(lanes.reg("%c", 15), 7u);
  EXPECT_EQ(lanes.reg("%c", 16), 116u);
  EXPECT_EQ(lanes.reg("%c", 31), 131u);
}

TEST(lanes, condition_codes_go_in_and_out) {
  Borrowed lanes(text, {.block = {32}});
  lanes.reg("%a", 0) = 0xffffffff;
  lanes.reg("%b", 0) = 1;
  lanes.reg("%a", 1) = 1;
  lanes.reg("%b", 1) = 1;
  ASSERT_TRUE(lanes.execute("add.cc", 3));
  EXPECT_EQ(lanes.carry, 1u);
  lanes.carry = 2;
  ASSERT_TRUE(lanes.execute("addc", 3));
  EXPECT_EQ(lanes.reg("%c", 0), 0xffffffffu);
  EXPECT_EQ(lanes.reg("%c", 1), 2u);
}

TEST(lanes, shared_and_local_memory_are_the_callers) {
  Borrowed lanes(text, {.block = {64}});
  lanes.reg("%x", 5) = 40;
  lanes.reg("%a", 5) = 1234;
  ASSERT_TRUE(lanes.execute("st.shared", 1 << 5));
  EXPECT_EQ(lanes.shared<uint32_t>(40), 1234u);
  lanes.local<uint32_t>(32 + 5, 64 + 8) = 77;
  ASSERT_TRUE(lanes.execute("ld.local", 1 << 5, 1, 64));
  EXPECT_EQ(lanes.reg("%c", 5), 77u);
}

TEST(lanes, collectives_take_the_lanes_given_as_all_that_come) {
  Borrowed lanes(text, {.block = {32}});
  for (int i = 0; i < 32; ++i) lanes.reg("%a", i) = 10u + static_cast<uint64_t>(i);
  // The membermask says that all 32 come; only four do.
  ASSERT_TRUE(lanes.execute("shfl.sync", 0xf));
  EXPECT_EQ(lanes.reg("%c", 0), 11u);
  EXPECT_EQ(lanes.reg("%c", 3), 12u);
  // Two sets of members in one instruction.
  for (int i = 0; i < 4; ++i) {
    lanes.reg("%a", i) = 5;
    lanes.reg("%m", i) = i < 2 ? 3 : 12;
  }
  ASSERT_TRUE(lanes.execute("match.any", 0xf));
  EXPECT_EQ(lanes.reg("%c", 0), 3u);
  EXPECT_EQ(lanes.reg("%c", 2), 12u);
}

TEST(lanes, special_registers_are_of_the_block_entered) {
  Borrowed lanes(text, {.grid = {8, 8, 8}, .block = {64}});
  ASSERT_TRUE(lanes.execute("%ctaid.x", 1, 1));
  EXPECT_EQ(lanes.reg("%c", 0), 3u);
  ASSERT_TRUE(lanes.execute("%tid.x", 1 << 4, 1));
  EXPECT_EQ(lanes.reg("%b", 4), 36u);
}

TEST(lanes, a_fault_is_a_value_and_the_next_instruction_runs) {
  Borrowed lanes(text, {.grid = {8, 8, 8}, .block = {64}});
  lanes.reg("%x", 2) = 4096;
  EXPECT_FALSE(lanes.execute("st.shared", 1 << 2, 1));
  const Fault fault = lanes.fault();
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
  EXPECT_EQ(fault.thread, (Dim3{34, 0, 0}));
  EXPECT_EQ(fault.block, (Dim3{3, 2, 1}));
  EXPECT_EQ(fault.address, 4096u);
  EXPECT_TRUE(lanes.execute("add.s32", 1));
}

TEST(lanes, what_moves_lanes_is_refused) {
  Borrowed lanes(text, {.block = {64}});
  EXPECT_FALSE(lanes.execute("bra", 1));
  EXPECT_EQ(lanes.fault().kind, FaultKind::illegal_instruction);
  EXPECT_FALSE(lanes.execute("bar.sync", ~0u));
  EXPECT_EQ(lanes.fault().kind, FaultKind::illegal_instruction);
  EXPECT_FALSE(lanes.execute("ret", 1));
  EXPECT_EQ(lanes.fault().kind, FaultKind::illegal_instruction);
  EXPECT_TRUE(lanes.execute("add.s32", 1));
}

}  // namespace
}  // namespace heddle::exec::interp
