// Where blocks are follows the same counts that the occupancy functions tell.
#include "analysis/residency.h"

#include <gtest/gtest.h>

#include "analysis/registers/low_end.h"
#include "model/occupancy.h"

namespace heddle::runtime {
namespace {

TEST(Residency, IsWhatTheOccupancyFunctionsSay) {
  for (const arch::Architecture& a : arch::all_architectures())
    for (const uint32_t threads : {1u, 33u, 96u, 160u, 256u, 352u, 512u})
      for (const uint32_t registers : {8u, 21u, 32u, 63u, 100u})
        for (const uint32_t shared : {0u, 40u, 3000u, 10000u, 16000u}) {
          if (registers > a.registers.per_thread) continue;
          module::Function entry;
          entry.static_shared_bytes = 16;
          entry.signature.param_bytes = 24;
          model::BlockNeeds needs;
          needs.threads = threads;
          needs.registers = analysis::registers_in_block(registers, threads, a);
          needs.shared_bytes = 16 + shared + (a.has(arch::Feature::parameters_in_shared) ? 24u : 0u);
          const uint32_t told = model::occupancy(a, needs).blocks;
          EXPECT_EQ(analysis::resident_blocks(a, entry, registers, threads, shared), std::max(told, 1u))
              << a.id << ' ' << threads << ' ' << registers << ' ' << shared;
        }
}

TEST(Residency, PlacesOfTheWarpsOfOneMultiprocessorDiffer) {
  for (const uint32_t schedulers : {1u, 2u, 4u})
    for (uint32_t warps = 1; warps <= 32; ++warps) {
      analysis::WarpPlaces places;
      places.multiprocessors = 3;
      places.schedulers = schedulers;
      places.warps = warps;
      places.resident = 64 / warps;
      for (uint64_t first = 0; first < 40; ++first) {  // blocks that are there at once, of multiprocessor 1
        uint64_t taken = 0;
        for (uint64_t block = first; block < first + places.resident; ++block)
          for (uint32_t warp = 0; warp < warps; ++warp) {
            EXPECT_EQ(places.multiprocessor(3 * block + 1), 1u);
            const uint32_t place = places.warp(3 * block + 1, warp);
            ASSERT_LT(place, 64u);
            EXPECT_EQ(taken >> place & 1, 0u) << schedulers << ' ' << warps << ' ' << block;
            taken |= uint64_t{1} << place;
          }
      }
    }
}

}  // namespace
}  // namespace heddle::runtime
