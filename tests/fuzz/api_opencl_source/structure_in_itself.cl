// -cl-std=CL1.2
struct S{struct S p; int x;}; kernel void k(struct S s, global int*o){o[0]=1;}