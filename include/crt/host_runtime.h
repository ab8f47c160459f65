// clang generates what a host program needs to register its kernels and variables; nothing is to be declared
// for it.
