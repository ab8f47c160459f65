#include "ptx/random_rows.h"

#include <bit>
#include <cstdlib>
#include <utility>
#include <vector>

namespace heddle::ptx::testing {
namespace {

constexpr uint32_t own_bytes = 512, shared_bytes = 64, local_bytes = 64;
constexpr uint32_t most_nested = 3;  // turns of a loop around

// Registers for elements of up to 2, of 4 and of 8 bytes.
constexpr unsigned values_each = 4;
unsigned class_of(uint32_t bytes) { return bytes <= 2 ? 0 : bytes == 4 ? 1 : 2; }
constexpr std::string_view class_bits[] = {"16", "32", "64"}, class_pool[] = {"%h", "%r", "%d"};

struct Row {
  enum class Place : uint8_t { room, own, shared, local, input };
  enum class Way : uint8_t {
    pointer,   // moves on
    index,     // 32 bits, made 64 with or without a sign
    offset,    // of bytes, in 32 bits
    wide,      // 64 bits
    ring,      // the index cut
    exchanged  // the turn's number with some bits turned round
  };
  Place place = Place::own;
  Way way = Way::pointer;
  uint32_t bytes = 4, parts = 1;  // of an element; a vector's parts
  uint32_t unit = 4;              // bytes from an index to the next
  uint32_t count = 0;             // elements that there are
  int32_t turn = 1;               // indices from an element to the next
  int32_t step = 1, first = 0;    // in elements: from a turn to the next, where the first turn is
  std::vector<int32_t> members;   // elements beside that one
  bool reads = true, writes = true, is_signed = false;
  int64_t bias = 0;    // of the index
  std::string number;  // of its registers
};

class RowWriter {
 public:
  RowWriter(ProgramText& program, const RowRoom* room, const std::function<void()>& statement)
      : p_(program), room_(room), statement_(statement), n_(program.new_number()) {}

  void write() {
    orderly_ = !one_in(3);
    choose_turns();
    nested_ = one_in(5) ? 2 + choose(most_nested - 1) : 1;
    const uint32_t usual = 1U << choose(4);
    for (uint32_t left = 1 + choose(3); left > 0; --left) add_row(one_in(4) ? 1U << choose(4) : usual);
    line("{");
    declare();
    const std::string end = p_.label();
    if (one_in(orderly_ ? 10 : 4)) line(p_.guard_always() + "bra " + end + ';');
    turns();
    std::string around;
    if (nested_ > 1) {
      around = p_.label();
      line("mov.u32 %o" + n_ + ", 0;\n" + around + ':');
    }
    loop();
    if (nested_ > 1)
      line("add.u32 %o" + n_ + ", %o" + n_ + ", 1;\nsetp.lt.u32 %z" + n_ + ", %o" + n_ + ", " +
           std::to_string(nested_) + ";\n@%z" + n_ + " bra " + around + ';');
    for (unsigned c = 0; c < 3; ++c) {
      const std::string to = p_.random().register_of(class_pool[c]);
      line("xor.b" + std::string(class_bits[c]) + ' ' + to + ", " + to + ", " + value(c) + ';');
    }
    line(end + ":\n}");
  }

 private:
  uint32_t choose(uint32_t n) const { return p_.choose(n); }
  bool one_in(uint32_t n) const { return choose(n) == 0; }
  void line(const std::string& text) { p_.line(text); }
  std::string value(unsigned c) const {
    return "%v" + n_ + std::string(1, "hrd"[c]) + std::to_string(choose(values_each));
  }

  // How often the loop goes round at most.
  void choose_turns() {
    static constexpr uint32_t all[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 48, 63, 64};
    most_ = all[orderly_ ? 8 + choose(std::size(all) - 8) : choose(std::size(all))];
  }

  void add_row(uint32_t bytes) {
    Row row;
    row.number = p_.new_number();
    row.bytes = bytes;
    uint32_t where = choose(room_ != nullptr ? 12 : 6);
    if (orderly_ && (where == 0 || (where == 2 && bytes > 2))) where = 3;
    row.place = where >= 6   ? Row::Place::room
                : where >= 3 ? Row::Place::own
                : where == 2 ? Row::Place::shared
                : where == 1 ? Row::Place::input
                             : Row::Place::local;
    const bool columns = row.place == Row::Place::room && room_->columns;
    if (!columns && one_in(orderly_ ? 12 : 5)) row.parts = bytes < 8 && one_in(2) ? 4 : 2;
    row.unit = columns ? 8 : bytes * row.parts;
    row.turn = columns ? static_cast<int32_t>(room_->threads) : 1;
    const uint32_t room = row.place == Row::Place::room     ? room_->bytes
                          : row.place == Row::Place::own    ? own_bytes
                          : row.place == Row::Place::shared ? shared_bytes
                          : row.place == Row::Place::local  ? local_bytes
                                                            : random_program_input / 2;
    row.count = room / row.unit;
    choose_steps(row);
    row.reads = row.place == Row::Place::input || !one_in(4);
    row.writes = row.place != Row::Place::input && (!row.reads || !one_in(3));
    choose_way(row);
    rows_.push_back(std::move(row));
  }

  // Steps as far as there is room for so many turns; fewer turns where there is none for the smallest.
  void choose_steps(Row& row) {
    static constexpr int32_t steps[] = {1, 1, 1, 1, 1, 1, -1, -1, 2, 2, 3, 4, -2, 0};
    row.step = steps[choose(std::size(steps))];
    const int32_t width = std::abs(row.step);
    if (width > 1 && (orderly_ || !one_in(3)))
      for (int32_t m = 0; m < width; ++m) row.members.push_back(m);
    else
      row.members.push_back(0);
    if (one_in(2)) row.members.push_back(static_cast<int32_t>(choose(4)));
    int32_t widest = 0;
    for (const int32_t m : row.members) widest = std::max(widest, m);
    const auto count = static_cast<int32_t>(row.count);
    if (widest + 1 + static_cast<int32_t>(nested_) > count) {
      row.members = {0};
      widest = 0;
    }
    const int32_t left = count - widest - static_cast<int32_t>(nested_);  // where a turn may be, and one more
    if (left <= 0) row.step = 0;
    if (row.step != 0 && static_cast<int32_t>(most_ - 1) * std::abs(row.step) >= left)
      row.step = row.step < 0 ? -1 : 1;
    if (row.step != 0) most_ = std::min(most_, static_cast<uint32_t>(left));
    const int32_t way = static_cast<int32_t>(most_ - 1) * std::abs(row.step);
    row.first = static_cast<int32_t>(choose(static_cast<uint32_t>(std::max(1, left - way))));
    if (row.step < 0) row.first += way;
  }

  void choose_way(Row& row) {
    using Way = Row::Way;
    static constexpr Way ways[] = {Way::pointer, Way::pointer, Way::index, Way::index,    Way::index,
                                   Way::offset,  Way::wide,    Way::ring,  Way::exchanged};
    row.way = ways[choose(std::size(ways) - (orderly_ ? 2 : 0))];
    const bool addressed = row.place == Row::Place::shared || row.place == Row::Place::local;
    if (addressed && (row.way == Way::index || row.way == Way::wide)) row.way = Way::offset;
    if (row.way == Way::exchanged && (row.step != 1 || (most_ + 7) / 8 * 8 > row.count)) row.way = Way::index;
    if (row.way == Way::ring || row.way == Way::exchanged) row.members = {0};
    if (addressed && row.way == Way::index) row.way = Way::offset;
    row.is_signed = one_in(2);
    if (row.way != Way::index) return;
    // Indices below zero, and up to the largest ones there are.
    const uint64_t bytes = row.place == Row::Place::room    ? room_->size()
                           : row.place == Row::Place::input ? random_program_input
                                                            : own_bytes;
    const auto all = static_cast<int64_t>(bytes / row.unit);
    switch (choose(4)) {
      case 0: row.bias = row.is_signed ? -(all / 2) : 0; break;
      case 1: row.bias = (row.is_signed ? int64_t{1} << 31 : int64_t{1} << 32) - all; break;
      default: break;
    }
  }

  void declare() {
    for (unsigned c = 0; c < 3; ++c)
      line(".reg .b" + std::string(class_bits[c]) + " %v" + n_ + std::string(1, "hrd"[c]) + '<' +
           std::to_string(values_each) + ">;");
    line(".reg .b32 %k" + n_ + ", %n" + n_ + ", %o" + n_ + ";\n.reg .pred %aq" + n_ + ", %z" + n_ + ';');
    for (unsigned c = 0; c < 3; ++c)
      for (unsigned i = 0; i < values_each; ++i)
        line("mov.b" + std::string(class_bits[c]) + " %v" + n_ + std::string(1, "hrd"[c]) +
             std::to_string(i) + ", " + p_.random().register_of(class_pool[c]) + ';');
    for (const Row& row : rows_)
      line(".reg .b64 %ax" + row.number + ", %y" + row.number + ";\n.reg .b32 %i" + row.number + ", %j" +
           row.number + ';');
  }

  // %n: known, of each thread, or of all of them.
  void turns() {
    const std::string n = "%n" + n_;
    const uint32_t most = std::bit_floor(most_);
    switch (orderly_ ? 1 + choose(5) : choose(6)) {
      case 0:
        return line("and.b32 " + n + ", " + p_.random().register_of("%r") + ", " + std::to_string(most - 1) +
                    ";\nadd.u32 " + n + ", " + n + ", " + std::to_string(most_ - most + 1) + ';');
      case 1:
      case 2:
        return line("ld.global.u32 " + n + ", [%in+" + std::to_string(4 * choose(200)) + "];\nand.b32 " + n +
                    ", " + n + ", " + std::to_string(most - 1) + ";\nadd.u32 " + n + ", " + n + ", " +
                    std::to_string(most_ - most + 1) + ';');
      default: return line("mov.u32 " + n + ", " + std::to_string(most_) + ';');
    }
  }

  // Where a row's first turn is, or where its elements are counted from.
  void begin(const Row& row) {
    using Place = Row::Place;
    using Way = Row::Way;
    const std::string x = "%ax" + row.number, i = "%i" + row.number, j = "%j" + row.number;
    const std::string around = "%o" + n_, unit = std::to_string(row.unit);
    const bool counted = row.way == Way::ring || row.way == Way::exchanged;
    // The index of the first turn: i, of the thread's own where the place is its own.
    if (row.place == Place::room) {
      const uint32_t each = room_->columns ? 1 : room_->bytes / row.unit;
      line("mul.lo.u32 " + i + ", %place, " + std::to_string(each) + ';');
      if (!counted)
        line("add.s32 " + i + ", " + i + ", " + std::to_string(int64_t{row.first} * row.turn) + ';');
    } else if (row.place == Place::input) {
      const std::string thread = choose(2) == 0 ? "%lin" : p_.random().register_of("%r");
      const uint32_t shift = std::min(choose(5), 4U), most = random_program_input / 2 / row.unit;
      line("shl.b32 " + i + ", " + thread + ", " + std::to_string(shift) + ";\nand.b32 " + i + ", " + i +
           ", " + std::to_string(most - 1) + ';');
      if (!counted) line("add.s32 " + i + ", " + i + ", " + std::to_string(row.first) + ';');
    } else {
      line("mov.u32 " + i + ", " + std::to_string(counted ? 0 : row.first) + ';');
    }
    if (nested_ > 1 && !counted)
      line("mad.lo.s32 " + i + ", " + around + ", " + std::to_string(row.turn) + ", " + i + ';');
    if (row.place == Place::shared || row.place == Place::local) {
      line("mov.u32 " + j + ", " + (row.place == Place::shared ? "sh" : "lo") + ';');
      if (row.place == Place::shared) line("add.u32 " + j + ", " + j + ", %slot;");
      if (row.way == Way::pointer) line("mad.lo.u32 " + j + ", " + i + ", " + unit + ", " + j + ';');
      return;
    }
    line("mov.b64 " + x + ", " +
         (row.place == Place::room  ? "%room"
          : row.place == Place::own ? "%own"
                                    : "%in") +
         ';');
    switch (row.way) {
      case Way::pointer:
        line("mul.wide.s32 %y" + row.number + ", " + i + ", " + unit + ";\nadd.s64 " + x + ", " + x + ", %y" +
             row.number + ';');
        break;
      case Way::index:
        if (row.bias == 0) break;
        line("sub.s64 " + x + ", " + x + ", " + std::to_string(row.bias * row.unit) + ';');
        line("add.u32 " + i + ", " + i + ", " +
             std::to_string(static_cast<uint32_t>(static_cast<uint64_t>(row.bias))) + ';');
        break;
      case Way::offset:
        // The bits that fall out at the top are anything.
        if (row.unit > 1 && one_in(2))
          line("and.b32 " + j + ", " + p_.random().register_of("%r") + ", " +
               std::to_string(~(0xffffffffU >> std::countr_zero(row.unit))) + ";\nadd.u32 " + i + ", " + i +
               ", " + j + ';');
        break;
      default: break;
    }
  }

  // The address of the turn's element, with what moves it: `at` becomes it.
  std::string address(const Row& row) {
    using Place = Row::Place;
    using Way = Row::Way;
    const bool addressed = row.place == Place::shared || row.place == Place::local;
    const std::string x = "%ax" + row.number, y = "%y" + row.number, i = "%i" + row.number,
                      j = "%j" + row.number;
    const std::string step = std::to_string(int64_t{row.step} * row.turn), unit = std::to_string(row.unit);
    if (row.way == Way::pointer) return addressed ? j : x;
    if (row.way == Way::ring || row.way == Way::exchanged) {
      // The element's own number, in %m0.
      if (row.way == Way::ring)
        line("mad.lo.s32 %m0, %k" + n_ + ", " + std::to_string(row.step) + ", " + std::to_string(row.first) +
             ";\nand.b32 %m0, %m0, " + std::to_string(std::bit_floor(row.count) - 1) + ';');
      else
        line("xor.b32 %m0, %k" + n_ + ", " + std::to_string(row.first % 8) + ';');
      line("mad.lo.s32 %m0, %m0, " + std::to_string(row.turn) + ", " + i + ';');
    } else {
      line("mad.lo.s32 %m0, %k" + n_ + ", " + step + ", " + i + ';');
    }
    if (addressed) {
      line("mad.lo.u32 %m0, %m0, " + unit + ", " + j + ';');
      return "%m0";
    }
    if (row.way == Way::offset) {
      line("mul.lo.u32 %m0, %m0, " + unit + ";\ncvt.u64.u32 " + y + ", %m0;\nadd.u64 " + y + ", " + y + ", " +
           x + ';');
    } else if (row.way == Way::wide) {
      line("cvt.s64.s32 " + y + ", %m0;\nmad.lo.s64 " + y + ", " + y + ", " + unit + ", " + x + ';');
    } else {
      line(std::string("mul.wide.") + (row.is_signed ? "s32 " : "u32 ") + y + ", %m0, " + unit +
           ";\nadd.u64 " + y + ", " + y + ", " + x + ';');
    }
    return y;
  }

  void advance(const Row& row) {
    if (row.way != Row::Way::pointer || row.step == 0) return;
    const std::string by = std::to_string(int64_t{row.step} * row.turn * row.unit);
    if (row.place == Row::Place::shared || row.place == Row::Place::local)
      line("add.s32 %j" + row.number + ", %j" + row.number + ", " + by + ';');
    else
      line("add.s64 %ax" + row.number + ", %ax" + row.number + ", " + by + ';');
  }

  struct Access {
    const Row* row;
    int32_t member;
    bool store;
  };

  void access(const Access& a) {
    const Row& row = *a.row;
    const std::string at = address(row);
    std::string type = "b";
    if (row.bytes >= 1 && one_in(3)) type = one_in(2) ? "u" : "s";
    type += std::to_string(8 * row.bytes);
    const std::string_view space = row.place == Row::Place::shared  ? "shared."
                                   : row.place == Row::Place::local ? "local."
                                                                    : "global.";
    const unsigned c = class_of(row.bytes);
    std::string mnemonic = (a.store ? "st." : "ld.") + std::string(space);
    if (!a.store && row.place == Row::Place::input && one_in(3) && p_.has(isa::Opcode::ld, "ld_nc"))
      mnemonic += "nc.";
    std::string values;
    if (row.parts > 1) {
      mnemonic += 'v' + std::to_string(row.parts) + '.';
      const uint32_t turned = choose(values_each);
      for (uint32_t e = 0; e < row.parts; ++e)
        values += (e == 0 ? "{" : ", ") + ("%v" + n_ + std::string(1, "hrd"[c])) +
                  std::to_string((turned + e) % values_each);
      values += '}';
    } else {
      values = value(c);
    }
    const int64_t beside = int64_t{a.member} * row.turn * row.unit;
    const std::string place = '[' + at + (beside == 0 ? "" : '+' + std::to_string(beside)) + ']';
    const std::string guard = !orderly_ && one_in(10) ? p_.guard_always() : "";
    line(guard + mnemonic + type + ' ' + (a.store ? place + ", " + values : values + ", " + place) + ';');
    if (!a.store || one_in(3)) mix(c);
  }

  void mix(unsigned c) {
    const std::string bits(class_bits[c]), to = value(c), a = value(c), b = value(c);
    switch (choose(7)) {
      case 0: return line("xor.b" + bits + ' ' + to + ", " + a + ", " + b + ';');
      case 1: return line("mul.lo.u" + bits + ' ' + to + ", " + a + ", " + b + ';');
      case 2: return line("mad.lo.u" + bits + ' ' + to + ", " + a + ", 5, " + b + ';');
      case 3: {
        const unsigned other = choose(3);
        return line("cvt.u" + bits + ".u" + std::string(class_bits[other]) + ' ' + to + ", " + value(other) +
                    ';');
      }
      case 4: return line("max.s" + bits + ' ' + to + ", " + a + ", " + b + ';');
      default: return line("add.u" + bits + ' ' + to + ", " + a + ", " + b + ';');
    }
  }

  void body() {
    std::vector<Access> all;
    for (const bool store : {false, true})
      for (const Row& row : rows_)
        for (const int32_t member : row.members)
          if (store ? row.writes : row.reads) all.push_back({&row, member, store});
    if (one_in(3))
      for (uint32_t i = static_cast<uint32_t>(all.size()); i > 1; --i) std::swap(all[i - 1], all[choose(i)]);
    const uint32_t rare = !orderly_ && one_in(8) ? choose(static_cast<uint32_t>(all.size()) + 1) : ~0U;
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (i == rare) statement_();
      if (!orderly_ && one_in(5)) line(p_.random().plain(one_in(4) ? p_.guard_always() : ""));
      access(all[i]);
    }
  }

  void loop() {
    const std::string head = p_.label(), end = p_.label(), k = "%k" + n_, n = "%n" + n_, q = "%aq" + n_;
    for (const Row& row : rows_) begin(row);
    const bool down = one_in(4), tested_first = one_in(4);
    line("mov.u32 " + k + ", " + (down ? n : "0") + ";\n" + head + ':');
    if (down) line("sub.u32 " + k + ", " + k + ", 1;");
    if (tested_first && !down)
      line("setp.ge.u32 " + q + ", " + k + ", " + n + ";\n@" + q + " bra " + end + ';');
    body();
    for (const Row& row : rows_) advance(row);
    if (down) {
      line("setp.ne.u32 " + q + ", " + k + ", 0;\n@" + q + " bra " + head + ';');
    } else {
      line("add.u32 " + k + ", " + k + ", 1;");
      if (tested_first)
        line("bra " + head + ';');
      else
        line("setp." + std::string(one_in(2) ? "lt" : "ne") + ".u32 " + q + ", " + k + ", " + n + ";\n@" + q +
             " bra " + head + ';');
    }
    line(end + ':');
  }

  ProgramText& p_;
  const RowRoom* room_;
  const std::function<void()>& statement_;
  const std::string n_;
  uint32_t most_ = 1, nested_ = 1;
  bool orderly_ = false;  // of rows alone, all threads as often: nothing but what may lie apart, or not
  std::vector<Row> rows_;
};

}  // namespace

void write_rows(ProgramText& program, const RowRoom* room, const std::function<void()>& statement) {
  RowWriter(program, room, statement).write();
}

}  // namespace heddle::ptx::testing
