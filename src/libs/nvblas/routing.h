// Where a call goes: to the devices by cuBLASXt, or to the BLAS of the host.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>

#include "libs/cublas/functions.gen.h"

namespace heddle::nvblas {

enum class Routine { gemm, syrk, herk, syr2k, her2k, trsm, trmm, symm, hemm };

// One call of one routine. `letter` is its type: s, d, c, z.
class Call {
 public:
  Call(Routine routine, char letter);

  // `elements` is how many numbers of its operands decide; memory of a device goes to a device in any case.
  bool on_device(bool good, double elements, std::initializer_list<const void*> operands);
  // Runs it there, with a line for the log if that is wanted. False: it could not.
  bool run(const std::string& arguments, const std::function<void(cublasXtHandle_t)>& body);
  // The host's function, after such a line.
  void (*host(const std::string& arguments))();

 private:
  Routine routine_;
  char letter_;
  std::string name_;
};

}  // namespace heddle::nvblas
