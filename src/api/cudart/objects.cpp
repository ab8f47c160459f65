#include "api/cudart/objects.h"

namespace heddle::cudart {

Answer<cuda::Function*> find_kernel(const void* function) {
  auto context = runtime_context();
  if (!context) return context.error();
  return Process::get().registry().function(*context, function);
}

Answer<exec::Texel> texel_of(const cudaChannelFormatDesc& desc) {
  exec::Texel texel;
  switch (desc.f) {
    case cudaChannelFormatKindSigned: texel.kind = exec::ChannelKind::signed_; break;
    case cudaChannelFormatKindUnsigned: texel.kind = exec::ChannelKind::unsigned_; break;
    case cudaChannelFormatKindFloat: texel.kind = exec::ChannelKind::floating; break;
    default: return failure(Code::invalid_channel_descriptor, "channel format " + std::to_string(desc.f));
  }
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  for (int i = 0; i < 4; ++i) {
    if (bits[i] != 0 && bits[i] != 8 && bits[i] != 16 && bits[i] != 32)
      return failure(Code::invalid_channel_descriptor, "a channel of " + std::to_string(bits[i]) + " bits");
    texel.bits[i] = static_cast<uint8_t>(bits[i]);
  }
  if (texel.bits[0] == 0) return failure(Code::invalid_channel_descriptor, "no channels");
  return texel;
}

cudaChannelFormatDesc channel_desc(const exec::Texel& texel) {
  cudaChannelFormatDesc desc{texel.bits[0], texel.bits[1], texel.bits[2], texel.bits[3],
                             cudaChannelFormatKindFloat};
  if (texel.kind == exec::ChannelKind::signed_) desc.f = cudaChannelFormatKindSigned;
  if (texel.kind == exec::ChannelKind::unsigned_) desc.f = cudaChannelFormatKindUnsigned;
  return desc;
}

}  // namespace heddle::cudart
