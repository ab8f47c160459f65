// nvcc's own warnings about CUDA, which clang lacks: launches that name no stream, kernels without launch
// bounds, `this` captured unseen by lambdas for devices, host functions called by functions of both sides.
// All are off until asked for.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "clang/Basic/SourceLocation.h"
#include "clang/Frontend/FrontendAction.h"

namespace heddle::frontend {

enum class CudaWarning : unsigned char {
  default_stream_launch,
  missing_launch_bounds,
  ext_lambda_captures_this,
  cross_execution_space_call,
};

class CudaWarnings {
 public:
  enum class Weight : unsigned char { off, warning, error };

  // -Wdefault-stream-launch, -Wno-..., -Werror=...: whether the argument was one of these.
  bool take(std::string_view argument);
  bool any() const;
  Weight weight(CudaWarning warning) const { return weights_[static_cast<std::size_t>(warning)]; }

 private:
  std::array<Weight, 4> weights_{};
};

// `unchecked`: the pragmas nv_exec_check_disable and hd_warning_disable that the preprocessor has met.
std::unique_ptr<clang::ASTConsumer> make_cuda_warnings(
    const CudaWarnings& warnings, clang::CompilerInstance& compiler,
    std::shared_ptr<const std::vector<clang::SourceLocation>> unchecked);

}  // namespace heddle::frontend
