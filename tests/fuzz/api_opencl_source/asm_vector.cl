// 
kernel void k(global int*o){int4 r; asm("mov.u32 %0, 5;":"=r"(r)); o[0]=r.x;}