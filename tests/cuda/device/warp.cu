// Warp intrinsics, byte sums and integer intrinsics on values worked out by hand.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_80 %s -o %t.ptx
// RUN: %heddle ptx run %t.ptx --kernel warp --block 32 --arg a:out:s32*32 | FileCheck %s --check-prefix=WARP
// RUN: %heddle ptx run %t.ptx --kernel integers --hex --arg a:out:u32*32 | FileCheck %s --check-prefix=INTEGERS
// RUN: %heddle ptx run %t.ptx --kernel floats --hex --arg f:out:f32*16 --arg i:out:u32*12 | FileCheck %s --check-prefix=FLOATS

extern "C" __global__ void warp(int* a) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  const int sum = __reduce_add_sync(all, -lane), least = __reduce_min_sync(all, 5 - lane);
  const unsigned odd = __ballot_sync(all, lane & 1);
  int same;
  const unsigned like = __match_any_sync(all, lane / 8), equal = __match_all_sync(all, 7.0, &same);
  const long long wide = __shfl_sync(all, 1ll << lane, 33);  // lane 33 mod 32
  const float up = __shfl_up_sync(all, 0.5f * lane, 3, 8);
  const int third = __fns(0xf0f0u, 0, 3);
  if (lane == 10) {
    a[0] = sum, a[1] = least;                              // -496 -26
    a[2] = (int)odd, a[3] = (int)like, a[4] = (int)equal, a[5] = same;  // aaaaaaaa, lanes 8-15, all, true
    a[6] = (int)wide, a[7] = (int)(up * 2);                // 2; lane 10 is third of its eight, so its own 10
    a[8] = __any_sync(__activemask(), 0), a[9] = third;    // 0; the third one of f0f0 is bit 6
  }
}
// WARP: a: -496 -26 -1431655766 65280 -1 1 2 10 0 6

extern "C" __global__ void integers(unsigned* a) {
  a[0] = __dp4a(0x01020304, 0x05060708, 10);               // 5 + 12 + 21 + 32 + 10 = 80
  a[1] = __dp4a(make_char4(-1, 2, -3, 4), make_char4(1, 1, 1, 1), 0);  // 2
  a[2] = __dp2a_lo(0x00020003u, 0x00000504u, 1u);            // 3 * 4 + 2 * 5 + 1
  a[3] = __funnelshift_l(0x80000000u, 1u, 1);              // 3
  a[4] = __funnelshift_rc(0x1u, 0x2u, 40);                 // all of the upper word
  a[5] = __byte_perm(0x03020100u, 0x07060504u, 0x7531);    // 07050301
  a[6] = __brev(1u);
  a[7] = __clz(0x00ff0000) * 0x10000 + __ffs(0x00ff0000);  // 8, 17
  a[8] = __mulhi(-2, 3);
  a[9] = __umul24(0xff000005u, 0x01000003u);               // 15
  a[10] = __sad(-5, 3, 2u);
  a[11] = __hadd(-3, 0);                                   // floor(-1.5) = -2
  a[12] = __rhadd(-3, 0);                                  // -1
  a[13] = __vadd4(0xff01ff01u, 0x01010101u);
  a[14] = __vaddus4(0xff01ff01u, 0x01010101u);
  a[15] = __vaddss2(0x7fff8000u, 0x0001ffffu);
  a[16] = __vmaxs4(0x807f00ffu, 0x00000000u);
  a[17] = __vabsdiffu4(0x0510ff00u, 0x100500ffu);
  a[18] = __vsadu4(0x0510ff00u, 0x100500ffu);              // 11 + 11 + 255 + 255 = 532
  a[19] = __vcmpgts2(0x00018000u, 0xffff0000u);
  a[20] = __vseteq4(0x01020304u, 0x01000300u);
  a[21] = __vavgu4(0x01020304u, 0x02020405u);
  a[22] = __viaddmax_s16x2_relu(0x00018000u, 0x0001ffffu, 0x80000001u);  // max(2, -32768, 0), max(32767, 1, 0)
  bool first;
  a[23] = __vibmin_u32(7u, 7u, &first) * 2 + first;        // 15
  a[24] = __vimax3_s32(-5, -7, -6);
  a[25] = max(3u, -1);                                     // unsigned: all ones
  a[26] = __double2hiint(1.0);
  a[27] = __isShared(&a) + __isGlobal(a) * 2;
}
// INTEGERS: a: 0x00000050 0x00000002 0x00000017 0x00000003 0x00000002 0x07050301 0x80000000 0x00080011
// INTEGERS-SAME: 0xffffffff 0x0000000f 0x0000000a 0xfffffffe 0xffffffff
// INTEGERS-SAME: 0x00020002 0xff02ff02 0x7fff8000 0x007f0000 0x0b0bffff 0x00000214 0xffff0000 0x01000100 0x02020405
// INTEGERS-SAME: 0x00027fff 0x0000000f 0xfffffffb 0xffffffff 0x3ff00000 0x00000002

// 1/3 rounded in four ways, and what rounds to it.
extern "C" __global__ void floats(float* f, unsigned* i) {
  volatile float one = 1.0f, three = 3.0f, tiny = 1e-30f;
  f[0] = __fdiv_rn(one, three), f[1] = __fdiv_rz(one, three), f[2] = __fdiv_ru(one, three), f[3] = __fdiv_rd(one, three);
  f[4] = __fadd_ru(one, tiny), f[5] = __fadd_rd(one, tiny), f[6] = __fsub_rd(one, tiny), f[7] = __fmaf_rz(one, one, -tiny);
  f[8] = __frcp_rn(three), f[9] = __fsqrt_ru(2.0f * one), f[10] = __fsqrt_rd(2.0f * one);
  f[11] = __frsqrt_rn(4.0f * one), f[12] = __saturatef(-three);
  f[13] = __double2float_ru(0.1), f[14] = __int2float_rz(16777219), f[15] = __ull2float_rn(0xffffffffffffffffull);
  i[0] = __float2int_rn(2.5f * one), i[1] = __float2int_ru(2.1f * one), i[2] = __float2int_rd(-2.1f * one);
  i[3] = __float2int_rz(3e9f * one), i[4] = __float2uint_rn(-three), i[5] = __double2int_rn(-2.5);
  i[6] = (unsigned)__float2ll_rn(8589934592.0f * one + 0.0f) + 7, i[7] = isnan(one / 0.0f - one / 0.0f) + 2 * isinf(one / 0.0f);
  i[8] = (unsigned)copysign(3.0, -0.0), i[9] = __popcll(0xff00ff00ff00ff00ull), i[10] = __umul64hi(1ull << 63, 6ull);
  i[11] = (unsigned)lrintf(-0.5f * one) + (unsigned)rint(1.5);
}
// FLOATS: f: 0x3eaaaaab 0x3eaaaaaa 0x3eaaaaab 0x3eaaaaaa 0x3f800001 0x3f800000 0x3f7fffff 0x3f7fffff
// FLOATS-SAME: 0x3eaaaaab 0x3fb504f4 0x3fb504f3 0x3f000000 0x00000000 0x3dcccccd 0x4b800001 0x5f800000
// FLOATS: i: 0x00000002 0x00000003 0xfffffffd 0x7fffffff 0x00000000 0xfffffffe 0x00000007 0x00000003 0x00000000 0x00000020 0x00000003 0x00000002
