// Texture and surface objects.
#include <map>
#include <mutex>

#include "api/cuda/functions.gen.h"
#include "api/cuda/texels.h"

namespace heddle::cu {
namespace {

// What an object was made of, to be told again. It ends with its context, which the table does not keep.
struct Texture {
  std::weak_ptr<cuda::Context> owner;
  ContextRef context;  // of what find() and take() give
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC texture{};
  CUDA_RESOURCE_VIEW_DESC view{};
  bool has_view = false;
};
struct Objects {
  std::mutex mutex;
  std::map<uint64_t, Texture> textures, surfaces;
};
Objects& objects() {
  static auto& all = *new Objects;  // programs call until the very end of a process
  return all;
}

Answer<Texture> find_locked(const std::map<uint64_t, Texture>& table, uint64_t handle) {
  const auto found = table.find(handle);
  if (found == table.end()) return invalid_value("no such object");
  Texture texture = found->second;
  texture.context = texture.owner.lock();
  if (texture.context == nullptr) return invalid_value("no such object");
  return texture;
}
Answer<Texture> find(const std::map<uint64_t, Texture>& table, uint64_t handle) {
  const std::lock_guard lock(objects().mutex);
  return find_locked(table, handle);
}
Answer<Texture> take(std::map<uint64_t, Texture>& table, uint64_t handle) {
  const std::lock_guard lock(objects().mutex);
  auto texture = find_locked(table, handle);
  table.erase(handle);
  return texture;
}

}  // namespace

Status cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                         const CUDA_TEXTURE_DESC* pTexDesc, const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  if (pResDesc == nullptr) return missing("pResDesc");
  if (pTexDesc == nullptr) return missing("pTexDesc");
  auto context = working_context();
  if (!context) return context.error();
  auto source = source_of(*pResDesc);
  if (!source) return source.error();
  if (pResViewDesc != nullptr)
    if (Status good = apply_view(*source, *pResViewDesc); !good) return good;
  auto sampler = sampler_of(*pTexDesc, *source);
  if (!sampler) return sampler.error();
  auto handle = runtime::create_texture(*(*context)->runtime(), *source, *sampler);
  if (!handle) return status_of(handle);
  const std::lock_guard lock(objects().mutex);
  Texture& texture = objects().textures[*handle];
  texture = {*context, nullptr, *pResDesc, *pTexDesc, {}, pResViewDesc != nullptr};
  if (pResViewDesc != nullptr) texture.view = *pResViewDesc;
  *pTexObject = *handle;
  return Unit{};
}

Status cuTexObjectDestroy(CUtexObject texObject) {
  auto texture = take(objects().textures, texObject);
  if (!texture) return Unit{};  // an H200's driver takes any number
  return status_of(runtime::destroy_texture(*texture->context->runtime(), texObject));
}

Status cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  auto texture = find(objects().textures, texObject);
  if (!texture) return texture.error();
  *pResDesc = texture->resource;
  return Unit{};
}
Status cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  auto texture = find(objects().textures, texObject);
  if (!texture) return texture.error();
  *pTexDesc = texture->texture;
  return Unit{};
}
Status cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc, CUtexObject texObject) {
  auto texture = find(objects().textures, texObject);
  if (!texture) return texture.error();
  if (!texture->has_view) return invalid_value("the texture was made without a view");
  *pResViewDesc = texture->view;
  return Unit{};
}

Status cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  if (pResDesc == nullptr) return missing("pResDesc");
  if (pResDesc->resType != CU_RESOURCE_TYPE_ARRAY) return invalid_value("surfaces are made of arrays");
  auto context = working_context();
  if (!context) return context.error();
  auto source = source_of(*pResDesc);
  if (!source) return source.error();
  auto handle = runtime::create_surface(*(*context)->runtime(), *source);
  if (!handle) return status_of(handle);
  const std::lock_guard lock(objects().mutex);
  objects().surfaces[*handle] = {*context, nullptr, *pResDesc, {}, {}, false};
  *pSurfObject = *handle;
  return Unit{};
}

Status cuSurfObjectDestroy(CUsurfObject surfObject) {
  auto surface = take(objects().surfaces, surfObject);
  if (!surface) return Unit{};  // an H200's driver takes any number
  return status_of(runtime::destroy_surface(*surface->context->runtime(), surfObject));
}

Status cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  auto surface = find(objects().surfaces, surfObject);
  if (!surface) return surface.error();
  *pResDesc = surface->resource;
  return Unit{};
}

}  // namespace heddle::cu
