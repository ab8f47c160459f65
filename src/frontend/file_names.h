// Names of files in PTX. A string there has no escapes (ptxas takes none), and LLVM writes some: a name's
// backslashes become single again, and its quotes single ones, since no PTX can name such a file. A comment
// ends at a new line, so nothing may name a file that has one in a comment.
#pragma once

#include <string>

#include "clang/Frontend/CompilerInvocation.h"

namespace heddle::frontend {

inline void no_comments_with_new_lines(clang::CompilerInvocation& invocation) {
  for (const clang::FrontendInputFile& input : invocation.getFrontendOpts().Inputs)
    if (input.isFile() && input.getFile().contains('\n')) invocation.getCodeGenOpts().AsmVerbose = false;
}

inline void drop_escapes_of_files(std::string& ptx) {
  constexpr std::string_view directive = "\n\t.file\t";
  for (std::size_t at = ptx.find(directive); at != ptx.npos; at = ptx.find(directive, at + 1)) {
    for (std::size_t i = at + directive.size(); i + 1 < ptx.size() && ptx[i] != '\n'; ++i) {
      if (ptx[i] != '\\' || (ptx[i + 1] != '"' && ptx[i + 1] != '\\')) continue;
      if (ptx[i + 1] == '"') ptx[i + 1] = '\'';
      ptx.erase(i, 1);
    }
  }
}

}  // namespace heddle::frontend
