#include "api/opencl/image.h"

#include <algorithm>
#include <cstring>

#include "api/opencl/functions.gen.h"
#include "runtime/texture.h"

namespace heddle::opencl {

namespace {

using exec::ChannelKind;

struct TypeFacts {
  cl_mem_object_type type;
  std::string_view name;  // of the type in OpenCL C
  int axes;               // of a layer
  bool array;
};
constexpr TypeFacts types[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", 1, false},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t", 1, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", 1, true},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", 2, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", 2, true},
    {CL_MEM_OBJECT_IMAGE3D, "image3d_t", 3, false},
};
const TypeFacts* facts_of(cl_mem_object_type type) {
  const auto found = std::ranges::find(types, type, &TypeFacts::type);
  return found == std::end(types) ? nullptr : found;
}

std::vector<ImageFormat> make_formats() {
  struct Type {
    cl_channel_type type;
    ChannelKind kind;
    uint8_t bits;
  };
  static constexpr Type channel_types[] = {
      {CL_SNORM_INT8, ChannelKind::signed_, 8},        {CL_SNORM_INT16, ChannelKind::signed_, 16},
      {CL_UNORM_INT8, ChannelKind::unsigned_, 8},      {CL_UNORM_INT16, ChannelKind::unsigned_, 16},
      {CL_SIGNED_INT8, ChannelKind::signed_, 8},       {CL_SIGNED_INT16, ChannelKind::signed_, 16},
      {CL_SIGNED_INT32, ChannelKind::signed_, 32},     {CL_UNSIGNED_INT8, ChannelKind::unsigned_, 8},
      {CL_UNSIGNED_INT16, ChannelKind::unsigned_, 16}, {CL_UNSIGNED_INT32, ChannelKind::unsigned_, 32},
      {CL_HALF_FLOAT, ChannelKind::floating, 16},      {CL_FLOAT, ChannelKind::floating, 32},
  };
  std::vector<ImageFormat> formats;
  const auto add = [&](cl_channel_order order, uint8_t channels, const Type& type) {
    ImageFormat format{{order, type.type}, {type.kind, {0, 0, 0, 0}}, true};
    for (uint8_t i = 0; i < channels; ++i) format.texel.bits[i] = type.bits;
    formats.push_back(format);
  };
  for (const Type& type : channel_types) add(CL_RGBA, 4, type);
  for (const Type& type : channel_types) add(CL_RG, 2, type);
  for (const Type& type : channel_types) add(CL_R, 1, type);
  // Those that the channels' meaning alone makes different (exec::PixelFormat).
  for (const Type& type : channel_types) {
    const bool real = type.kind == ChannelKind::floating || type.type <= CL_UNORM_INT16;
    if (type.bits == 8)
      for (const cl_channel_order order : std::initializer_list<cl_channel_order>{CL_BGRA, CL_ARGB, CL_ABGR})
        add(order, 4, type);
    if (real && type.bits <= 32)
      for (const cl_channel_order order : std::initializer_list<cl_channel_order>{CL_INTENSITY, CL_LUMINANCE})
        add(order, 1, type);
    add(CL_A, 1, type);
    add(CL_RA, 2, type);
    if (type.type == CL_UNORM_INT8)
      for (const cl_channel_order order : std::initializer_list<cl_channel_order>{CL_sRGBA, CL_sBGRA})
        add(order, 4, type);
  }
  for (const cl_channel_type packed :
       std::initializer_list<cl_channel_type>{CL_UNORM_SHORT_565, CL_UNORM_SHORT_555})
    add(CL_RGB, 1, {packed, ChannelKind::unsigned_, 16});
  add(CL_RGB, 1, {CL_UNORM_INT_101010, ChannelKind::unsigned_, 32});
  return formats;
}

size_t bytes_of(const cl_image_format& format) { return find_format(format)->texel.bytes(); }

Failure bad(std::string message) { return failure(CL_INVALID_IMAGE_DESCRIPTOR, std::move(message)); }

// What the descriptor says, without memory.
Answer<std::unique_ptr<Image>> described(const cl_image_format& format, const cl_image_desc& desc) {
  const TypeFacts* facts = facts_of(desc.image_type);
  if (facts == nullptr) return bad("image_type is no type of images");
  if (desc.num_mip_levels != 0 || desc.num_samples != 0) return bad("num_mip_levels and num_samples are 0");
  auto image = std::make_unique<Image>();
  image->format = format;
  image->type = desc.image_type;
  image->element_bytes = bytes_of(format);
  image->width = desc.image_width;
  if (facts->axes >= 2) image->height = desc.image_height;
  if (facts->axes >= 3) image->depth = desc.image_depth;
  if (facts->array) image->layers = desc.image_array_size;
  if (image->width == 0 || image->height == 0 || image->depth == 0 || image->layers == 0)
    return failure(CL_INVALID_IMAGE_SIZE, "an image of no texels");
  return image;
}

bool device_takes(const Device& device, const Image& image) {
  const ImageLimits limits = device.image_limits();
  switch (image.type) {
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: return image.width <= limits.buffer;
    case CL_MEM_OBJECT_IMAGE3D:
      return image.width <= limits.d3[0] && image.height <= limits.d3[1] && image.depth <= limits.d3[2];
    default:
      return image.width <= limits.d2[0] && image.height <= limits.d2[1] &&
             image.layers <= std::max<size_t>(limits.layers, 1);
  }
}

// Whether the device has images of that shape and with that meaning of their channels: 1.x those of
// OpenCL 1.0.
bool device_has(const Device& device, cl_mem_object_type type, const cl_image_format& format) {
  if (device.has_later_images()) return true;
  const cl_channel_order order = format.image_channel_order;
  return device.has_images() && (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D) &&
         order != CL_sRGBA && order != CL_sBGRA && order != CL_ABGR;
}

Status check_devices(const Context& context, const Image& image) {
  bool images = false, fits = false;
  for (const DeviceRef& device : context.devices()) {
    const bool has = device_has(*device, image.type, image.format);
    images = images || has;
    fits = fits || (has && device_takes(*device, image));
  }
  if (!images)
    return failure(CL_INVALID_OPERATION, "no device of the context has images of this type and format");
  if (!fits)
    return failure(CL_INVALID_IMAGE_SIZE, "an image of " + std::to_string(image.width) + " by " +
                                              std::to_string(image.height) + " by " +
                                              std::to_string(image.depth * image.layers) +
                                              ", larger than the devices allow");
  return Unit{};
}

// Pitches of the host's memory: given, or close together.
Status read_host_pitches(const cl_image_desc& desc, bool has_pointer, Image& image) {
  const size_t row = image.width * image.element_bytes;
  const size_t rows = image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : image.height;
  if (!has_pointer) {
    if (desc.image_row_pitch != 0 || desc.image_slice_pitch != 0)
      return bad("pitches are given without host_ptr");
    return Unit{};
  }
  image.host_row_pitch = desc.image_row_pitch == 0 ? row : desc.image_row_pitch;
  if (image.host_row_pitch < row || image.host_row_pitch % image.element_bytes != 0)
    return bad("a row pitch of " + std::to_string(image.host_row_pitch) + " for rows of " +
               std::to_string(row) + " bytes");
  const bool slices = image.is_array() || image.type == CL_MEM_OBJECT_IMAGE3D;
  image.host_slice_pitch =
      desc.image_slice_pitch == 0 || !slices ? image.host_row_pitch * rows : desc.image_slice_pitch;
  if (image.host_slice_pitch < image.host_row_pitch * rows ||
      image.host_slice_pitch % image.host_row_pitch != 0)
    return bad("a slice pitch of " + std::to_string(image.host_slice_pitch) + " for " + std::to_string(rows) +
               " rows of " + std::to_string(image.host_row_pitch) + " bytes");
  return Unit{};
}

void copy_rows(std::byte* to, size_t to_y, size_t to_z, const std::byte* from, size_t from_y, size_t from_z,
               size_t row_bytes, size_t rows, size_t slices) {
  for (size_t z = 0; z < slices; ++z)
    for (size_t y = 0; y < rows; ++y)
      std::memcpy(to + z * to_z + y * to_y, from + z * from_z + y * from_y, row_bytes);
}

void copy_host(const Image& image, const Mapping& mapping, bool out) {
  const bool lines = image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const size_t host_y = lines ? image.host_slice_pitch : image.host_row_pitch;
  auto* host = static_cast<std::byte*>(mapping.pointer);
  std::byte* texels = image.at(mapping.origin);
  const size_t row = mapping.region[0] * image.element_bytes;
  if (out)
    copy_rows(host, host_y, image.host_slice_pitch, texels, image.y_pitch(), image.slice_pitch, row,
              mapping.region[1], mapping.region[2]);
  else
    copy_rows(texels, image.y_pitch(), image.slice_pitch, host, host_y, image.host_slice_pitch, row,
              mapping.region[1], mapping.region[2]);
}

exec::TextureShape shape_of(cl_mem_object_type type) {
  switch (type) {
    case CL_MEM_OBJECT_IMAGE1D: return exec::TextureShape::d1;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: return exec::TextureShape::linear_buffer;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: return exec::TextureShape::d1_layered;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY: return exec::TextureShape::d2_layered;
    case CL_MEM_OBJECT_IMAGE3D: return exec::TextureShape::d3;
    default: return exec::TextureShape::d2;
  }
}

// What kernels get of the image: a handle in each device's state.
Status bind(Image& image) {
  exec::TexelArray texels;
  texels.shape = shape_of(image.type);
  texels.texel = find_format(image.format)->texel;
  texels.pixel = {static_cast<uint16_t>(image.format.image_channel_order),
                  static_cast<uint16_t>(image.format.image_channel_data_type)};
  texels.mip[0] = {image.data,      image.width,      image.height, image.depth * image.layers,
                   image.row_pitch, image.slice_pitch};
  for (const auto& [_, state] : image.context->states()) {
    auto handle = runtime::create_image(*state, texels, nullptr);
    if (!handle) return image.context->failed(handle.error());
    image.handles.push_back(*handle);
  }
  return Unit{};
}

struct Creation {
  ContextRef context;
  cl_mem_flags flags;
  cl_image_format format;
  cl_image_desc desc;
  void* host_pointer;
  std::vector<cl_mem_properties> properties;
};

// An image in a buffer's memory: a 1D buffer, or cl_khr_image2d_from_buffer.
Answer<cl_mem> in_buffer(const Creation& c, const MemoryRef& buffer, std::unique_ptr<Image> image) {
  if (image->type != CL_MEM_OBJECT_IMAGE1D_BUFFER && image->type != CL_MEM_OBJECT_IMAGE2D)
    return bad("an image of this type has no memory of a buffer");
  if (!buffer->is_buffer()) return bad("the memory object is no buffer");
  if (c.host_pointer != nullptr)
    return failure(CL_INVALID_HOST_PTR, "the buffer has the memory, not host_ptr");
  if (Status good = check_inherited_flags(c.flags, buffer->flags()); !good) return good.error();
  const size_t row = image->width * image->element_bytes;
  image->row_pitch = c.desc.image_row_pitch == 0 ? row : c.desc.image_row_pitch;
  if (image->row_pitch < row || image->row_pitch % image->element_bytes != 0)
    return bad("a row pitch of " + std::to_string(image->row_pitch) + " for rows of " + std::to_string(row));
  image->slice_pitch = image->row_pitch * image->height;
  if ((image->height - 1) * image->row_pitch + row > buffer->size())
    return failure(CL_INVALID_IMAGE_SIZE,
                   "the image is larger than the buffer, " + std::to_string(buffer->size()) + " bytes");
  image->data = buffer->data();
  image->buffer = buffer;
  if (Status good = bind(*image); !good) return good.error();
  Memory::Parts parts;
  parts.type = image->type;
  parts.flags = inherited_flags(c.flags, buffer->flags());
  parts.size = image->slice_pitch;
  parts.host_pointer = buffer->host_pointer();
  parts.properties = c.properties;
  parts.backing = buffer->backing();
  parts.address = buffer->address();
  parts.parent = buffer;
  parts.uses_svm = buffer->uses_svm();
  auto memory = std::make_shared<Memory>(c.context, std::move(parts));
  memory->set_image(std::move(image));
  return published<cl_mem>(std::move(memory));
}

Answer<cl_mem> in_own_memory(const Creation& c, std::unique_ptr<Image> image) {
  if (Status good = check_host_pointer(c.flags, c.host_pointer); !good) return good.error();
  if (Status good = read_host_pitches(c.desc, c.host_pointer != nullptr, *image); !good) return good.error();
  image->row_pitch = image->width * image->element_bytes;
  image->slice_pitch = image->row_pitch * image->height;
  const size_t bytes = image->slice_pitch * image->depth * image->layers;
  auto backing = allocate(*c.context, bytes, runtime::MemoryKind::array);
  if (!backing) return backing.error();
  image->data = reinterpret_cast<std::byte*>((*backing)->address());
  if (Status good = bind(*image); !good) return good.error();
  Memory::Parts parts;
  parts.type = image->type;
  parts.flags = c.flags;
  parts.size = bytes;
  parts.host_pointer = c.host_pointer;
  parts.properties = c.properties;
  parts.backing = *backing;
  parts.address = (*backing)->address();
  parts.shadows_host = (c.flags & CL_MEM_USE_HOST_PTR) != 0;
  image->host_data = static_cast<std::byte*>(c.host_pointer);
  if (c.host_pointer != nullptr) {
    const Mapping all{c.host_pointer, CL_MAP_WRITE, {0, 0, 0}, image->extent()};
    image->copy_back(all);
  }
  auto memory = std::make_shared<Memory>(c.context, std::move(parts));
  memory->set_image(std::move(image));
  return published<cl_mem>(std::move(memory));
}

Answer<cl_mem> create(Creation c, const cl_image_format* format, const cl_image_desc* desc) {
  if (Status good = check_memory_flags(c.flags); !good) return good.error();
  if (format == nullptr) return failure(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is NULL");
  if (desc == nullptr) return bad("image_desc is NULL");
  c.format = *format;
  c.desc = *desc;
  if (find_format(c.format) == nullptr)
    return failure(CL_IMAGE_FORMAT_NOT_SUPPORTED, "no device takes images of this format");
  auto image = described(c.format, c.desc);
  if (!image) return image.error();
  (*image)->context = c.context;
  if (Status good = check_devices(*c.context, **image); !good) return good.error();
  if (c.desc.mem_object != nullptr) {
    const MemoryRef buffer = find(c.desc.mem_object);
    if (buffer == nullptr) return bad(no_such("mem_object", c.desc.mem_object).message);
    if (buffer->context() != c.context)
      return failure(CL_INVALID_CONTEXT, "the buffer is of another context");
    return in_buffer(c, buffer, std::move(*image));
  }
  if ((*image)->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return bad("a buffer image needs a buffer: mem_object");
  if ((c.flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)) == 0)
    c.flags |= CL_MEM_READ_WRITE;
  return in_own_memory(c, std::move(*image));
}

}  // namespace

std::span<const ImageFormat> all_image_formats() {
  static const auto& formats = *new std::vector<ImageFormat>(make_formats());
  return formats;
}

const ImageFormat* find_format(const cl_image_format& format) {
  for (const ImageFormat& known : all_image_formats())
    if (known.format.image_channel_order == format.image_channel_order &&
        known.format.image_channel_data_type == format.image_channel_data_type)
      return &known;
  return nullptr;
}

Image::~Image() {
  for (size_t i = 0; i < handles.size(); ++i)
    (void)runtime::destroy_image(*context->states()[i].second, handles[i]);
}

std::array<size_t, 3> Image::extent() const {
  if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY) return {width, layers, 1};
  return {width, height, depth * layers};
}
std::byte* Image::at(const std::array<size_t, 3>& origin) const {
  return data + origin[2] * slice_pitch + origin[1] * y_pitch() + origin[0] * element_bytes;
}
bool Image::fits(std::string_view type_name) const {
  return type_name.empty() || facts_of(type)->name == type_name;
}
uint64_t Image::handle(const Device& device) const {
  for (size_t i = 0; i < handles.size(); ++i)
    if (context->states()[i].first == &device.hardware()) return handles[i];
  return 0;
}
size_t Image::shown_height() const { return facts_of(type)->axes >= 2 ? height : 0; }
size_t Image::shown_slice_pitch() const {
  return is_array() || type == CL_MEM_OBJECT_IMAGE3D ? slice_pitch : 0;
}
void Image::copy_out(const Mapping& mapping) const { copy_host(*this, mapping, true); }
void Image::copy_back(const Mapping& mapping) const { copy_host(*this, mapping, false); }

Answer<cl_mem> clCreateImageWithProperties(const ContextRef& context, const cl_mem_properties* properties,
                                           cl_mem_flags flags, const cl_image_format* image_format,
                                           const cl_image_desc* image_desc, void* host_ptr) {
  auto given = read_memory_properties(properties);
  if (!given) return given.error();
  return create({context, flags, {}, {}, host_ptr, std::move(*given)}, image_format, image_desc);
}
Answer<cl_mem> clCreateImage(const ContextRef& context, cl_mem_flags flags,
                             const cl_image_format* image_format, const cl_image_desc* image_desc,
                             void* host_ptr) {
  return create({context, flags, {}, {}, host_ptr, {}}, image_format, image_desc);
}
Answer<cl_mem> clCreateImage2D(const ContextRef& context, cl_mem_flags flags,
                               const cl_image_format* image_format, size_t image_width, size_t image_height,
                               size_t image_row_pitch, void* host_ptr) {
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = image_width;
  desc.image_height = image_height;
  desc.image_row_pitch = image_row_pitch;
  auto image = create({context, flags, {}, {}, host_ptr, {}}, image_format, &desc);
  if (!image && image.error().code == CL_INVALID_IMAGE_DESCRIPTOR)
    return failure(CL_INVALID_IMAGE_SIZE, image.error().message);
  return image;
}
Answer<cl_mem> clCreateImage3D(const ContextRef& context, cl_mem_flags flags,
                               const cl_image_format* image_format, size_t image_width, size_t image_height,
                               size_t image_depth, size_t image_row_pitch, size_t image_slice_pitch,
                               void* host_ptr) {
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE3D;
  desc.image_width = image_width;
  desc.image_height = image_height;
  desc.image_depth = image_depth;
  desc.image_row_pitch = image_row_pitch;
  desc.image_slice_pitch = image_slice_pitch;
  auto image = create({context, flags, {}, {}, host_ptr, {}}, image_format, &desc);
  if (!image && image.error().code == CL_INVALID_IMAGE_DESCRIPTOR)
    return failure(CL_INVALID_IMAGE_SIZE, image.error().message);
  return image;
}

Status clGetSupportedImageFormats(const ContextRef& context, cl_mem_flags flags,
                                  cl_mem_object_type image_type, cl_uint num_entries,
                                  cl_image_format* image_formats, cl_uint* num_image_formats) {
  if (Status good = check_memory_flags(flags); !good) return good;
  if (facts_of(image_type) == nullptr) return invalid_value("image_type is no type of images");
  if (num_entries == 0 && image_formats != nullptr) return invalid_value("num_entries is 0");
  const bool written = (flags & CL_MEM_READ_ONLY) == 0;
  cl_uint count = 0;
  for (const ImageFormat& format : all_image_formats()) {
    const bool images = std::ranges::any_of(context->devices(), [&](const DeviceRef& device) {
      return device_has(*device, image_type, format.format);
    });
    if (!images || (written && !format.written)) continue;
    if (image_formats != nullptr && count < num_entries) image_formats[count] = format.format;
    ++count;
  }
  if (num_image_formats != nullptr) *num_image_formats = count;
  return Unit{};
}

}  // namespace heddle::opencl
