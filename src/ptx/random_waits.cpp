#include "ptx/random_waits.h"

#include <array>
#include <vector>

namespace heddle::ptx::testing {
namespace {

// All of it works on registers of its own: words %w, addresses %a, predicates %c.
class WaitWriter {
 public:
  WaitWriter(ProgramText& program, WaitRoom& room)
      : p_(program), room_(room), n_(program.new_number() + '_'), threads_(program.setting().threads) {
    const Setting& setting = program.setting();
    independent_ = setting.version >= isa::Version{6, 0} && setting.target->sm >= 70;
  }

  void write() {
    line("{\n.reg .b32 %w" + n_ + "<10>;\n.reg .b64 %a" + n_ + "<4>;\n.reg .pred %c" + n_ + "<3>;");
    own_value();
    kind();
    const std::string to = p_.random().register_of("%r");
    line("xor.b32 " + to + ", " + to + ", " + w(0) + ";\n}");
  }

 private:
  using Kind = void (WaitWriter::*)();

  void kind() {
    std::vector<Kind> kinds = {&WaitWriter::blocks_look_back, &WaitWriter::warps_in_turn,
                               &WaitWriter::everybody_posts,  &WaitWriter::everybody_posts,
                               &WaitWriter::leaders_lock,     &WaitWriter::leaders_tickets};
    if (threads_ > 32) kinds.insert(kinds.end(), {&WaitWriter::one_tells_all, &WaitWriter::one_tells_all});
    if (threads_ % 64 == 0) kinds.push_back(&WaitWriter::pairs_of_warps);
    if (room_.together)
      kinds.insert(kinds.end(), {&WaitWriter::whole_grid_meets, &WaitWriter::everybody_posts});
    if (room_.lanes && independent_)
      kinds.insert(kinds.end(),
                   {&WaitWriter::lanes_in_turn, &WaitWriter::lanes_in_turn, &WaitWriter::lane_tells_lane,
                    &WaitWriter::lane_tells_lane, &WaitWriter::all_tickets, &WaitWriter::all_lock});
    (this->*kinds[choose(static_cast<uint32_t>(kinds.size()))])();
  }

  uint32_t choose(uint32_t n) const { return p_.choose(n); }
  bool one_in(uint32_t n) const { return choose(n) == 0; }
  void line(const std::string& text) { p_.line(text); }
  std::string w(unsigned i) const { return "%w" + n_ + std::to_string(i); }
  std::string a(unsigned i) const { return "%a" + n_ + std::to_string(i); }
  std::string c(unsigned i) const { return "%c" + n_ + std::to_string(i); }

  // Lines of a template: W0 to W9, A0 to A3, C0 to C2 are the registers.
  void lines(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool named = (text[i] == 'W' || text[i] == 'A' || text[i] == 'C') && i + 1 < text.size() &&
                         text[i + 1] >= '0' && text[i + 1] <= '9';
      if (!named) {
        out += text[i];
        continue;
      }
      const auto number = static_cast<unsigned>(text[i + 1] - '0');
      out += text[i] == 'W' ? w(number) : text[i] == 'A' ? a(number) : c(number);
      ++i;
    }
    line(out);
  }

  // W1: a number of the thread's own.
  void own_value() { lines("mov.b32 W1, " + p_.random().register_of("%r") + ";\nmov.b32 W0, W1;"); }

  // Takes words of global memory.
  std::string take(uint32_t words) {
    const std::string at = std::to_string(room_.taken);
    room_.taken += 4 * words;
    return at;
  }

  // A place in memory: its space, and an address register with an offset.
  struct Flag {
    bool shared = false;
    std::string address;  // in brackets
    std::string space() const { return shared ? "shared." : "global."; }
  };

  // The flag's value to `to`, by something that looks again each time.
  void look(const Flag& flag, const std::string& to) {
    const std::string at = '[' + flag.address + ']';
    switch (choose(independent_ ? 7 : 5)) {
      case 0: return line("atom." + flag.space() + "add.u32 " + to + ", " + at + ", 0;");
      case 1: return line("atom." + flag.space() + "or.b32 " + to + ", " + at + ", 0;");
      case 2: return line("atom." + flag.space() + "cas.b32 " + to + ", " + at + ", 0, 0;");
      case 5:
        return line("ld.relaxed." + std::string(flag.shared ? "cta.shared" : "gpu.global") + ".u32 " + to +
                    ", " + at + ';');
      case 6:
        return line("ld.acquire." + std::string(flag.shared ? "cta.shared" : "gpu.global") + ".u32 " + to +
                    ", " + at + ';');
      default: return line("ld.volatile." + flag.space() + "u32 " + to + ", " + at + ';');
    }
  }
  void tell(const Flag& flag, const std::string& value) {
    const std::string at = '[' + flag.address + ']', end = at + ", " + value + ';';
    // A store to shared memory does not wait for an atomic operation of earlier devices (9.7.13.5).
    switch (independent_ ? choose(5) : flag.shared ? 0 : choose(3)) {
      case 0: return line("atom." + flag.space() + "exch.b32 " + w(9) + ", " + end);
      case 3:
        return line("st.relaxed." + std::string(flag.shared ? "cta.shared" : "gpu.global") + ".u32 " + end);
      case 4:
        return line("st.release." + std::string(flag.shared ? "cta.shared" : "gpu.global") + ".u32 " + end);
      default: return line("st.volatile." + flag.space() + "u32 " + end);
    }
  }
  void fence(bool of_block) {
    static constexpr std::array<std::string_view, 2> newer = {"fence.acq_rel.gpu;", "fence.sc.gpu;"};
    if (independent_ && one_in(3)) return line(std::string(newer[choose(2)]));
    line(of_block && one_in(2) ? "membar.cta;" : "membar.gl;");
  }

  // Until the flag is not 0 (`than` is empty), or is at least `than`. `whole`: all lanes of the warp come
  // here together. Uses C0, C1.
  void wait(const Flag& flag, const std::string& to, const std::string& than, bool whole = false) {
    const std::string head = p_.label(), end = p_.label();
    line(head + ':');
    look(flag, to);
    if (than.empty())
      line("setp.eq.u32 " + c(0) + ", " + to + ", 0;");
    else
      line("setp.lt.u32 " + c(0) + ", " + to + ", " + than + ';');
    std::string again = c(0);
    if (whole && independent_ && one_in(2)) {
      again = c(1);
      line("vote.sync.any.pred " + again + ", " + c(0) + ", 0xFFFFFFFF;");
    }
    if (p_.has(isa::Opcode::nanosleep, "nanosleep") && one_in(5)) line("nanosleep.u32 20;");
    if (one_in(3))
      line("@!" + again + " bra " + end + ";\nbra " + head + ';');
    else
      line('@' + again + " bra " + head + ';');
    line(end + ':');
  }

  // To `to`: the word at `thread` of an array of those that the thread's block has (`each` a block), or the
  // grid's where that is 0.
  void address(const std::string& to, const std::string& thread, const std::string& from, uint32_t each) {
    line("mov.u32 " + w(9) + ", " + thread + ';');
    if (each != 0)
      line("mov.u32 " + w(8) + ", %ctaid.x;\nmad.lo.u32 " + w(9) + ", " + w(8) + ", " + std::to_string(each) +
           ", " + w(9) + ';');
    line("mad.wide.u32 " + to + ", " + w(9) + ", 4, %flags;\nadd.u64 " + to + ", " + to + ", " + from + ';');
  }

  // A word of shared memory for each thread, of zeros: its own in W8, between barriers.
  void clear_shared() {
    lines(
        "bar.sync 0;\nmov.u32 W9, sh;\nshl.b32 W8, %lin, 2;\nadd.u32 W8, W8, W9;\nmov.u32 W9, 0;\n"
        "st.shared.u32 [W8], W9;\nbar.sync 0;");
  }

  // The block's first thread has it in W0: so have all.
  void to_all() {
    const std::string meet = p_.label();
    lines("bar.sync 0;\nsetp.ne.u32 C0, %lin, 0;\n@C0 bra " + meet + ";\nst.shared.u32 [sh], W0;\n" + meet +
          ":\nbar.sync 0;\nld.shared.u32 W0, [sh];\nbar.sync 0;");
  }

  // ---- what there is

  // Each block adds to what the one before has left, by its first warp or by all its threads.
  void blocks_look_back() {
    const bool all = one_in(3);
    const std::string from = take(room_.blocks), meet = p_.label(), tells = p_.label();
    lines("mov.u32 W2, 1;");
    if (!all) lines("setp.ge.u32 C2, %lin, 32;\n@C2 bra " + meet + ';');
    address(a(0), "%ctaid.x", from, 0);
    lines("mov.u32 W3, %ctaid.x;\nsetp.eq.u32 C0, W3, 0;\n@C0 bra " + tells + ';');
    wait({false, a(0) + "+-4"}, w(2), "", true);
    line(tells + ':');
    lines("mov.u32 W3, %ctaid.x;\nmad.lo.u32 W4, W2, 5, W3;\nor.b32 W4, W4, 1;");
    lines("setp.ne.u32 C0, %lin, 0;\n@C0 bra " + meet + ';');
    tell({false, a(0)}, w(4));
    line(meet + ':');
    lines("mov.u32 W0, W2;");
    if (!all) to_all();
  }

  // A thread waits for the one 32 before it, or 32 behind it.
  void warps_in_turn() {
    const bool shared = one_in(2), down = one_in(2);
    const std::string meet = p_.label();
    std::string at;
    if (shared) {
      clear_shared();
      at = w(8);
    } else {
      const std::string from = take(room_.blocks * threads_);
      address(a(0), "%lin", from, threads_);
      at = a(0);
    }
    lines("mov.u32 W2, 3;");
    lines(down ? "setp.ge.u32 C2, %lin, " + std::to_string(threads_ - 32) + ";"
               : "setp.lt.u32 C2, %lin, 32;");
    lines("@C2 bra " + meet + ';');
    wait({shared, at + (down ? "+128" : "+-128")}, w(2), "", true);
    line(meet + ':');
    lines("mad.lo.u32 W0, W2, 3, W1;\nor.b32 W4, W0, 1;");
    tell({shared, at}, w(4));
    if (shared) line("bar.sync 0;");
  }

  // In rounds: everybody leaves something, says so, and waits for somebody else.
  void everybody_posts() {
    const bool grid = room_.together && one_in(2);
    const uint32_t all = grid ? room_.blocks * threads_ : threads_, each = grid ? 0 : threads_;
    const uint32_t rounds = 1 + choose(3);
    const std::string me = grid ? "%gt" : "%lin", head = p_.label();
    const std::string said = take(room_.blocks * threads_), left = take(rounds * room_.blocks * threads_);
    const std::string behind = std::to_string(4 * room_.blocks * threads_);
    address(a(0), me, said, each);
    address(a(2), me, left, each);
    const uint32_t times = 1 + choose(40), more = choose(all);
    lines("mov.u32 W7, 1;\nmov.u64 A3, 0;\n" + head + ':');
    lines("mad.lo.u32 W5, W0, 7, W7;\nst.global.u32 [A2], W5;");
    fence(!grid);
    tell({false, a(0)}, w(7));
    lines("mad.lo.u32 W2, " + me + ", " + std::to_string(times) + ", W7;\nadd.u32 W2, W2, " +
          std::to_string(more) + ";\nrem.u32 W2, W2, " + std::to_string(all) + ';');
    address(a(1), w(2), said, each);
    wait({false, a(1)}, w(3), w(7));
    fence(!grid);
    address(a(1), w(2), left, each);
    lines("add.u64 A1, A1, A3;\nld.global.u32 W4, [A1];\nxor.b32 W0, W0, W4;");
    lines("add.u64 A2, A2, " + behind + ";\nadd.u64 A3, A3, " + behind +
          ";\nadd.u32 W7, W7, 1;\nsetp.le.u32 C0, W7, " + std::to_string(rounds) + ";\n@C0 bra " + head +
          ';');
  }

  // A sum, an exclusive or and a count at [at+4], [at+8], [at+12], with %w1 of those who come.
  void commute(const Flag& at) {
    const std::string space = at.space();
    const auto change = [&](const char* offset, const std::string& how) {
      const std::string place = '[' + at.address + '+' + offset + ']';
      line("ld.volatile." + space + "u32 " + w(5) + ", " + place + ";\n" + how + "\nst.volatile." + space +
           "u32 " + place + ", " + w(5) + ';');
    };
    change("4", "add.u32 " + w(5) + ", " + w(5) + ", " + w(1) + ';');
    if (one_in(2)) change("8", "xor.b32 " + w(5) + ", " + w(5) + ", " + w(1) + ';');
    if (one_in(2)) change("12", "add.u32 " + w(5) + ", " + w(5) + ", 1;");
  }

  // Four words for each block, in shared memory or not, or for the grid.
  struct Lock {
    Flag at;
    bool grid;
  };
  Lock lock_words() {
    const uint32_t which = choose(3);
    Lock lock{{which == 0, ""}, which == 2};
    if (lock.at.shared) {
      const std::string meet = p_.label();
      lines("bar.sync 0;\nsetp.ne.u32 C0, %lin, 0;\n@C0 bra " + meet +
            ";\nmov.u64 A0, 0;\nst.shared.v2.u64 [sh], {A0, A0};\n" + meet +
            ":\nbar.sync 0;\nmov.u32 W8, sh;");
      lock.at.address = w(8);
    } else {
      const std::string from = take(room_.blocks * 4);
      address(a(0), "0", from, lock.grid ? 0 : 4);
      lock.at.address = a(0);
    }
    return lock;
  }
  // What came of it: of the grid's it stays in memory.
  void sums(const Lock& lock) {
    line("bar.sync 0;");
    if (lock.grid) return;
    line("ld.volatile." + lock.at.space() + "u32 " + w(0) + ", [" + lock.at.address + "+4];");
    line("bar.sync 0;");
  }
  void with_lock(const Lock& lock) {
    const std::string again = p_.label(), space = lock.at.space(), at = '[' + lock.at.address + ']';
    line(again + ":\natom." + space + "cas.b32 " + w(2) + ", " + at + ", 0, 1;\nsetp.ne.u32 " + c(0) + ", " +
         w(2) + ", 0;\n@" + c(0) + " bra " + again + ';');
    fence(lock.at.shared);
    commute(lock.at);
    fence(lock.at.shared);
    line("atom." + space + "exch.b32 " + w(2) + ", " + at + ", 0;");
  }
  void with_ticket(const Lock& lock, const std::string& turn) {
    const Flag serving{lock.at.shared, turn};
    const std::string again = p_.label();
    line("atom." + lock.at.space() + "add.u32 " + w(3) + ", [" + lock.at.address + "], 1;\n" + again + ':');
    look(serving, w(4));
    line("setp.ne.u32 " + c(0) + ", " + w(4) + ", " + w(3) + ";\n@" + c(0) + " bra " + again + ';');
    fence(lock.at.shared);
    commute(lock.at);
    fence(lock.at.shared);
    line("add.u32 " + w(4) + ", " + w(3) + ", 1;");
    tell(serving, w(4));
  }
  // Where a lock's tickets are called.
  std::string turns(const Lock& lock) {
    if (lock.at.shared) {
      lines("mov.u32 W7, sh;\nadd.u32 W7, W7, 16;\nmov.u32 W6, 0;\nst.shared.u32 [W7], W6;\nbar.sync 0;");
      return w(7);
    }
    const std::string from = take(room_.blocks * 4);
    address(a(1), "0", from, lock.grid ? 0 : 4);
    return a(1);
  }

  // One lane of each warp.
  void leaders_lock() {
    const std::string meet = p_.label();
    const Lock lock = lock_words();
    lines("and.b32 W2, %lin, 31;\nsetp.ne.u32 C2, W2, " + std::to_string(choose(32)) + ";\n@C2 bra " + meet +
          ';');
    with_lock(lock);
    line(meet + ':');
    sums(lock);
  }
  void leaders_tickets() {
    const std::string meet = p_.label();
    const Lock lock = lock_words();
    const std::string turn = turns(lock);
    lines("and.b32 W2, %lin, 31;\nsetp.ne.u32 C2, W2, " + std::to_string(choose(32)) + ";\n@C2 bra " + meet +
          ';');
    with_ticket(lock, turn);
    line(meet + ':');
    sums(lock);
  }
  void all_lock() {
    const Lock lock = lock_words();
    with_lock(lock);
    sums(lock);
  }
  void all_tickets() {
    const Lock lock = lock_words();
    const std::string turn = turns(lock);
    with_ticket(lock, turn);
    sums(lock);
  }

  // One lane of a warp makes some words, one after another; the other warps take each as it comes.
  void one_tells_all() {
    const uint32_t words = 1 + choose(6), warps = threads_ / 32, teller = choose(warps) * 32;
    const std::string takers = p_.label(), head = p_.label(), again = p_.label(), end = p_.label(),
                      said = take(room_.blocks), made = take(room_.blocks * words);
    address(a(0), "0", said, 1);
    address(a(1), "0", made, words);
    lines("mov.u32 W7, 0;\nand.b32 W2, %lin, -32;\nsetp.ne.u32 C2, W2, " + std::to_string(teller) +
          ";\n@C2 bra " + takers + ";\nsetp.ne.u32 C2, %lin, " + std::to_string(teller + choose(32)) +
          ";\n@C2 bra " + end + ";\n" + head +
          ":\nmad.lo.u32 W4, W7, 77, W1;\nst.global.u32 [A1], W4;\nadd.u32 W7, W7, 1;\nadd.u64 A1, A1, 4;");
    fence(true);
    tell({false, a(0)}, w(7));
    lines("setp.lt.u32 C0, W7, " + std::to_string(words) + ";\n@C0 bra " + head + ";\nbra " + end + ";\n" +
          takers + ":\n" + again + ":\nadd.u32 W7, W7, 1;");
    wait({false, a(0)}, w(3), w(7), true);
    fence(true);
    lines("ld.global.u32 W4, [A1];\nmad.lo.u32 W0, W0, 3, W4;\nadd.u64 A1, A1, 4;\nsetp.lt.u32 C0, W7, " +
          std::to_string(words) + ";\n@C0 bra " + again + ";\n" + end + ':');
  }

  // The first half of the warps makes what the second takes, a barrier for each direction of each pair.
  void pairs_of_warps() {
    const uint32_t half = threads_ / 2, rounds = 1 + choose(4);
    if (threads_ > 448) return warps_in_turn();
    const std::string takers = p_.label(), make = p_.label(), again = p_.label(), end = p_.label();
    lines("bar.sync 0;\nmov.u32 W7, 0;\nmov.u32 W8, sh;\nrem.u32 W2, %lin, " + std::to_string(half) +
          ";\nshr.u32 W3, W2, 5;\nmad.lo.u32 W3, W3, 2, 1;\nadd.u32 W4, W3, 1;\nmad.lo.u32 W8, W2, 4, W8;\n"
          "setp.ge.u32 C2, %lin, " +
          std::to_string(half) + ";\n@C2 bra " + takers + ";\n" + make +
          ":\nadd.u32 W5, W1, W7;\nst.shared.u32 [W8], W5;\nbar.arrive W3, 64;\nbar.sync W4, 64;\n"
          "add.u32 W7, W7, 1;\nsetp.lt.u32 C0, W7, " +
          std::to_string(rounds) + ";\n@C0 bra " + make + ";\nbra " + end + ";\n" + takers + ":\n" + again +
          ":\nbar.sync W3, 64;\nld.shared.u32 W5, [W8];\nmad.lo.u32 W0, W0, 3, W5;\nbar.arrive W4, 64;\n"
          "add.u32 W7, W7, 1;\nsetp.lt.u32 C0, W7, " +
          std::to_string(rounds) + ";\n@C0 bra " + again + ";\n" + end + ":\nbar.sync 0;");
  }

  // As cooperative groups do it: everybody has written when all have come.
  void whole_grid_meets() {
    const uint32_t all = room_.blocks * threads_;
    const std::string came = take(1), left = take(all), meet = p_.label();
    address(a(0), "0", came, 0);
    address(a(1), "%gt", left, 0);
    lines("st.global.u32 [A1], W1;");
    fence(false);
    lines("bar.sync 0;\nsetp.ne.u32 C2, %lin, 0;\n@C2 bra " + meet + ";\natom.global.add.u32 W2, [A0], 1;");
    wait({false, a(0)}, w(2), std::to_string(room_.blocks));
    fence(false);
    lines(meet + ":\nbar.sync 0;\nadd.u32 W3, %gt, " + std::to_string(choose(all)) + ";\nrem.u32 W3, W3, " +
          std::to_string(all) + ';');
    address(a(1), w(3), left, 0);
    lines("ld.global.u32 W4, [A1];\nxor.b32 W0, W0, W4;");
  }

  // From lane to lane through a warp, in rounds.
  void lanes_in_turn() {
    const bool down = one_in(2), shared = one_in(2);
    const uint32_t rounds = 1 + choose(3);
    const std::string head = p_.label(), tells = p_.label();
    std::string at;
    if (shared) {
      clear_shared();
      lines("mov.u32 W6, W8;");
      at = w(6);
    } else {
      const std::string from = take(room_.blocks * threads_);
      address(a(0), "%lin", from, threads_);
      at = a(0);
    }
    lines("mov.u32 W7, 1;\n" + head + ":\nand.b32 W2, %lin, 31;\nsetp.eq.u32 C2, W2, " + (down ? "31" : "0") +
          ";\nmov.u32 W3, W7;\n@C2 bra " + tells + ';');
    wait({shared, at + (down ? "+4" : "+-4")}, w(3), w(7));
    lines(tells + ":\nmad.lo.u32 W0, W0, 3, W7;");
    if (one_in(2)) line(p_.random().plain(""));
    tell({shared, at}, w(7));
    lines("add.u32 W7, W7, 1;\nsetp.le.u32 C0, W7, " + std::to_string(rounds) + ";\n@C0 bra " + head + ';');
    if (shared)
      line("bar.sync 0;");
    else
      line("bar.warp.sync 0xFFFFFFFF;");
  }

  // Some lanes wait for what the lane beside them does on the branch's other way.
  void lane_tells_lane() {
    const uint32_t mask = (2U << choose(5)) - 1, which = choose(mask + 1), one = one_in(2) ? 1U : mask;
    const std::string from = take(room_.blocks * threads_), others = p_.label(), meet = p_.label();
    address(a(0), "%lin", from, threads_);
    // The lane whose number differs in these bits is of the others.
    lines("xor.b32 W2, %lin, " + std::to_string(one) + ';');
    address(a(1), w(2), from, threads_);
    lines("and.b32 W3, %lin, " + std::to_string(mask) + ";\nsetp.ne.u32 C2, W3, " + std::to_string(which) +
          ";\n@C2 bra " + others + ';');
    wait({false, a(1)}, w(4), "");
    lines("mad.lo.u32 W0, W4, 5, W0;\nbra " + meet + ";\n" + others + ":\nor.b32 W4, W1, 1;");
    if (one_in(2)) line(p_.random().plain(""));
    tell({false, a(0)}, w(4));
    line(meet + ':');
    line("bar.warp.sync 0xFFFFFFFF;");
  }

  ProgramText& p_;
  WaitRoom& room_;
  const std::string n_;  // ends in no digit: NVIDIA's assembler does not find %w10 of `%w1<10>`
  const uint32_t threads_;
  bool independent_ = false;
};

}  // namespace

void write_wait(ProgramText& program, WaitRoom& room) { WaitWriter(program, room).write(); }

}  // namespace heddle::ptx::testing
