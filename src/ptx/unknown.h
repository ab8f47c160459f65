// Texts of a later PTX than this one, or for devices that it does not know: an instruction that no table has
// spoils the function that it stands in, and need not spoil the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/source.h"

namespace heddle::ptx {

// With what begins the pragma that tells of an instruction which was set aside; the rest is the message.
inline constexpr std::string_view unknown_mark = "heddle: unknown instruction: ";

// The text again, with a `trap` in the place of each instruction that is not known, and a pragma behind it.
// Lines stay what they were. Empty where something else is wrong, or nothing.
std::optional<std::string> set_unknown_aside(const SourceText& source);

}  // namespace heddle::ptx
