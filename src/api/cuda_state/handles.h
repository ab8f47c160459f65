// The types of handles that both CUDA APIs have under two names (CUgraph is cudaGraph_t): never completed,
// never followed.
#pragma once

#include <cstdint>

struct CUfunc_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUkern_st;
struct CUlib_st;
struct CUmemPoolHandle_st;
struct CUuserObject_st;

namespace heddle::cuda {

using ExecHandle = CUgraphExec_st*;
using GraphHandle = CUgraph_st*;
using KernelHandle = CUkern_st*;
using LibraryHandle = CUlib_st*;
using NodeHandle = CUgraphNode_st*;
using PoolHandle = CUmemPoolHandle_st*;
using UserObjectHandle = CUuserObject_st*;

// Handles and addresses are numbers to Heddle and pointers to programs.
template <class Pointer>
Pointer as_handle(uint64_t number) {
  return reinterpret_cast<Pointer>(number);
}
inline uint64_t number_of(const volatile void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace heddle::cuda
