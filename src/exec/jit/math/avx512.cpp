#include "exec/jit/math/avx512.h"

namespace heddle::exec::jit::avx512 {

using llvm::Value;

namespace {

bool has(const Host& host, llvm::StringRef feature) {
  llvm::SmallVector<llvm::StringRef, 64> all;
  llvm::StringRef(host.features).split(all, ',');
  return llvm::is_contained(all, feature);
}

}  // namespace

Features features_of(const Host& host) {
  Features features;
  features.rounding = host.level == VectorLevel::avx512;
  features.tables = features.rounding && has(host, "+avx512vbmi") && has(host, "+avx512vnni");
  return features;
}

Value* approximate(llvm::IRBuilderBase&, const Features&, Approximation, bool, llvm::ArrayRef<Value*>) {
  return nullptr;
}
Value* rounded(llvm::IRBuilderBase&, const Features&, Arithmetic, Direction, llvm::ArrayRef<Value*>) {
  return nullptr;
}
Value* first_nan(llvm::IRBuilderBase&, const Features&, Value*, Value*) { return nullptr; }

}  // namespace heddle::exec::jit::avx512
