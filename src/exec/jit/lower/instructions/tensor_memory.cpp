// Tensor memory (PTX ISA 9.7.16) is the reference executor's: kernels that use it run there.
#include "exec/jit/lower/lowering.h"

namespace heddle::exec::jit {

namespace {

void use(Lowering& l) { l.need_reference("tensor memory"); }

}  // namespace

void lower_tcgen05_alloc(Lowering& l) { use(l); }
void lower_tcgen05_dealloc(Lowering& l) { use(l); }
void lower_tcgen05_relinquish_alloc_permit(Lowering& l) { use(l); }
void lower_tcgen05_ld(Lowering& l) { use(l); }
void lower_tcgen05_ld_split(Lowering& l) { use(l); }
void lower_tcgen05_st(Lowering& l) { use(l); }
void lower_tcgen05_st_split(Lowering& l) { use(l); }
void lower_tcgen05_wait(Lowering& l) { use(l); }
void lower_tcgen05_cp(Lowering& l) { use(l); }
void lower_tcgen05_commit(Lowering& l) { use(l); }
void lower_tcgen05_fence(Lowering& l) { use(l); }
void lower_tcgen05_mma_shared(Lowering& l) { use(l); }
void lower_tcgen05_mma_shared_masked(Lowering& l) { use(l); }
void lower_tcgen05_mma_shared_block_scale(Lowering& l) { use(l); }
void lower_tcgen05_mma_tensor(Lowering& l) { use(l); }
void lower_tcgen05_mma_tensor_masked(Lowering& l) { use(l); }
void lower_tcgen05_mma_tensor_block_scale(Lowering& l) { use(l); }
void lower_tcgen05_mma_ws_shared(Lowering& l) { use(l); }
void lower_tcgen05_mma_ws_tensor(Lowering& l) { use(l); }
void lower_tcgen05_mma_sp_shared(Lowering& l) { use(l); }
void lower_tcgen05_mma_sp_shared_masked(Lowering& l) { use(l); }
void lower_tcgen05_mma_sp_tensor(Lowering& l) { use(l); }
void lower_tcgen05_mma_sp_tensor_masked(Lowering& l) { use(l); }

}  // namespace heddle::exec::jit
