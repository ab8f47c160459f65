// -time: a table with a line a step, behind what the file has.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s a.cu && cp %s b.cu
// RUN: %nvcc -gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_75,code=sm_75 -t 2 -c a.cu -o a.o -time table.csv
// RUN: FileCheck --input-file=table.csv --check-prefixes=HEAD,OBJECT %s
// RUN: %nvcc -arch=sm_80 -DMAIN -o program b.cu -time table.csv
// RUN: FileCheck --input-file=table.csv --check-prefixes=HEAD,OBJECT,PROGRAM %s
// RUN: %nvcc -arch=sm_80 -ptx b.cu -time - | FileCheck --check-prefixes=HEAD,PTX %s
// RUN: not %nvcc -arch=sm_80 -ptx b.cu -time nowhere/table.csv 2>&1 | FileCheck --check-prefix=NOWHERE %s
// RUN: %nvcc -arch=sm_80 -ptx b.cu -time dry.csv -dryrun && not ls dry.csv
//
// HEAD: source file name , phase name , phase input files , phase output file , arch , tool, metric , unit
// OBJECT-DAG: a.cu , cicc , a.cu , {{.*}}a.compute_80.ptx , compute_80 , nvcc , {{[0-9]+\.[0-9]+}} , ms
// OBJECT-DAG: a.cu , cicc , a.cu , {{.*}}a.compute_75.ptx , compute_75 , nvcc , {{[0-9]+\.[0-9]+}} , ms
// OBJECT-DAG: a.cu , ptxas , {{.*}}a.compute_80.ptx , {{.*}} , sm_80 , nvcc ,
// OBJECT-DAG: a.cu , ptxas , {{.*}}a.compute_75.ptx , {{.*}} , sm_75 , nvcc ,
// OBJECT: a.cu , fatbinary , {{.*}}.cubin {{.*}} , {{.*}}a.fatbin ,  , nvcc ,
// OBJECT-NEXT: a.cu , clang (compiling) , a.cu , a.o ,  , nvcc ,
// OBJECT-NEXT: {{^}} , nvcc (driver) ,  ,  ,  , nvcc , {{[0-9]+\.[0-9]+}} , ms
// PROGRAM-NOT: source file name
// PROGRAM: b.cu , clang (compiling) , b.cu , {{.*}}b.o ,  , nvcc ,
// PROGRAM: {{^}} , g++ (linking) , {{.*}}b.o , program ,  , nvcc ,
// PROGRAM-NEXT: {{^}} , nvcc (driver) ,
// PTX-NEXT: b.cu , cicc , b.cu , b.ptx , compute_80 , nvcc ,
// PTX-NEXT: {{^}} , nvcc (driver) ,
// NOWHERE: nvcc fatal   : Could not write the table of times 'nowhere/table.csv' (-time)
__global__ void k() {}
#ifdef MAIN
int main() {}
#endif
