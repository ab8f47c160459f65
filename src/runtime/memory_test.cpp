#include "runtime/memory.h"

#include <chrono>
#include <cstdlib>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

constexpr uint64_t page = AddressSpace::page_bytes;

TEST(Memory, AllocationsAreAlignedZeroedAndVisibleToKernels) {
  TestSystem test;
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{1000}, uint64_t{4096}, uint64_t{3} << 20}) {
    const AllocationRef memory = *test.context->allocate(MemoryKind::device, bytes);
    EXPECT_EQ(memory->address % 256, 0u);
    EXPECT_EQ(memory->bytes, bytes);
    EXPECT_TRUE(test.context->guest_memory().accessible(memory->address, bytes, true));
    EXPECT_EQ(*pointer<char>(memory->address), 0);
    EXPECT_EQ(*pointer<char>(memory->end() - 1), 0);
    *pointer<char>(memory->end() - 1) = 1;
  }
}

TEST(Memory, HasInaccessiblePagesOnBothSides) {
  TestSystem test;
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 3 * page);
  const exec::GuestMemory& guest = test.context->guest_memory();
  EXPECT_FALSE(guest.accessible(memory->address - 1, 1, false));
  EXPECT_FALSE(guest.accessible(memory->end(), 1, false));
  EXPECT_DEATH(*pointer<volatile char>(memory->end()) = 1, "");
  EXPECT_DEATH(*pointer<volatile char>(memory->address - 1) = 1, "");
}

TEST(Memory, ASmallAllocationEndsWhereItsPageEnds) {
  TestSystem test;
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 512);
  EXPECT_FALSE(test.context->guest_memory().accessible(memory->end(), 1, false));
}

TEST(Memory, LargeAllocationsBeginOnHugePages) {
  TestSystem test;
  EXPECT_EQ((*test.context->allocate(MemoryKind::device, 100 << 20))->address % AddressSpace::huge_page_bytes,
            0u);
}

TEST(Memory, FreedMemoryIsGone) {
  TestSystem test;
  const uint64_t address = (*test.context->allocate(MemoryKind::device, page))->address;
  EXPECT_DONE(test.context->free(address, {MemoryKind::device}));
  EXPECT_FALSE(test.context->guest_memory().accessible(address, 1, false));
  EXPECT_EQ(test.system->memory().find(address), nullptr);
  EXPECT_DEATH(*pointer<volatile char>(address) = 1, "");
  EXPECT_EQ(test.system->devices()[0].budget.used(), 0u);
}

TEST(Memory, ApartItsAddressesComeBackLate) {
  TestSystem test({.bounds = Bounds::apart});
  const uint64_t first = (*test.context->allocate(MemoryKind::device, page))->address;
  const uint64_t second = (*test.context->allocate(MemoryKind::device, page))->address;
  constexpr uint64_t wide = uint64_t{16} << 20;
  EXPECT_GE(std::max(first, second) - std::min(first, second), wide);
  EXPECT_DONE(test.context->free(first, {MemoryKind::device}));
  for (int i = 0; i < 100; ++i) {
    const uint64_t other = (*test.context->allocate(MemoryKind::device, page))->address;
    EXPECT_NE(other, first);
    EXPECT_DONE(test.context->free(other, {MemoryKind::device}));
  }
}

TEST(Memory, TellsWhatIsWrongWithAPointerToFree) {
  TestSystem test;
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 4096);
  const AllocationRef host = *test.context->allocate_host(100, true);
  const auto free = [&](uint64_t address) { return test.context->free(address, {MemoryKind::device}); };
  EXPECT_THAT(said(free(memory->address + 16)),
              testing::HasSubstr("lies 16 bytes into device memory of 4096 bytes"));
  EXPECT_THAT(said(free(host->address)),
              testing::HasSubstr("is the beginning of page-locked host memory of 100 bytes"));
  int mine = 0;
  EXPECT_THAT(said(free(address_of(&mine))), testing::HasSubstr("is in no allocation"));
  EXPECT_EQ(code(free(0)), ErrorCode::invalid_value);
  const uint64_t address = memory->address;
  EXPECT_DONE(free(address));
  EXPECT_THAT(said(free(address)), testing::HasSubstr("that was freed"));
  EXPECT_DONE(test.context->check());  // misuse is not sticky
}

TEST(Memory, TwentyThousandAllocationsWork) {
  TestSystem test;
  std::vector<uint64_t> addresses;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const auto memory = test.context->allocate(MemoryKind::device, 1 + i % 9000);
    ASSERT_TRUE(memory.ok()) << i << ": " << said(memory);
    *pointer<uint8_t>((*memory)->address) = static_cast<uint8_t>(i);
    *pointer<uint8_t>((*memory)->end() - 1) = static_cast<uint8_t>(i);
    ASSERT_EQ((*memory)->address % 256, 0u);
    ASSERT_TRUE(test.context->guest_memory().accessible((*memory)->address, (*memory)->bytes, true));
    addresses.push_back((*memory)->address);
  }
  for (uint64_t i = 0; i < addresses.size(); ++i) ASSERT_EQ(*pointer<uint8_t>(addresses[i]), i % 256);
  for (const uint64_t address : addresses) {
    const AllocationRef memory = test.system->memory().find_at(address);
    ASSERT_NE(memory, nullptr);
    test.system->memory().release(memory);
  }
  EXPECT_EQ(test.system->devices()[0].budget.used(), 0u);
}

TEST(Memory, TheDevicesSizeIsALimit) {
  TestSystem test({.devices = {"gtx285"}});  // 1 GiB
  const auto too_much = test.context->allocate(MemoryKind::device, uint64_t{2} << 30);
  EXPECT_EQ(code(too_much), ErrorCode::out_of_memory);
  EXPECT_THAT(said(too_much), testing::HasSubstr("an allocation of 2147483648 bytes, device 'gtx285' has"));
  const auto most = test.context->allocate(MemoryKind::device, uint64_t{900} << 20);
  ASSERT_TRUE(most.ok()) << said(most);
  EXPECT_EQ(code(test.context->allocate(MemoryKind::device, uint64_t{200} << 20)), ErrorCode::out_of_memory);
  EXPECT_TRUE(test.context->allocate_host(uint64_t{200} << 20, false).ok());  // the host's memory is another
  EXPECT_DONE(test.context->free((*most)->address, {MemoryKind::device}));
  EXPECT_EQ(code(test.context->allocate(MemoryKind::device, 0)), ErrorCode::invalid_value);
  EXPECT_EQ(code(test.context->allocate(MemoryKind::device, ~uint64_t{0})), ErrorCode::out_of_memory);
}

TEST(Memory, TheHostsSizeIsALimitOfAllDevicesTogether) {
  TestSystem test({.devices = {"h200", "gtx285"}, .host_memory = uint64_t{600} << 20});
  const auto second = test.make_context(1);
  const MemoryBudget& device = test.system->devices()[0].budget;
  const uint64_t half = (*test.context->allocate(MemoryKind::device, uint64_t{300} << 20))->address;
  EXPECT_EQ(device.left(), uint64_t{300} << 20);
  EXPECT_EQ(test.system->devices()[1].budget.left(), uint64_t{300} << 20);
  const auto too_much = second->allocate(MemoryKind::device, uint64_t{301} << 20);
  EXPECT_EQ(code(too_much), ErrorCode::out_of_memory);
  EXPECT_EQ(said(too_much), "an allocation of 315621376 bytes, the host has 314572800 of 629145600 left");
  EXPECT_EQ(code(test.context->allocate_host(uint64_t{301} << 20, true)), ErrorCode::out_of_memory);
  EXPECT_DONE(test.context->free(half, {MemoryKind::device}));
  EXPECT_TRUE(test.context->allocate_host(uint64_t{301} << 20, true).ok());
  EXPECT_EQ(device.used(), 0u);
}

TEST(Memory, InformationAboutAnyPointer) {
  TestSystem test({.devices = {"h200", "k40"}});
  const auto second = test.make_context(1);
  const AllocationRef memory = *second->allocate(MemoryKind::managed, 5000, 7);
  const AllocationRef found = test.system->memory().find(memory->address + 4999);
  ASSERT_EQ(found, memory);
  EXPECT_EQ(found->kind, MemoryKind::managed);
  EXPECT_EQ(found->device, 1u);
  EXPECT_EQ(found->owner, second.get());
  EXPECT_EQ(found->flags, 7u);
  EXPECT_EQ(test.system->memory().find(memory->end()), nullptr);
}

TEST(Memory, BelongsToItsContext) {
  TestSystem test({.devices = {"h200", "h200"}});
  const auto other = test.make_context(1);
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 4096);
  EXPECT_FALSE(other->guest_memory().accessible(memory->address, 1, false));
  EXPECT_DONE(other->enable_peer(*test.context));
  EXPECT_EQ(code(other->enable_peer(*test.context)), ErrorCode::peer_enabled);
  EXPECT_TRUE(other->guest_memory().accessible(memory->address, 4096, true));
  const AllocationRef later = *test.context->allocate(MemoryKind::device, 4096);
  EXPECT_TRUE(other->guest_memory().accessible(later->address, 4096, true));
  EXPECT_DONE(other->disable_peer(*test.context));
  EXPECT_FALSE(other->guest_memory().accessible(later->address, 1, false));
  EXPECT_EQ(code(other->disable_peer(*test.context)), ErrorCode::peer_not_enabled);
  const AllocationRef shared = *test.context->allocate(MemoryKind::managed, 4096);
  EXPECT_TRUE(other->guest_memory().accessible(shared->address, 4096, true));
  const AllocationRef host = *test.context->allocate_host(4096, true);
  EXPECT_TRUE(other->guest_memory().accessible(host->address, 4096, true));
  EXPECT_TRUE(test.make_context(1)->guest_memory().accessible(host->address, 4096, true));
  const AllocationRef unmapped = *test.context->allocate_host(4096, false);
  EXPECT_FALSE(test.context->guest_memory().accessible(unmapped->address, 1, false));
}

TEST(Memory, HostMemoryCanBeRegistered) {
  TestSystem test;
  std::vector<std::byte> mine(10'000);
  const uint64_t address = address_of(mine.data());
  EXPECT_TRUE(test.context->register_host(address, mine.size(), true, false).ok());
  EXPECT_TRUE(test.context->guest_memory().accessible(address, mine.size(), true));
  EXPECT_EQ(code(test.context->register_host(address + 5000, 10, true, false)),
            ErrorCode::already_registered);
  EXPECT_EQ(code(test.context->register_host(0, 10, true, false)), ErrorCode::invalid_value);
  EXPECT_EQ(code(test.context->unregister_host(address + 1)), ErrorCode::not_registered);
  EXPECT_DONE(test.context->unregister_host(address));
  EXPECT_FALSE(test.context->guest_memory().accessible(address + page, 1, false));
  EXPECT_EQ(code(test.context->unregister_host(address)), ErrorCode::not_registered);
}

TEST(Memory, ProgramsWith32BitAddressesGetMemoryBelow4GiB) {
  TestSystem test;  // (one system at a time can have those addresses)
  const auto low = test.make_context(0, {.low_addresses = true});
  const auto memory = low->allocate(MemoryKind::device, 1 << 20);
  ASSERT_TRUE(memory.ok()) << said(memory);
  EXPECT_LT((*memory)->end(), uint64_t{1} << 32);
  EXPECT_GE((*test.context->allocate(MemoryKind::device, 1 << 20))->address, uint64_t{1} << 32);
}

TEST(Memory, DevicesWith32BitPointersHaveTheirsBelow4GiB) {
  TestSystem test({.devices = {"gtx285"}});
  EXPECT_LT((*test.context->allocate(MemoryKind::device, 1 << 20))->end(), uint64_t{1} << 32);
}

TEST(Memory, GoesWithItsContext) {
  TestSystem test;
  const uint64_t address = (*test.context->allocate(MemoryKind::device, 4096))->address;
  test.context->destroy();
  EXPECT_EQ(test.system->memory().find(address), nullptr);
  EXPECT_EQ(test.system->devices()[0].budget.used(), 0u);
  EXPECT_EQ(code(test.context->allocate(MemoryKind::device, 1)), ErrorCode::invalid_context);
}

TEST(Memory, InStreamOrder) {
  TestSystem test;
  const auto stream = test.stream();
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 4096);
  EXPECT_DONE(fill(*stream, memory->address, 0x55, 4096));
  EXPECT_DONE(free_in_order(*stream, memory->address));
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(test.system->memory().find(memory->address), nullptr);
  EXPECT_EQ(code(free_in_order(*stream, memory->address)), ErrorCode::invalid_value);
}

}  // namespace
}  // namespace heddle::runtime
