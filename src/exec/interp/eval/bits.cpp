// Bits counted, found and moved (PTX ISA 9.7.1.14 to 9.7.1.22).
#include <algorithm>
#include <bit>

#include "exec/interp/eval/typed.h"
#include "exec/interp/step.h"

namespace heddle::exec::interp {
namespace {

template <class T>
T reversed(T value) {
  T out = 0;
  for (int i = 0; i < bits_of<T>; ++i) out = static_cast<T>(out << 1 | (value >> i & 1));
  return out;
}

// `count` ones from bit 0; count may be the whole width and more.
uint64_t ones(uint64_t count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

// Position and length of a bit field. Of 32-bit fields devices read a byte; the instructions on 64 bits are
// made of several, which take the whole word.
template <class T>
uint64_t field_operand(Step& s, int i, int lane) {
  return s.get<uint32_t>(i, lane) & (sizeof(T) == 4 ? 0xff : 0xffffffff);
}

}  // namespace

void eval_popc(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      s.set<uint32_t>(0, lane,
                      static_cast<uint32_t>(std::popcount(static_cast<Unsigned<T>>(s.get<T>(1, lane)))));
    });
  });
}

void eval_clz(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      s.set<uint32_t>(0, lane,
                      static_cast<uint32_t>(std::countl_zero(static_cast<Unsigned<T>>(s.get<T>(1, lane)))));
    });
  });
}

// The highest one bit; of a negative signed value the highest zero bit. 0xffffffff when there is none.
void eval_bfind(Step& s) {
  const bool shift_amount = s.has(isa::Slot::shiftamt);
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      const T a = s.get<T>(1, lane);
      const auto bits = static_cast<Unsigned<T>>(a < T{0} ? static_cast<T>(~a) : a);
      uint32_t position = 0xffffffff;
      if (bits != 0) {
        position = static_cast<uint32_t>(bits_of<T> - 1 - std::countl_zero(bits));
        if (shift_amount) position = static_cast<uint32_t>(bits_of<T> - 1) - position;
      }
      s.set<uint32_t>(0, lane, position);
    });
  });
}

// The n-th set bit of `mask` from `base`, upwards for a positive offset, downwards for a negative one.
void eval_fns(Step& s) {
  s.each([&](int lane) {
    const uint32_t mask = s.get<uint32_t>(1, lane), base = s.get<uint32_t>(2, lane);
    const int32_t offset = s.get<int32_t>(3, lane);
    uint32_t found = 0xffffffff;
    if (offset == INT32_MIN) {
      found = 0;  // it has no magnitude, and devices do not notice
    } else if (base <= 31 && offset == 0) {
      if (mask >> base & 1) found = base;
    } else if (base <= 31) {
      const int64_t wanted = offset > 0 ? int64_t{offset} : -int64_t{offset};
      const int direction = offset > 0 ? 1 : -1;
      int64_t count = 0;
      for (int bit = static_cast<int>(base); bit >= 0 && bit <= 31; bit += direction) {
        if ((mask >> bit & 1) == 0 || ++count != wanted) continue;
        found = static_cast<uint32_t>(bit);
        break;
      }
    }
    s.set<uint32_t>(0, lane, found);
  });
}

void eval_brev(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    s.each([&](int lane) {
      s.set<T>(0, lane, static_cast<T>(reversed(static_cast<Unsigned<T>>(s.get<T>(1, lane)))));
    });
  });
}

// Bits past the value are its sign for signed types, zero for unsigned ones (9.7.1.19).
void eval_bfe(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    constexpr uint64_t top = bits_of<T> - 1;
    s.each([&](int lane) {
      const auto a = static_cast<Unsigned<T>>(s.get<T>(1, lane));
      const uint64_t position = field_operand<T>(s, 2, lane), length = field_operand<T>(s, 3, lane);
      bool sign = false;
      if (std::is_signed_v<T> && length != 0) sign = (a >> std::min(position + length - 1, top) & 1) != 0;
      const uint64_t shifted = position > top ? 0 : static_cast<uint64_t>(a) >> position;
      const uint64_t available = position > top ? 0 : std::min(length, top + 1 - position);
      uint64_t out = shifted & ones(available);
      if (sign) out |= ~ones(available);
      s.set<T>(0, lane, static_cast<T>(out));
    });
  });
}

void eval_bfi(Step& s) {
  with_integer(s.type(), [&]<class T>(T) {
    constexpr uint64_t top = bits_of<T> - 1;
    s.each([&](int lane) {
      const uint64_t a = s.get<T>(1, lane), b = s.get<T>(2, lane);
      const uint64_t position = field_operand<T>(s, 3, lane), length = field_operand<T>(s, 4, lane);
      const uint64_t field = position > top ? 0 : ones(length) << position;
      s.set<T>(0, lane, static_cast<T>((b & ~field) | (position > top ? 0 : a << position & field)));
    });
  });
}

// .wrap takes position and length modulo 32, .clamp stops at the word's end (9.7.1.21, 9.7.1.22).
void eval_szext(Step& s) {
  const bool wrap = s.word(isa::Slot::extend) == isa::Word::wrap;
  const bool is_signed = isa::info(s.type()).kind == isa::TypeKind::signed_;
  s.each([&](int lane) {
    const uint32_t a = s.get<uint32_t>(1, lane);
    uint32_t length = s.get<uint32_t>(2, lane);
    if (wrap) length &= 31;
    uint32_t out = a;
    if (length == 0) {
      out = 0;
    } else if (length < 32) {
      const unsigned rest = 32 - length;
      out = is_signed ? static_cast<uint32_t>(static_cast<int32_t>(a << rest) >> rest) : a << rest >> rest;
    }
    s.set<uint32_t>(0, lane, out);
  });
}

void eval_bmsk(Step& s) {
  const bool wrap = s.word(isa::Slot::extend) == isa::Word::wrap;
  s.each([&](int lane) {
    uint32_t position = s.get<uint32_t>(1, lane), length = s.get<uint32_t>(2, lane);
    if (wrap) {
      position &= 31;
      length &= 31;
    }
    const uint64_t mask = position > 31 ? 0 : ones(std::min(length, 32u)) << position;
    s.set<uint32_t>(0, lane, static_cast<uint32_t>(mask));
  });
}

}  // namespace heddle::exec::interp
