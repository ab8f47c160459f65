// What createpolicy gives is opaque to PTX, but programs compare it: the bits are those that an H200 gave (tests/hw).
// RUN: %nvcc -std=c++17 -arch=sm_90 %S/../../hw/h200/answers/createpolicy.cu -o %t
// RUN: %t > %t.txt
// RUN: diff %t.txt %S/../../hw/h200/answers/createpolicy.txt
// RUN: env HEDDLE_EXECUTOR=interp %t > %t.txt
// RUN: diff %t.txt %S/../../hw/h200/answers/createpolicy.txt
