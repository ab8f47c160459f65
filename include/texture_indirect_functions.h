// Texture fetches through texture objects (CUDA C++ Programming Guide, "Texture Object API").
// Each exists as `T r = tex(object, ...)`, and as `tex(&r, object, ...)`; where PTX has a sparse form, also
// with bool* isResident. clang supplies the instructions: __nv_tex_surf_handler() of
// __clang_cuda_texture_intrinsics.h.
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#define HEDDLE_LIST_(...) __VA_ARGS__

#define HEDDLE_TEX_(name, operation, parameters, arguments)                                                  \
  template <class T>                                                                                         \
  static __device__ __forceinline__ void name(T* ptr, cudaTextureObject_t object, HEDDLE_LIST_ parameters) { \
    __nv_tex_surf_handler(operation, ptr, object, HEDDLE_LIST_ arguments);                                   \
  }                                                                                                          \
  template <class T>                                                                                         \
  static __device__ __forceinline__ T name(cudaTextureObject_t object, HEDDLE_LIST_ parameters) {            \
    T result;                                                                                                \
    __nv_tex_surf_handler(operation, &result, object, HEDDLE_LIST_ arguments);                               \
    return result;                                                                                           \
  }
#define HEDDLE_TEX_SPARSE_(name, operation, parameters, arguments)                                         \
  template <class T>                                                                                       \
  static __device__ __forceinline__ T name(cudaTextureObject_t object, HEDDLE_LIST_ parameters,            \
                                           bool* isResident) {                                             \
    T result;                                                                                              \
    unsigned char resident;                                                                                \
    __nv_tex_surf_handler(operation, &result, object, HEDDLE_LIST_ arguments);                             \
    *isResident = resident != 0;                                                                           \
    return result;                                                                                         \
  }                                                                                                        \
  template <class T>                                                                                       \
  static __device__ __forceinline__ void name(T* ptr, cudaTextureObject_t object, HEDDLE_LIST_ parameters, \
                                              bool* isResident) {                                          \
    *ptr = name<T>(object, HEDDLE_TEX_PASS_##name, isResident);                                            \
  }

HEDDLE_TEX_(tex1Dfetch, "__tex1Dfetch_v2", (int x), (x))
HEDDLE_TEX_(tex1D, "__tex1D_v2", (float x), (x))
HEDDLE_TEX_(tex1DLod, "__tex1DLod_v2", (float x, float level), (x, level))
HEDDLE_TEX_(tex1DGrad, "__tex1DGrad_v2", (float x, float dPdx, float dPdy), (x, dPdx, dPdy))
HEDDLE_TEX_(tex1DLayered, "__tex1DLayered_v2", (float x, int layer), (x, layer))
HEDDLE_TEX_(tex1DLayeredLod, "__tex1DLayeredLod_v2", (float x, int layer, float level), (x, layer, level))
HEDDLE_TEX_(tex1DLayeredGrad, "__tex1DLayeredGrad_v2", (float x, int layer, float dPdx, float dPdy),
            (x, layer, dPdx, dPdy))
HEDDLE_TEX_(tex2D, "__tex2D_v2", (float x, float y), (x, y))
HEDDLE_TEX_(tex2DLod, "__tex2DLod_v2", (float x, float y, float level), (x, y, level))
HEDDLE_TEX_(tex2DGrad, "__tex2DGrad_v2", (float x, float y, float2 dPdx, float2 dPdy), (x, y, &dPdx, &dPdy))
HEDDLE_TEX_(tex2DLayered, "__tex2DLayered_v2", (float x, float y, int layer), (x, y, layer))
HEDDLE_TEX_(tex2DLayeredLod, "__tex2DLayeredLod_v2", (float x, float y, int layer, float level),
            (x, y, layer, level))
HEDDLE_TEX_(tex2DLayeredGrad, "__tex2DLayeredGrad_v2",
            (float x, float y, int layer, float2 dPdx, float2 dPdy), (x, y, layer, &dPdx, &dPdy))
HEDDLE_TEX_(tex3D, "__tex3D_v2", (float x, float y, float z), (x, y, z))
HEDDLE_TEX_(tex3DLod, "__tex3DLod_v2", (float x, float y, float z, float level), (x, y, z, level))
HEDDLE_TEX_(tex3DGrad, "__tex3DGrad_v2", (float x, float y, float z, float4 dPdx, float4 dPdy),
            (x, y, z, &dPdx, &dPdy))
HEDDLE_TEX_(texCubemap, "__texCubemap_v2", (float x, float y, float z), (x, y, z))
HEDDLE_TEX_(texCubemapLod, "__texCubemapLod_v2", (float x, float y, float z, float level), (x, y, z, level))
HEDDLE_TEX_(texCubemapGrad, "__texCubemapGrad_v2", (float x, float y, float z, float4 dPdx, float4 dPdy),
            (x, y, z, &dPdx, &dPdy))
HEDDLE_TEX_(texCubemapLayered, "__texCubemapLayered_v2", (float x, float y, float z, int layer),
            (x, y, z, layer))
HEDDLE_TEX_(texCubemapLayeredLod, "__texCubemapLayeredLod_v2",
            (float x, float y, float z, int layer, float level), (x, y, z, layer, level))
HEDDLE_TEX_(texCubemapLayeredGrad, "__texCubemapLayeredGrad_v2",
            (float x, float y, float z, int layer, float4 dPdx, float4 dPdy), (x, y, z, layer, &dPdx, &dPdy))

template <class T>
static __device__ __forceinline__ void tex2Dgather(T* ptr, cudaTextureObject_t object, float x, float y,
                                                   int comp = 0) {
  __nv_tex_surf_handler("__tex2Dgather_v2", ptr, object, x, y, comp);
}
template <class T>
static __device__ __forceinline__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int comp = 0) {
  T result;
  __nv_tex_surf_handler("__tex2Dgather_v2", &result, object, x, y, comp);
  return result;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define HEDDLE_TEX_PASS_tex2D x, y
#define HEDDLE_TEX_PASS_tex2DLod x, y, level
#define HEDDLE_TEX_PASS_tex2DLayered x, y, layer
#define HEDDLE_TEX_PASS_tex2DLayeredLod x, y, layer, level
#define HEDDLE_TEX_PASS_tex3D x, y, z
#define HEDDLE_TEX_PASS_tex3DLod x, y, z, level
HEDDLE_TEX_SPARSE_(tex2D, "__itex2D_sparse", (float x, float y), (x, y, &resident))
HEDDLE_TEX_SPARSE_(tex2DLod, "__itex2DLod_sparse", (float x, float y, float level), (x, y, level, &resident))
HEDDLE_TEX_SPARSE_(tex2DLayered, "__itex2DLayered_sparse", (float x, float y, int layer),
                   (x, y, layer, &resident))
HEDDLE_TEX_SPARSE_(tex2DLayeredLod, "__itex2DLayeredLod_sparse", (float x, float y, int layer, float level),
                   (x, y, layer, level, &resident))
HEDDLE_TEX_SPARSE_(tex3D, "__itex3D_sparse", (float x, float y, float z), (x, y, z, &resident))
HEDDLE_TEX_SPARSE_(tex3DLod, "__itex3DLod_sparse", (float x, float y, float z, float level),
                   (x, y, z, level, &resident))
#undef HEDDLE_TEX_PASS_tex2D
#undef HEDDLE_TEX_PASS_tex2DLod
#undef HEDDLE_TEX_PASS_tex2DLayered
#undef HEDDLE_TEX_PASS_tex2DLayeredLod
#undef HEDDLE_TEX_PASS_tex3D
#undef HEDDLE_TEX_PASS_tex3DLod
#endif

#undef HEDDLE_TEX_SPARSE_
#undef HEDDLE_TEX_
#undef HEDDLE_LIST_

#endif

#endif
