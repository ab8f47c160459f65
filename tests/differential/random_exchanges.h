// Random programs whose lanes exchange values through memory without a barrier: warps in lockstep give one
// answer. What no hardware orders is left out: both ways of a branch use rows of their own.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace heddle::exec {

// The statements of a kernel, between `exchange_begin` and `exchange_end`: a warp has four rows of 32 words
// in shared memory and as many in global memory (`out`, behind the results), a lane the value %v.
class RandomExchanges {
 public:
  explicit RandomExchanges(uint64_t seed) : random_(seed) {
    // Some programs have all of it, some little.
    collisions_ = one_of(2), atomics_ = one_of(2), global_ = one_of(2), calls_ = one_of(4);
    statements(0, rows, 0);
  }
  const std::string& text() const { return text_; }

  static constexpr unsigned words = 128;  // of global memory for each warp, behind the results of all
  // What the text needs besides %lane, %row, %v and %w.
  static std::string begin() {
    return "  .reg .u64 %far, %near;\n  .reg .u32 %c<4>;\n  .reg .u32 %all;\n"
           "  mov.u32 %w, %nctaid.x;\n  mul.lo.u32 %all, %w, %n;\n  sub.u32 %w, %t, %lane;\n"
           "  mad.lo.u32 %all, %w, 4, %all;\n  mad.wide.u32 %far, %all, 4, %out;\n"
           "  cvt.u64.u32 %a, %row;\n  cvta.shared.u64 %near, %a;\n  mov.u32 %w, 0;\n";
  }
  // Behind the kernel, declared in front of it.
  static std::string function() {
    return R"(
.func (.param .b32 r) exchange(.param .b64 p0, .param .b32 p1)
{
  .reg .u64 %a, %b;
  .reg .u32 %l, %v, %w;
  ld.param.u64 %a, [p0];
  ld.param.u32 %v, [p1];
  mov.u32 %l, %laneid;
  mad.wide.u32 %b, %l, 4, %a;
  st.u32 [%b], %v;
  xor.b32 %l, %l, 3;
  mad.wide.u32 %b, %l, 4, %a;
  ld.u32 %w, [%b];
  mad.lo.u32 %w, %w, 3, %v;
  st.param.b32 [r], %w;
  ret;
}
)";
  }
  static std::string declaration() {
    return ".func (.param .b32 r) exchange(.param .b64 p0, .param .b32 p1);\n";
  }

 private:
  static constexpr unsigned rows = 4, most_depth = 3;
  unsigned up_to(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one_of(unsigned n) { return up_to(n) == 0; }
  static std::string number(unsigned n) { return std::to_string(n); }
  void line(const std::string& text) { text_ += "  " + text + ";\n"; }

  struct Place {
    std::string space, address;
    bool apart = true;  // no two lanes have the same
  };
  // A word of the row, by a rule that the compiler may see through or not.
  Place place(unsigned row, bool apart) {
    Place p;
    const std::string by = number(up_to(32));
    switch (up_to(apart ? 4 : 7)) {
      case 0: line("mov.u32 %b0, %lane"); break;
      case 1: line("xor.b32 %b0, %lane, " + by); break;
      case 2:
        line("add.u32 %b0, %lane, " + by);
        line("and.b32 %b0, %b0, 31");
        break;
      case 3:  // odd factors only change the order
        line("mad.lo.u32 %b0, %lane, " + number(2 * up_to(16) + 1) + ", " + by);
        line("and.b32 %b0, %b0, 31");
        break;
      case 4:
        line("shr.u32 %b0, %v, " + number(up_to(20)));
        line("and.b32 %b0, %b0, 31");
        p.apart = false;
        break;
      case 5:
        line("and.b32 %b0, %lane, " + by);
        p.apart = false;
        break;
      default:
        line("mov.u32 %b0, " + by);
        p.apart = false;
        break;
    }
    const bool global = global_ && one_of(3), generic = one_of(6);
    line("shl.b32 %b0, %b0, 2");
    if (!global && !generic) {
      line("add.u32 %b0, %b0, %row");
      p.space = ".shared", p.address = "[%b0+" + number(128 * row) + "]";
    } else {
      line("cvt.u64.u32 %a, %b0");
      line(std::string("add.u64 %a, %a, ") + (global ? "%far" : "%near"));
      p.space = generic ? "" : ".global", p.address = "[%a+" + number(128 * row) + "]";
    }
    return p;
  }

  std::string strength() { return one_of(6) ? ".volatile" : ""; }

  void store(unsigned row) {
    const Place p = place(row, !collisions_);
    if (one_of(5)) {
      line("st" + strength() + p.space + (one_of(2) ? ".u8 " : ".u16 ") + p.address + ", %v");
    } else {
      line("st" + strength() + p.space + ".u32 " + p.address + ", %v");
    }
  }
  void load(unsigned row) {
    const Place p = place(row, false);
    static const char* const types[] = {".u32", ".u32", ".u32", ".u8", ".s16"};
    line("ld" + strength() + p.space + types[up_to(5)] + " %w, " + p.address);
    line("mad.lo.u32 %v, %v, 5, %w");
  }
  void atomic(unsigned row) {
    const Place p = place(row, false);
    static const char* const kinds[] = {".add.u32 ", ".max.u32 ", ".xor.b32 ", ".min.s32 ", ".exch.b32 "};
    const unsigned kind = up_to(5);
    if (kind != 4 && one_of(3)) return line("red" + p.space + kinds[kind] + p.address + ", %v");
    line("atom" + p.space + kinds[kind] + "%w, " + p.address + ", %v");
    line("mad.lo.u32 %v, %v, 3, %w");
  }

  void statements(unsigned first, unsigned last, unsigned depth) {
    for (unsigned left = 2 + up_to(4); left > 0; --left) statement(first, last, depth);
  }
  void branch(unsigned first, unsigned last, unsigned depth) {
    const unsigned middle = first + 1 < last ? (first + last) / 2 : last;
    const std::string n = number(++labels_), m = number(1 + up_to(31));
    if (one_of(4))
      line("shr.u32 %b1, %v, " + number(up_to(20)));
    else
      line("mov.u32 %b1, %lane");
    line("and.b32 %b1, %b1, " + m);
    line(std::string("setp.") + (one_of(2) ? "eq" : "ne") + ".u32 %p, %b1, 0");
    line("@%p bra other" + n);
    statements(first, middle, depth + 1);
    line("bra meet" + n);
    text_ += "other" + n + ":\n";
    line("add.u32 %v, %v, 1");
    if (middle < last && !one_of(3)) statements(middle, last, depth + 1);
    text_ += "meet" + n + ":\n";
  }
  void loop(unsigned first, unsigned last, unsigned depth) {
    const std::string n = number(++labels_), counter = "%c" + number(depth);
    if (one_of(2))
      line("and.b32 " + counter + ", %lane, " + number(up_to(4)));
    else
      line("mov.u32 " + counter + ", " + number(up_to(4)));
    text_ += "turn" + n + ":\n";
    statements(first, last, depth + 1);
    if (one_of(3)) {  // from its middle
      line("and.b32 %b1, %v, 7");
      line("setp.eq.u32 %q, %b1, 3");
      line("@%q bra out" + n);
      statements(first, last, depth + 1);
    }
    line("sub.u32 " + counter + ", " + counter + ", 1");
    line("setp.ge.s32 %q, " + counter + ", 0");
    line("@%q bra turn" + n);
    text_ += "out" + n + ":\n";
  }
  // What brings all lanes together, where all are.
  void together() {
    switch (up_to(4)) {
      case 0: line("bar.warp.sync 0xffffffff"); break;
      case 1: line("bar.sync 0"); break;
      case 2:
        line("shfl.sync.bfly.b32 %w, %v, " + number(1 + up_to(31)) + ", 31, 0xffffffff");
        line("add.u32 %v, %v, %w");
        break;
      default:
        line("and.b32 %b1, %v, 1");
        line("setp.ne.u32 %q, %b1, 0");
        line("vote.sync.ballot.b32 %w, %q, 0xffffffff");
        line("add.u32 %v, %v, %w");
        break;
    }
  }
  void call(unsigned row) {
    const std::string by = number(128 * row);
    line("add.u64 %a, %near, " + by);
    text_ +=
        "  {\n    .param .b64 p0;\n    .param .b32 p1;\n    .param .b32 r;\n    st.param.b64 [p0], %a;\n"
        "    st.param.b32 [p1], %v;\n    call.uni (r), exchange, (p0, p1);\n    ld.param.b32 %v, [r];\n  }\n";
  }
  void statement(unsigned first, unsigned last, unsigned depth) {
    const unsigned row = first + up_to(last - first), which = up_to(depth < most_depth ? 20 : 13);
    if (which < 5) return store(row);
    if (which < 10) return load(row);
    if (which < 12) return atomics_ ? atomic(row) : load(row);
    if (which < 13) {
      if (depth == 0 && one_of(2)) return together();
      return calls_ ? call(row) : store(row);
    }
    if (which < 17) return branch(first, last, depth);
    loop(first, last, depth);
  }

  std::mt19937_64 random_;
  std::string text_;
  unsigned labels_ = 0;
  bool collisions_ = false, atomics_ = false, global_ = false, calls_ = false;
};

}  // namespace heddle::exec
