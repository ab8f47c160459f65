#include "runtime/texture.h"

#include <string>

namespace heddle::runtime {

namespace {

struct Resource {
  exec::TexelArray image;
  AllocationRef memory;  // stays as long as the object
};

Outcome<Resource> array_resource(const TextureSource& source) {
  const Array& array = *source.array;
  Resource resource{array.image(), array.memory()};
  exec::TexelArray& image = resource.image;
  const uint32_t levels = source.levels == 0 ? image.levels - source.first_level : source.levels;
  if (source.first_level >= image.levels || levels > image.levels - source.first_level)
    return invalid("mip levels " + std::to_string(source.first_level) + " and " + std::to_string(levels) +
                   " more of an array that has " + std::to_string(image.levels));
  for (uint32_t i = 0; i < levels; ++i) image.mip[i] = image.mip[i + source.first_level];
  image.levels = levels;
  if (source.first_layer != 0 || source.layers != 0) {
    const uint64_t all = image.mip[0].depth;
    const bool layered = array.request().shape >= ArrayShape::d1_layered;
    const uint64_t layers =
        source.layers == 0 && source.first_layer < all ? all - source.first_layer : source.layers;
    if (!layered || layers == 0 || source.first_layer >= all || layers > all - source.first_layer)
      return invalid("layers from " + std::to_string(source.first_layer) + " of an array that has " +
                     std::to_string(layered ? all : 0));
    for (uint32_t i = 0; i < levels; ++i) {
      image.mip[i].data += source.first_layer * image.mip[i].slice_pitch;
      image.mip[i].depth = layers;
    }
  }
  if (source.view) {
    if (source.view->bytes() != image.texel.bytes())
      return invalid("elements of " + std::to_string(image.texel.bytes()) + " bytes read as elements of " +
                     std::to_string(source.view->bytes()));
    image.texel = *source.view;
  }
  return resource;
}

Outcome<Resource> linear_resource(Context& context, const TextureSource& source) {
  const arch::Device& device = context.device().facts;
  const bool rows = source.height != 0;
  const uint64_t texel = source.texel.bytes();
  if (texel == 0 || source.width == 0) return invalid("a texture of no elements");
  const auto& limits = device.arch.textures;
  const auto too_large = [&](std::string_view what, uint64_t value, uint64_t limit) {
    return invalid(std::string(what) + " of a texture in linear memory is " + std::to_string(value) + ", " +
                   arch::describe(device) + " allows " + std::to_string(limit));
  };
  if (!rows && source.width > limits.d1_linear) return too_large("width", source.width, limits.d1_linear);
  if (rows && source.width > limits.d2_linear[0])
    return too_large("width", source.width, limits.d2_linear[0]);
  if (rows && source.height > limits.d2_linear[1])
    return too_large("height", source.height, limits.d2_linear[1]);
  if (rows && source.row_pitch > limits.d2_linear[2])
    return too_large("pitch", source.row_pitch, limits.d2_linear[2]);
  const uint32_t alignment = device.arch.memory.texture_alignment;
  if (source.address == 0) return invalid("a texture over memory at 0");
  if (source.address % alignment != 0)
    return invalid("a texture in linear memory begins at a multiple of " + std::to_string(alignment) +
                   " bytes");
  const uint64_t row_bytes = source.width * texel;
  const uint32_t pitch_alignment = device.arch.memory.texture_pitch_alignment;
  if (rows && (source.row_pitch < row_bytes || source.row_pitch % pitch_alignment != 0))
    return invalid("a pitch of " + std::to_string(source.row_pitch) + " bytes for rows of " +
                   std::to_string(row_bytes) + "; it is a multiple of " + std::to_string(pitch_alignment));
  const uint64_t bytes = rows ? (source.height - 1) * source.row_pitch + row_bytes : row_bytes;
  // An H200 takes any address, and faults when a fetch meets no memory.
  const AllocationRef memory = context.system().memory().find(source.address);
  if (memory != nullptr && memory->range != nullptr) memory->range->sampled();
  Resource resource;
  resource.memory = memory;
  resource.image.shape = rows ? exec::TextureShape::d2_pitched : exec::TextureShape::linear_buffer;
  resource.image.texel = source.texel;
  resource.image.mip[0] = {
      reinterpret_cast<std::byte*>(source.address), source.width, rows ? source.height : 1, 1,
      rows ? source.row_pitch : row_bytes,          bytes};
  return resource;
}

Outcome<Resource> resource_of(Context& context, const TextureSource& source) {
  if (Done state = context.begin(Site::operation); !state) return state.error();
  return source.array != nullptr ? array_resource(source) : linear_resource(context, source);
}

Done check_sampler(const exec::Sampler& sampler, const exec::TexelArray& image, const TextureSource& source) {
  const bool floats = image.texel.kind == exec::ChannelKind::floating;
  const bool normalized = source.read == exec::ReadMode::normalized_float;
  // CUDA C++ Programming Guide 3.2.14.1.1: "only for textures that are configured to return floating-point
  // data".
  if (sampler.filter == exec::FilterMode::linear && !floats && !normalized && !source.filters_integers)
    return invalid("a texture that is read as integers cannot be filtered");
  if (normalized && !floats && image.texel.bits[0] == 32)
    return invalid("integers of 32 bits cannot be read as normalised floats");
  if (image.levels > 1 && !sampler.normalized_coordinates)
    return invalid("a texture with mip levels has normalised coordinates");
  return Unit{};
}

Error too_many() { return error(ErrorCode::out_of_memory, "too many texture objects"); }

Done removed(bool was_there, uint64_t handle) {
  if (was_there) return Unit{};
  return error(ErrorCode::invalid_handle, "no such object: " + std::to_string(handle));
}

// Programs destroy an object as soon as the kernel that reads it has been launched: what was submitted before
// still finds it.
template <class Table>
Done release(Context& context, Table& table, uint64_t handle) {
  if (!table.release(handle)) return removed(false, handle);
  context.keep_until_idle(std::shared_ptr<const void>(
      &table, [owner = context.shared_from_this(), &table, handle](const void*) { table.remove(handle); }));
  return Unit{};
}

}  // namespace

Outcome<uint64_t> create_texture(Context& context, const TextureSource& source,
                                 const exec::Sampler& sampler) {
  auto resource = resource_of(context, source);
  if (!resource) return resource.error();
  if (Done fits = check_sampler(sampler, resource->image, source); !fits) return fits.error();
  const auto handle = context.services().textures.add(
      {{resource->image, source.read, source.srgb, sampler}, resource->memory});
  if (!handle) return too_many();
  return *handle;
}

Outcome<uint64_t> create_sampler(Context& context, const exec::Sampler& sampler) {
  if (Done state = context.begin(Site::operation); !state) return state.error();
  const auto handle = context.services().samplers.add(sampler);
  if (!handle) return too_many();
  return *handle;
}

Outcome<uint64_t> create_surface(Context& context, const TextureSource& source) {
  if (source.array == nullptr || !source.array->request().surface)
    return invalid("a surface is made of an array that was created for it");
  auto resource = resource_of(context, source);
  if (!resource) return resource.error();
  const auto handle = context.services().surfaces.add({{resource->image}, resource->memory});
  if (!handle) return too_many();
  return *handle;
}

Done destroy_texture(Context& context, uint64_t handle) {
  return release(context, context.services().textures, handle);
}
Done destroy_sampler(Context& context, uint64_t handle) {
  return removed(context.services().samplers.remove(handle), handle);
}
Done destroy_surface(Context& context, uint64_t handle) {
  return release(context, context.services().surfaces, handle);
}

Outcome<uint64_t> create_image(Context& context, const exec::TexelArray& image, AllocationRef memory) {
  if (Done state = context.begin(Site::operation); !state) return state.error();
  if (!image.pixel.given() || image.texel.bytes() == 0 || image.mip[0].data == nullptr)
    return invalid("an image of no format or no memory");
  BoundImage bound;
  bound.texture.image = image;
  bound.texture.sampler.normalized_coordinates = true;  // the sampler decides
  bound.surface.image = image;
  bound.memory = std::move(memory);
  const auto handle = context.services().images.add(std::move(bound));
  if (!handle) return too_many();
  return *handle;
}
Done destroy_image(Context& context, uint64_t handle) {
  return removed(context.services().images.remove(handle), handle);
}

}  // namespace heddle::runtime
