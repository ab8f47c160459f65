; The dialect of LLVM 7: typed pointers, NVVM's own intrinsics, an atomic by its old name, libdevice.
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare {i32, i1} @llvm.nvvm.shfl.sync.i32(i32, i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.vote.sync(i32, i32, i1)
declare float @llvm.nvvm.atomic.load.add.f32.p1f32(float addrspace(1)* nocapture, float)
declare float @__nv_sqrtf(float)
declare float @__nv_fmaf_rn(float, float, float)

define void @warp(float addrspace(1)* %p) {
entry:
  %mode = alloca i32
  store i32 3, i32* %mode
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr float, float addrspace(1)* %p, i32 %i
  %v = load float, float addrspace(1)* %q
  %bits = bitcast float %v to i32
  %m = load i32, i32* %mode
  %s = call {i32, i1} @llvm.nvvm.shfl.sync.i32(i32 -1, i32 %m, i32 %bits, i32 1, i32 31)
  %b = extractvalue {i32, i1} %s, 0
  %x = bitcast i32 %b to float
  %odd = and i32 %i, 1
  %c = icmp ne i32 %odd, 0
  %t = call {i32, i1} @llvm.nvvm.vote.sync(i32 -1, i32 3, i1 %c)
  %votes = extractvalue {i32, i1} %t, 0
  %root = call float @__nv_sqrtf(float 4.0)
  %y = call float @__nv_fmaf_rn(float %x, float %root, float 1.0)
  store float %y, float addrspace(1)* %q
  %upper = getelementptr float, float addrspace(1)* %p, i32 32
  %old = call float @llvm.nvvm.atomic.load.add.f32.p1f32(float addrspace(1)* %upper, float %v)
  %right = icmp eq i32 %votes, -1431655766
  br i1 %right, label %mark, label %done
mark:
  %r = getelementptr float, float addrspace(1)* %upper, i32 %i
  %first = icmp eq i32 %i, 0
  br i1 %first, label %done, label %write
write:
  %f = sitofp i32 %i to float
  store float %f, float addrspace(1)* %r
  br label %done
done:
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float addrspace(1)*)* @warp, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 1, i32 6}
