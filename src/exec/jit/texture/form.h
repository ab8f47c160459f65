// Instructions on textures and surfaces as the loops need them: where their operands stand. What has anything
// unusual is left to the reference executor.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/jit/abi/site.h"
#include "exec/jit/texture/lanes.h"
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

// A look at a texture.
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

// A load or a store of a surface.
struct SurfaceForm {
  bool store = false;
  bool formatted = false;  // values are components of a texel, the first coordinate counts texels
  Outside outside = Outside::trap;
  bool unsigned_slice = false;
  int element_bits = 32;
  int elements = 1;
  Reference surface;
  std::array<Source, 3> coordinate;  // x, y, z or the layer; a constant 0 where there is none
  std::array<Source, 4> value;       // of a store
  std::array<uint32_t, 4> result{module::none, module::none, module::none, module::none};  // of a load
};

// A question about an object, whose answer is one number: lanes that ask the same get the same.
struct QueryForm {
  std::array<uint32_t, 2> asked{module::none, module::none};  // slots of what it depends on
  uint32_t result = module::none;
};

// Of a kernel's sites.
struct Forms {
  enum class Kind : uint8_t { none, fetch, surface, query };
  struct Entry {
    Kind kind = Kind::none;
    uint32_t index = 0;
  };
  std::vector<Entry> of_site;  // may be shorter than the sites
  std::vector<FetchForm> fetches;
  std::vector<SurfaceForm> surfaces;
  std::vector<QueryForm> queries;
};
Forms forms_of(const module::Image&, std::span<const Site>);

}  // namespace heddle::exec::jit::texture
