#include "fatbin/embedded.h"

#include <cstring>

#include "fatbin/layout.h"
#include "fatbin/text_cubin.h"

namespace heddle::fatbin {
namespace {

uint32_t first_word(const void* image) {
  uint32_t word = 0;
  // Text may be shorter than four bytes: look no further than its end.
  const char* bytes = static_cast<const char*>(image);
  for (unsigned i = 0; i < 4; ++i) {
    word |= uint32_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    if (bytes[i] == '\0') break;
  }
  return word;
}

bool begins_like_ptx(const char* text) {
  for (;; ++text) {
    if (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r') continue;
    if (text[0] != '/' || (text[1] != '/' && text[1] != '*')) break;
    const char* end = std::strstr(text + 2, text[1] == '/' ? "\n" : "*/");
    if (end == nullptr) return false;
    text = text[1] == '/' ? end : end + 1;
  }
  return *text == '.';  // the first directive is .version
}

// Looks no further than the first byte that differs.
bool begins_like_text_cubin(const char* text) {
  constexpr std::string_view word = "architecture";
  while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r') ++text;
  return std::strncmp(text, word.data(), word.size()) == 0 && is_text_cubin({text, strnlen(text, 64)});
}

}  // namespace

Form form_of(const void* image) {
  constexpr uint32_t elf_magic = 0x464c457f;
  switch (first_word(image)) {
    case Wrapper::magic_number: return Form::wrapper;
    case file_magic: return Form::fat_binary;
    case elf_magic: return Form::elf;
    default: break;
  }
  const auto* const text = static_cast<const char*>(image);
  if (begins_like_ptx(text)) return Form::ptx;
  return begins_like_text_cubin(text) ? Form::text_cubin : Form::unknown;
}

Form form_of(std::string_view bytes) {
  // Comments before PTX may be long; what is longer is none.
  std::string begin(bytes.substr(0, 4096));
  begin.resize(begin.size() + 64);
  return form_of(static_cast<const void*>(begin.data()));
}

std::span<const std::byte> extent_of(const void* fat_binary) {
  FileHeader header;
  std::memcpy(&header, fat_binary, sizeof header);
  return {static_cast<const std::byte*>(fat_binary), header.header_bytes + header.bytes};
}

Result<std::vector<std::span<const std::byte>>> images_of(const Wrapper& wrapper) {
  if (wrapper.magic != Wrapper::magic_number) return Error{"no wrapper of a fat binary: wrong first word"};
  std::vector<std::span<const std::byte>> images;
  const auto add = [&](const void* image) {
    if (image == nullptr || form_of(image) != Form::fat_binary) return false;
    images.push_back(extent_of(image));
    return true;
  };
  if (wrapper.version == 1) {
    if (!add(wrapper.data)) return Error{"the wrapper of a fat binary holds none"};
  } else if (wrapper.version == 2) {
    for (const void* const* unit = wrapper.units; unit != nullptr && *unit != nullptr; ++unit)
      if (!add(*unit))
        return Error{"unit " + std::to_string(images.size()) + " of a linked program is no fat binary"};
    if (images.empty() && !add(wrapper.data)) return Error{"the wrapper of a linked program holds nothing"};
  } else {
    return Error{"a fat binary's wrapper of version " + std::to_string(wrapper.version) +
                 ", 1 and 2 are known"};
  }
  return images;
}

}  // namespace heddle::fatbin
