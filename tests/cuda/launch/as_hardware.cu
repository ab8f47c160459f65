// What an H200 and an H100 answered to bad arguments and odd ones (tests/hw), asked again of ours: the same code,
// or one of the deviations that Inputs/as_hardware.py lists with its reason.
// RUN: %nvcc %S/../../hw/h200/answers/bad_arguments.cu -o %t -lcuda
// RUN: %t > %t.txt
// RUN: python3 %S/Inputs/as_hardware.py %t.txt %S/../../hw/h200/answers/bad_arguments.txt
// RUN: env HEDDLE_EXECUTOR=interp %t > %t.txt
// RUN: python3 %S/Inputs/as_hardware.py %t.txt %S/../../hw/h200/answers/bad_arguments.txt
// RUN: %nvcc -std=c++17 -Wno-deprecated-declarations %S/../../hw/h100/answers/second_bad_argument.cu -o %t -lcuda
// RUN: %t > %t.txt
// RUN: python3 %S/Inputs/as_hardware.py %t.txt %S/../../hw/h100/answers/second_bad_argument.txt
