// In what company lanes come to a block with several ways in: as an H200 found (tests/hw/h200/answers/reconverge.txt), on both executors.
// RUN: %nvcc -arch=sm_90 %hw_answers/reconverge.cu -o %t
// RUN: env HEDDLE_DEVICE=h200 %t | diff - %hw_answers/reconverge.txt
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=interp %t | diff - %hw_answers/reconverge.txt
