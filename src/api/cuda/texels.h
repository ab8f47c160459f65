// Formats, samplers and resources of the driver API as the runtime knows them.
#pragma once

#include "api/cuda/objects.h"
#include "runtime/texture.h"

namespace heddle::cu {

Answer<exec::Texel> texel_of(CUarray_format format, unsigned int channels);
CUarray_format format_of(const exec::Texel& texel);
Answer<runtime::TextureSource> source_of(const CUDA_RESOURCE_DESC& resource);
// And how the source is read: integers of up to 16 bits as numbers from 0 or -1 to 1, unless the flags say
// otherwise. Integers that are read as such are not filtered.
Answer<exec::Sampler> sampler_of(const CUDA_TEXTURE_DESC& description, runtime::TextureSource& source);
// Another format, and a part of levels and layers.
Status apply_view(runtime::TextureSource& source, const CUDA_RESOURCE_VIEW_DESC& view);

}  // namespace heddle::cu
