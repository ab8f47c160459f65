// An instruction that looks at a texture, as the loops need it: where its operands stand. What has anything
// unusual is left to the reference executor.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/jit/thread/site.h"
#include "module/image.h"

namespace heddle::exec::jit::texture {

// A register of each lane, or a value that all have.
struct Source {
  uint32_t slot = module::none;
  uint64_t value = 0;
};

// Of a texture or a sampler: in a register, or bound to a symbol.
struct Reference {
  uint32_t slot = module::none, symbol = module::none;
  uint64_t offset = 0;
};

struct FetchForm {
  bool whole = false;  // coordinates are texels
  bool cube = false, array = false;
  bool by_level = false;  // asks for a level, in whichever way
  bool signed_layer = false;
  bool has_sampler = false;  // else the texture's own
  unsigned coordinates = 2;  // of a cube map three: the direction
  Reference texture, sampler;
  Source layer;
  std::array<Source, 3> coordinate;
  std::array<uint32_t, 4> result{module::none, module::none, module::none,
                                 module::none};  // slots; none: nobody reads it
};

// Of a kernel's sites.
struct Forms {
  std::vector<FetchForm> known;
  std::vector<uint32_t> of_site;  // index in `known`, or none; may be shorter than the sites
};
Forms forms_of(const module::Image&, std::span<const Site>);

}  // namespace heddle::exec::jit::texture
