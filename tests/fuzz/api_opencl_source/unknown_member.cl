// -cl-std=CLC++
struct S{S uint4*p;}; kernel void k(struct S s){s.p[0]=1;}