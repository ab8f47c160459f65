// Single messages by nvcc's numbers and names (spec/driver/messages.toml), done to clang's warnings about the
// same.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clang {
class CompilerInstance;
class FrontendAction;
}  // namespace clang

namespace heddle::frontend {

class CudaWarnings;

enum class MessageWeight : unsigned char { suppressed, warning, error };

// clang's options for "177" or "declared_but_not_referenced"; none where clang has no such warning.
std::vector<std::string> message_options(std::string_view message, MessageWeight weight);

// No suggestions for a source with very long names: clang compares each with all others that it knows, letter
// by letter.
void bound_spell_checking(clang::CompilerInstance& compiler);

// The same, and #pragma nv_diag_suppress and its like mean what they say; and nvcc's own warnings.
std::unique_ptr<clang::FrontendAction> with_messages(std::unique_ptr<clang::FrontendAction> action,
                                                     const CudaWarnings& warnings);

}  // namespace heddle::frontend
