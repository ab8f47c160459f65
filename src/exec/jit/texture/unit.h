// A worker's texture unit: runs the texture instructions among a kernel's steps for all lanes of a warp at
// once. What it does not know it leaves to the reference executor.
#pragma once

#include <cstdint>
#include <vector>

#include "exec/jit/abi/processor.h"
#include "exec/jit/texture/form.h"
#include "exec/jit/texture/lanes.h"
#include "exec/jit/texture/plan.h"
#include "exec/launch.h"
#include "observe/texels.h"

namespace heddle::exec::jit::texture {

class Unit {
 public:
  // From now on for the steps of a kernel of these forms; what the unit knew of textures is forgotten.
  // `looks`: seen() is wanted.
  void begin(const Launch& launch, const Forms& forms, VectorLevel level, bool looks);
  enum class Answer : uint8_t {
    done,
    unknown,  // nothing has happened: the reference executor has to do it
    first,    // the reference executor has to do it for the first lane, then tell() tells the others
  };
  // The instruction at a site for these lanes, on registers [slot][lane]; registers of other lanes may change
  // too.
  Answer step(uint32_t site, uint32_t lanes, uint64_t* registers);
  void tell(uint32_t site, uint32_t lanes, uint64_t* registers);
  // Whether the step that was done last looked at a texture, and the texels that counted.
  bool looked() const { return looked_; }
  const std::vector<observe::Texel>& seen() const { return seen_; }

 private:
  // What is known of an instruction, and how it looked at the texture that it met last.
  struct Instruction {
    const FetchForm* form = nullptr;
    const TextureObject* texture = nullptr;
    const Sampler* sampler = nullptr;
    bool ends_early = false;  // some of the texture is not there: each texel is asked for
    Plan plan;
  };
  struct SurfaceInstruction {
    const SurfaceForm* form = nullptr;
    const SurfaceObject* surface = nullptr;
    SurfacePlan plan;
  };
  bool reach(SurfaceInstruction& instruction, uint32_t lanes, uint64_t* registers);
  void load(const SurfaceInstruction& instruction, Range range, const int64_t* place, uint64_t* registers);
  void store(const SurfaceInstruction& instruction, Range range, uint32_t lanes, const int64_t* place,
             const uint64_t* registers);
  bool fetch(Instruction& instruction, uint32_t lanes, uint64_t* registers);
  bool is_whole(const TextureObject& texture) const;
  bool prepare(Instruction& instruction, uint64_t texture, uint64_t sampler);
  // False: some texel is not there, which the reference executor reports.
  bool look(const Instruction& instruction, uint32_t lanes, const uint64_t* registers, const Out& out);
  bool are_there(const Instruction& instruction, uint32_t lanes, Range range);
  void see(const Instruction& instruction, uint32_t lanes, int between);
  const int64_t* slices(const Instruction& instruction, Range range, const uint64_t* registers);
  const uint64_t* values(const Source& source, Range range, const uint64_t* registers, unsigned place);
  uint64_t handle(const Reference& reference, int lane, const uint64_t* registers) const;
  // Those of `lanes` that name the same texture and sampler as the first of them.
  uint32_t alike(const FetchForm& form, uint32_t lanes, const uint64_t* registers) const;
  uint32_t equal_lanes(const uint64_t* values, uint32_t lanes) const;

  struct Scratch {
    AxisPlaces axis[3];
    Corners corners;
    Raw raw[4];
    Sums sums;
    Faces faces;
    alignas(64) float scale[warp_lanes];
    alignas(64) int64_t slice[warp_lanes];
    alignas(64) uint64_t constant[4][warp_lanes];
    alignas(64) uint64_t component[4][warp_lanes];
  };

  const Codes* codes_ = nullptr;
  const Launch* launch_ = nullptr;
  const Forms* forms_ = nullptr;
  std::vector<Instruction> fetches_;  // as the kernel's forms
  std::vector<SurfaceInstruction> surfaces_;
  Scratch scratch_;
  bool looks_ = false, looked_ = false;
  std::vector<observe::Texel> seen_;
};

}  // namespace heddle::exec::jit::texture
