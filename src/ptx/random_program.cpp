#include "ptx/random_program.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "isa/isa.h"
#include "ptx/random_instruction.h"
#include "ptx/random_rows.h"
#include "ptx/random_text.h"
#include "ptx/random_waits.h"
#include "ptx/random_writer.h"

namespace heddle::ptx::testing {
namespace {

constexpr uint32_t header_bytes = 1024;  // of the output: sums that all threads add to
constexpr uint32_t result_bytes = 512;   // of a thread: its registers at the end
constexpr uint32_t thread_bytes = 1024;  // the rest is memory of its own
constexpr int most_depth = 3;

class Writer : ProgramText {
 public:
  Writer(const std::function<uint32_t(uint32_t)>& choose, const RandomProgramOptions& options)
      : ProgramText(choose, make_setting(choose, options)) {}

  RandomProgram write() {
    const uint32_t blocks = 1 + choose_(3);
    choose_parts(blocks);
    text_ = ".version " + std::to_string(setting_.version.major) + '.' +
            std::to_string(setting_.version.minor) + "\n.target " + std::string(setting_.target->name) +
            "\n.address_size 64\n.shared .align 16 .b8 sh[" + std::to_string(64 * setting_.threads) +
            "];\n.const .align 16 .b32 co[16] = {" + numbers(16) + "};\n";
    declare_externals();
    const uint32_t functions = setting_.options.control_flow ? choose_(setting_.options.small ? 2 : 4) : 0;
    for (uint32_t i = 0; i < functions; ++i) function(i);
    if (!callees_.empty()) {
      text_ += ".global .align 8 .u64 table[4] = {";
      for (int i = 0; i < 4; ++i)
        text_ += (i == 0 ? "" : ", ") + callees_[choose_(static_cast<uint32_t>(callees_.size()))];
      text_ += "};\n";
      indirect_ = true;
    }
    kernel();
    RandomProgram program;
    program.blocks = blocks;
    program.block_x = setting_.threads;
    if (choose_(3) == 0) {
      program.block_x /= 4;
      program.block_y = 4;
    }
    program.output_bytes = flags_at() + wait_room_.taken;
    program.together = wait_room_.together;
    program.text = std::move(text_);
    return program;
  }

 private:
  static Setting make_setting(const std::function<uint32_t(uint32_t)>& choose,
                              const RandomProgramOptions& options) {
    std::vector<const isa::TargetInfo*> targets;  // with generic addresses and calls by .param
    for (const isa::TargetInfo& target : isa::targets())
      if (options.target.empty() ? target.sm >= 20 : target.name == options.target)
        targets.push_back(&target);
    const isa::TargetInfo* target = targets[choose(static_cast<uint32_t>(targets.size()))];
    std::vector<isa::Version> versions;
    for (const isa::Version& version : isa::versions())
      if (version >= std::max(target->ptx, isa::Version{3, 1})) versions.push_back(version);
    // The newest is as likely as all others.
    const isa::Version version =
        choose(2) == 0 ? versions.back() : versions[choose(static_cast<uint32_t>(versions.size()))];
    Setting setting{version, target, options, 32 * (1 + choose(options.most_threads / 32)), {}};
    using isa::Type;
    setting.pools = {{"%p", Type::pred, 6}, {"%h", Type::b16, 4}, {"%hu", Type::u16, 2}, {"%r", Type::b32, 8},
                     {"%u", Type::u32, 3},  {"%s", Type::s32, 2}, {"%f", Type::f32, 4},  {"%d", Type::b64, 4},
                     {"%e", Type::u64, 2},  {"%fd", Type::f64, 3}};
    if (setting.has(isa::Opcode::add, "add_half")) {
      setting.pools.push_back({"%hf", Type::f16, 2});
      setting.pools.push_back({"%x", Type::f16x2, 2});
    }
    if (setting.has(isa::Opcode::mov, "mov_b128")) setting.pools.push_back({"%q", Type::b128, 2});
    if (options.small)
      for (RegisterPool& pool : setting.pools) pool.count = std::max(2u, (pool.count + 1) / 2);
    return setting;
  }

  // One program in two has loops along rows of the threads' own, one in twenty of its statements, and three
  // in five of these have memory that is there for that alone. In one program of six threads wait for one
  // another, up to three times, where all of them come by; where the caller lets them, lanes of a warp do so
  // in half of these, and all blocks are there at once in half of them.
  void choose_parts(uint32_t blocks) {
    const RandomProgramOptions& options = setting_.options;
    row_room_.threads = blocks * setting_.threads;
    if (options.memory && options.control_flow && choose_(2) == 0) {
      static constexpr uint32_t bytes[] = {256, 272, 384, 512, 1040, 2048};
      rows_ = true;
      if (choose_(5) < 3) row_room_.bytes = bytes[choose_(std::size(bytes))];
      row_room_.columns = choose_(4) == 0;
    }
    const bool may_wait = options.waits && options.memory && options.control_flow && options.warp_operations;
    if (may_wait && choose_(6) == 0) {
      waits_ = 1 + choose_(3);
      wait_room_ = {blocks, options.waiting_lanes && choose_(2) == 0, options.together && choose_(2) == 0};
    }
  }
  std::size_t rows_at() const { return header_bytes + std::size_t{row_room_.threads} * thread_bytes; }
  std::size_t flags_at() const { return rows_at() + row_room_.size(); }

  std::string numbers(int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + std::to_string(choose_(0x7fffffff));
    return out;
  }
  std::string guard() { return choose_(4) != 0 ? std::string() : guard_always(); }

  // Registers of a function, all of them with a value that depends on the thread: %seed.
  void declare() {
    for (const RegisterPool& pool : setting_.pools)
      line(".reg ." + std::string(isa::info(pool.type).name) + ' ' + std::string(pool.name) + '<' +
           std::to_string(pool.count) + ">;");
    line(".reg .b32 %m0, %m2, %seed, %lin;\n.reg .b64 %m1, %m3, %m4;\n.reg .pred %mp;");
    line(".local .align 16 .b8 lo[64];");
  }
  void input_at(uint32_t offset) {
    line("add.u32 %m0, %seed, " + std::to_string(offset) + ";\nand.b32 %m0, %m0, " +
         std::to_string((random_program_input - 1) & ~15U) + ";");
    line("cvt.u64.u32 %m1, %m0;\nadd.u64 %m1, %m1, %in;");
  }
  void initialize() {
    uint32_t at = 0;
    for (const RegisterPool& pool : setting_.pools) {
      const isa::TypeInfo& type = isa::info(pool.type);
      for (unsigned i = 0; i < pool.count; ++i) {
        const std::string name = std::string(pool.name) + std::to_string(i);
        input_at(at += 16);
        if (pool.type == isa::Type::pred) {
          line("ld.global.u32 %m0, [%m1];\nand.b32 %m0, %m0, 1;\nsetp.eq.u32 " + name + ", %m0, 1;");
        } else if (type.bits == 128) {
          line("ld.global.v2.b64 {%m3, %m4}, [%m1];\nmov.b128 " + name + ", {%m3, %m4};");
        } else if (type.bits == 32 && type.elements == 1 && choose_(4) == 0) {
          line("mov.b32 " + name + ", %lin;");
        } else {
          line("ld.global.b" + std::to_string(type.bits) + ' ' + name + ", [%m1];");
        }
      }
    }
    for (int i = 0; i < 64; i += 16) {
      input_at(at += 16);
      line("ld.global.v2.u64 {%m3, %m4}, [%m1];\nst.local.v2.u64 [lo+" + std::to_string(i) +
           "], {%m3, %m4};");
    }
  }

  void function(uint32_t number) {
    const bool by_register = choose_(3) == 0;
    const std::string name = "f" + std::to_string(number);
    in_kernel_ = false;
    if (by_register) {
      line(".func (.reg .b64 %rv) " + name +
           " (.reg .b64 %own, .reg .b64 %in, .reg .b32 %slot, .reg .b32 %given, .reg .b64 %wide)\n{");
      declare();
      line("mov.b32 %seed, %given;\nmov.b32 %lin, %given;\nmov.b64 %rv, %wide;");
    } else {
      line(".func (.param .b64 rv) " + name +
           " (.param .b64 own, .param .b64 in, .param .b32 slot, .param .b32 given, .param .align 16 .b8 "
           "s[32])\n{");
      declare();
      line(".reg .b64 %own, %in;\n.reg .b32 %slot;");
      line("ld.param.b64 %own, [own];\nld.param.b64 %in, [in];\nld.param.b32 %slot, [slot];");
      line("ld.param.b32 %seed, [given];\nld.param.b32 %lin, [s+20];");
    }
    initialize();
    if (!by_register) line("ld.param.v2.b64 {" + random_.register_of("%d") + ", %m3}, [s];");
    end_ = by_register ? "" : "rv";
    const uint32_t most = std::max(2U, setting_.options.most_statements / 4);
    block(1, false, 1 + choose_(most));
    leave("");
    line("}");
    (by_register ? old_callees_ : callees_).push_back(name);
  }
  void leave(const std::string& guard) {
    const std::string value = random_.register_of("%d");
    line(end_.empty() ? "mov.b64 %rv, " + value + ';' : "st.param.b64 [rv], " + value + ';');
    line(guard + "ret;");
  }

  void declare_externals() {
    const std::vector<ExternalFunction>& all = setting_.options.externals;
    const auto bits = [](const std::string& type) { return type == "f64" || type == "*" ? ".b64" : ".b32"; };
    for (int n = 0; n < 4 && !all.empty(); ++n) {
      const ExternalFunction& f = all[choose_(static_cast<uint32_t>(all.size()))];
      if (std::ranges::find(externals_, &f) != externals_.end()) continue;
      externals_.push_back(&f);
      std::string parameters;
      for (std::size_t i = 0; i < f.takes.size(); ++i)
        parameters +=
            (i == 0 ? "" : ", ") + std::string(".param ") + bits(f.takes[i]) + " x" + std::to_string(i);
      line(".extern .func " + (f.returns.empty() ? "" : "(.param " + std::string(bits(f.returns)) + " y) ") +
           f.name + " (" + parameters + ");");
    }
  }
  std::string register_of_type(const std::string& type) {
    return random_.register_of(type == "f32" ? "%f" : type == "f64" ? "%fd" : "%s");
  }
  void call_external() {
    const ExternalFunction& f = *externals_[choose_(static_cast<uint32_t>(externals_.size()))];
    std::string arguments;
    line("{");
    for (std::size_t i = 0; i < f.takes.size(); ++i) {
      const std::string name = "x" + std::to_string(i), &type = f.takes[i];
      if (type == "*") {
        line("add.u64 %m3, %own, " + std::to_string(8 * choose_(16)) + ";");
        line(".param .b64 " + name + ";\nst.param.b64 [" + name + "], %m3;");
      } else {
        line(std::string(".param .b") + (type == "f64" ? "64 " : "32 ") + name + ";\nst.param." + type +
             " [" + name + "], " + register_of_type(type) + ";");
      }
      arguments += (i == 0 ? "" : ", ") + name;
    }
    if (f.returns.empty()) return line("call " + f.name + ", (" + arguments + ");\n}");
    line(std::string(".param .b") + (f.returns == "f64" ? "64" : "32") + " y;\ncall (y), " + f.name + ", (" +
         arguments + ");\nld.param." + f.returns + ' ' + register_of_type(f.returns) + ", [y];\n}");
  }

  void call() {
    if (!externals_.empty() && choose_(3) != 0) return call_external();
    if (callees_.empty() && old_callees_.empty()) return plain();
    const bool by_register = callees_.empty() || (!old_callees_.empty() && choose_(3) == 0);
    const std::string result = random_.register_of("%d"), given = random_.register_of("%r"),
                      wide = random_.register_of("%d");
    if (by_register) {
      const std::string& name = old_callees_[choose_(static_cast<uint32_t>(old_callees_.size()))];
      line(guard() + "call (" + result + "), " + name + ", (%own, %in, %slot, " + given + ", " + wide + ");");
      return;
    }
    line(
        "{\n.param .b64 a0;\n.param .b64 a1;\n.param .b32 a2;\n.param .b32 a3;\n.param .align 16 .b8 "
        "a4[32];\n.param .b64 "
        "back;");
    line("st.param.b64 [a0], %own;\nst.param.b64 [a1], %in;\nst.param.b32 [a2], %slot;");
    line("st.param.b32 [a3], " + given + ";\nst.param.v2.b64 [a4], {" + wide + ", " + wide + "};");
    line("st.param.v4.b32 [a4+16], {" + given + ", %lin, %lin, %lin};");
    if (indirect_ && choose_(2) == 0) {
      const std::string prototype = label();
      line("and.b32 %m0, " + random_.register_of("%r") + ", 3;\nshl.b32 %m0, %m0, 3;\ncvt.u64.u32 %m1, %m0;");
      line("mov.u64 %m3, table;\nadd.u64 %m1, %m1, %m3;\nld.global.u64 %m1, [%m1];");
      line(prototype +
           ": .callprototype (.param .b64 _) _ (.param .b64 _, .param .b64 _, .param .b32 _, .param .b32 _, "
           ".param .align 16 .b8 _[32]);");
      line("call (back), %m1, (a0, a1, a2, a3, a4), " + prototype + ";");
    } else {
      line("call (back), " + callees_[choose_(static_cast<uint32_t>(callees_.size()))] +
           ", (a0, a1, a2, a3, a4);");
    }
    line("ld.param.b64 " + result + ", [back];\n}");
  }

  void kernel() {
    in_kernel_ = true;
    line(".visible .entry k (.param .u64 in, .param .u64 out)\n{");
    declare();
    line(".reg .b64 %own, %in, %res, %out;\n.reg .b32 %slot, %gt;");
    line("ld.param.u64 %in, [in];\nld.param.u64 %out, [out];");
    if (choose_(2) == 0) line("cvta.to.global.u64 %in, %in;\ncvta.to.global.u64 %out, %out;");
    line(
        "mov.u32 %lin, %tid.x;\nmov.u32 %m0, %tid.y;\nmov.u32 %m2, %ntid.x;\nmad.lo.u32 %lin, %m0, %m2, "
        "%lin;");
    line("mov.u32 %gt, %ctaid.x;\nmad.lo.u32 %gt, %gt, " + std::to_string(setting_.threads) + ", %lin;");
    line("mul.lo.u32 %seed, %gt, 80;\nshl.b32 %slot, %lin, 6;");
    line("mul.wide.u32 %res, %gt, " + std::to_string(thread_bytes) + ";\nadd.u64 %res, %res, " +
         std::to_string(header_bytes) + ";\nadd.u64 %res, %res, %out;\nadd.u64 %own, %res, " +
         std::to_string(result_bytes) + ";");
    begin_parts();
    initialize();
    line("mov.u32 %m0, sh;\nadd.u32 %m0, %m0, %slot;");
    for (int i = 0; i < 64; i += 8)
      line("st.shared.b64 [%m0+" + std::to_string(i) + "], " + random_.register_of("%d") + ';');
    for (uint32_t waits = waits_; waits > 0; --waits) {
      block(0, true, choose_(4));
      write_wait(*this, wait_room_);
    }
    block(0, true, 2 + choose_(setting_.options.most_statements));
    // Behind the last place where all threads meet they may go their own ways.
    tail_ = label();
    block(0, false, choose_(6));
    line(tail_ + ':');
    results();
    line(choose_(2) == 0 ? "ret;\n}" : "exit;\n}");
  }

  // Whose turn a thread is in the room of rows: as they are counted, backwards, or by columns of the block.
  void begin_parts() {
    if (row_room_.bytes != 0) {
      line(".reg .b32 %place;\n.reg .b64 %room;\nadd.u64 %room, %out, " + std::to_string(rows_at()) + ";");
      switch (choose_(4)) {
        case 0: line("sub.u32 %place, " + std::to_string(row_room_.threads - 1) + ", %gt;"); break;
        case 1:
          line(
              "mov.u32 %m0, %tid.x;\nmov.u32 %m2, %ntid.y;\nmul.lo.u32 %m0, %m0, %m2;\nmov.u32 %m2, %tid.y;\n"
              "add.u32 %m0, %m0, %m2;\nmov.u32 %m2, %ctaid.x;\nmad.lo.u32 %place, %m2, " +
              std::to_string(setting_.threads) + ", %m0;");
          break;
        default: line("mov.u32 %place, %gt;"); break;
      }
    }
    if (waits_ != 0) line(".reg .b64 %flags;\nadd.u64 %flags, %out, " + std::to_string(flags_at()) + ";");
  }
  void rows(int depth) {
    write_rows(*this, in_kernel_ && row_room_.bytes != 0 ? &row_room_ : nullptr,
               [&] { statement(depth + 1, false); });
  }

  void results() {
    uint32_t at = 0;
    for (const RegisterPool& pool : setting_.pools) {
      const isa::TypeInfo& type = isa::info(pool.type);
      for (unsigned i = 0; i < pool.count; ++i) {
        const std::string name = std::string(pool.name) + std::to_string(i);
        const std::string place = "[%res+" + std::to_string(at) + "], ";
        at += 8;
        if (pool.type == isa::Type::pred) {
          line("selp.u32 %m0, 1, 0, " + name + ";\nst.global.u32 " + place + "%m0;");
        } else if (type.bits == 128) {
          at = (at + 15) / 16 * 16;
          line("mov.b128 {%m3, %m4}, " + name + ";\nst.global.v2.b64 [%res+" + std::to_string(at) +
               "], {%m3, %m4};");
          at += 16;
        } else {
          line("st.global.b" + std::to_string(type.bits) + ' ' + place + name + ';');
        }
      }
    }
  }

  void block(int depth, bool together, uint32_t count) {
    while (count-- > 0) statement(depth, together);
  }
  // `together`: all threads of the block come here, and come back here, together.
  void statement(int depth, bool together) {
    const RandomProgramOptions& options = setting_.options;
    const bool nest = options.control_flow && depth < most_depth && text_.size() < 60'000;
    switch (choose_(20)) {
      case 0:
      case 1: return nest ? branch(depth, together) : plain();
      case 2: return nest ? loop(depth, together) : plain();
      case 3: return nest ? table(depth) : plain();
      case 4: return options.control_flow ? call() : plain();
      case 5:
      case 6:
      case 7:
        if (!options.memory) return plain();
        text_ += random_.memory(guard());
        return;
      case 8:
      case 9:
      case 10:
        if (!together || !options.warp_operations) return plain();
        if (warp_sync_) line("bar.warp.sync 0xFFFFFFFF;");
        text_ += random_.collective();
        return;
      case 11: return choose_(2) == 0 ? special() : idiom();
      case 12: return options.memory ? shared_sum() : plain();
      case 13:
        if (!options.memory) return plain();
        if (choose_(3) == 0) return partners(together && choose_(3) != 0);
        if (choose_(2) == 0) return choose_(2) == 0 ? own_neighbours() : neighbours(nest);
        return !together ? plain() : choose_(2) == 0 ? exchange() : turn_over();
      case 14:
        if (nest && !in_kernel_ && choose_(4) == 0) return leave('@' + random_.register_of("%p") + ' ');
        if (nest && !tail_.empty()) return line('@' + random_.register_of("%p") + " bra " + tail_ + ';');
        return plain();
      case 15: return rows_ && nest ? rows(depth) : plain();
      default: return plain();
    }
  }
  void plain() { text_ += random_.plain(guard()); }

  void branch(int depth, bool together) {
    const std::string otherwise = label(), end = label();
    const bool both = choose_(2) == 0, uniform = choose_(3) == 0;
    std::string predicate = random_.register_of("%p");
    if (uniform) {
      predicate = "%mp";
      line("mov.u32 %m0, %ctaid.x;\nand.b32 %m0, %m0, 1;\nsetp.eq.u32 %mp, %m0, " +
           std::to_string(choose_(2)) + ';');
    }
    line('@' + predicate + (uniform && choose_(2) == 0 ? " bra.uni " : " bra ") + otherwise + ';');
    block(depth + 1, together && uniform, 1 + choose_(3));
    if (both) line("bra.uni " + end + ';');
    line(otherwise + ':');
    if (both) block(depth + 1, together && uniform, 1 + choose_(3));
    line(end + ':');
  }

  void loop(int depth, bool together) {
    const std::string head = label(), end = label(), number = new_number();
    const std::string counter = "%i" + number, limit = "%n" + number;
    const bool uniform = choose_(2) == 0, leaves = !uniform && choose_(2) == 0;
    line("{\n.reg .u32 " + counter + ", " + limit + ";\n.reg .pred %l" + number + ';');
    line("mov.u32 " + counter + ", 0;");
    if (uniform)
      line("mov.u32 " + limit + ", " + std::to_string(1 + choose_(3)) + ';');
    else
      line("and.b32 " + limit + ", " + random_.register_of("%r") + ", 3;");
    line(head + ':');
    block(depth + 1, together && uniform, 1 + choose_(3));
    if (leaves) line(guard_always() + "bra " + end + ';');
    if (leaves) block(depth + 1, false, choose_(2));
    line("add.u32 " + counter + ", " + counter + ", 1;\nsetp.lt.u32 %l" + number + ", " + counter + ", " +
         limit + ";\n@%l" + number + " bra " + head + ';');
    line(end + ":\n}");
  }

  void table(int depth) {
    if (!brx_) return branch(depth, false);
    const uint32_t cases = choose_(2) == 0 ? 2 : 4;
    const std::string targets = label(), end = label();
    std::vector<std::string> labels;
    std::string list;
    for (uint32_t i = 0; i < cases; ++i) {
      labels.push_back(label());
      list += (i == 0 ? "" : ", ") + labels.back();
    }
    line("{\n.reg .u32 %b" + targets.substr(2) + ';');
    line("and.b32 %b" + targets.substr(2) + ", " + random_.register_of("%r") + ", " +
         std::to_string(cases - 1) + ';');
    line(targets + ": .branchtargets " + list + ";\nbrx.idx %b" + targets.substr(2) + ", " + targets + ';');
    for (const std::string& name : labels) {
      line(name + ':');
      block(depth + 1, false, choose_(3));
      if (choose_(4) != 0) line("bra " + end + ';');  // or on into the next
    }
    line(end + ":\n}");
  }

  // Those with one value for a thread's life.
  void special() {
    static constexpr std::string_view names[] = {
        "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",
        "%ctaid.x",     "%ctaid.y",     "%nctaid.x",    "%nctaid.z",    "%laneid",
        "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt"};
    const std::string name(names[choose_(std::size(names))]);
    line(guard() + "mov.u32 " + random_.register_of(choose_(2) == 0 ? "%u" : "%r") + ", " + name + ';');
  }

  // Instructions that only make sense together, each in a thread's own memory.
  void idiom() {
    const std::string value = random_.register_of("%d"), predicate = random_.register_of("%p");
    switch (choose_(6)) {
      case 0: {
        static constexpr std::string_view spaces[] = {"global", "shared", "local"};
        static constexpr std::string_view addresses[] = {"mov.u64 %m3, sh;\ncvta.shared.u64 %m3, %m3;",
                                                         "mov.u64 %m3, lo;\ncvta.local.u64 %m3, %m3;",
                                                         "mov.u64 %m3, %own;"};
        line(std::string(addresses[choose_(3)]));
        return line("isspacep." + std::string(spaces[choose_(3)]) + ' ' + predicate + ", %m3;");
      }
      case 1:
        if (!has(isa::Opcode::alloca, "alloca")) return plain();
        line("stacksave.u64 %m4;\nalloca.u64 %m3, 64, 16;\nst.local.u64 [%m3+8], " + value + ';');
        return line("ld.local.u64 " + random_.register_of("%d") + ", [%m3+8];\nstackrestore.u64 %m4;");
      case 2:
        if (!has(isa::Opcode::mbarrier, "mbarrier_init")) return plain();
        line("mov.u32 %m0, sh;\nadd.u32 %m0, %m0, %slot;\nmbarrier.init.shared.b64 [%m0], 2;");
        line("mbarrier.arrive.shared.b64 %m3, [%m0];\nmbarrier.arrive.shared.b64 %m4, [%m0];");
        line("mbarrier.test_wait.shared.b64 " + predicate + ", [%m0], %m" + (choose_(2) == 0 ? "3;" : "4;"));
        return line("mbarrier.inval.shared.b64 [%m0];\nst.shared.b64 [%m0], " + value + ';');
      case 3:
        if (!has(isa::Opcode::cp, "cp_async")) return plain();
        line("mov.u32 %m0, sh;\nadd.u32 %m0, %m0, %slot;");
        line("cp.async.ca.shared.global [%m0+16], [%in+" + std::to_string(16 * choose_(200)) + "], " +
             std::to_string(4 << choose_(3)) + ';');
        line(choose_(2) == 0 ? "cp.async.wait_all;" : "cp.async.commit_group;\ncp.async.wait_group 0;");
        return line("ld.shared.b64 " + value + ", [%m0+16];");
      case 4:
        if (!has(isa::Opcode::activemask, "activemask")) return plain();
        return line("activemask.b32 %m0;");
      default:
        if (!has(isa::Opcode::nanosleep, "nanosleep")) return plain();
        return line("nanosleep.u32 " + std::to_string(choose_(20)) + ';');
    }
  }

  // Additions to one place by all threads come out the same in any order.
  void shared_sum() {
    static constexpr std::string_view operations[] = {"add.u32", "min.u32", "max.s32", "and.b32",
                                                      "or.b32",  "xor.b32", "add.u64"};
    const uint32_t which = choose_(std::size(operations));
    if (!in_kernel_) return plain();
    line(guard() + "red.global." + std::string(operations[which]) + " [%out+" + std::to_string(8 * which) +
         "], " + random_.register_of(which == 6 ? "%d" : "%r") + ';');
  }

  // What a thread reads one behind the other: of a structure, along a row, or where its neighbour in y reads
  // too.
  void neighbours(bool nest) {
    static constexpr std::string_view types[] = {"u8", "u16", "u32", "u64"};
    const uint32_t log = choose_(4), bytes = 1U << log;
    const std::string type(types[log]), number = new_number(), sum = random_.register_of("%r");
    const std::string wide = log == 3 ? "%w" + number : "%v" + number;
    const std::string load = std::string(choose_(3) == 0 ? "ld.global.nc." : "ld.global.") + type + ' ';
    if (load.find(".nc") != std::string::npos && !has(isa::Opcode::ld, "ld_nc")) return plain();
    line("{\n.reg .b32 %v" + number + ", %i" + number + ", %n" + number + ";\n.reg .b64 %w" + number +
         ";\n.reg .pred %q" + number + ';');
    // Less than half of the input is where it begins.
    line("mov.u32 %m0, %tid.x;\nmov.u32 %m2, %tid.y;\nmad.lo.u32 %m0, %m0, " + std::to_string(choose_(20)) +
         ", %m2;");
    if (choose_(2) == 0) line("add.u32 %m0, %m0, %lin;");
    line("shl.b32 %m0, %m0, " + std::to_string(log) + ";\nand.b32 %m0, %m0, " +
         std::to_string(2047 & ~(bytes - 1)) + ";\ncvt.u64.u32 %m1, %m0;\nadd.u64 %m1, %m1, %in;");
    const auto add = [&](uint32_t offset) {
      line(load + wide + ", [%m1+" + std::to_string(offset) + "];");
      if (log == 3) line("cvt.u32.u64 %v" + number + ", " + wide + ';');
      line("mad.lo.u32 " + sum + ", " + sum + ", 31, %v" + number + ';');
    };
    const auto between = [&] {
      switch (choose_(8)) {
        case 0: return line("st.global.u32 [%own+" + std::to_string(4 * choose_(32)) + "], " + sum + ';');
        case 1: return line("mov.u32 %m0, sh;\nadd.u32 %m0, %m0, %slot;\nst.shared.u32 [%m0], " + sum + ';');
        default: return;
      }
    };
    const uint32_t together = 1 + choose_(5);
    if (nest && choose_(2) == 0) {
      const std::string head = label();
      line("mov.u32 %i" + number + ", 0;\nmov.u32 %n" + number + ", " + std::to_string(1 + choose_(40)) +
           ';');
      if (choose_(2) == 0) line("mov.u32 %m0, %ctaid.x;\nadd.u32 %n" + number + ", %n" + number + ", %m0;");
      line(head + ':');
      for (uint32_t i = 0; i < together; ++i) add(i * bytes);
      between();
      line("add.u64 %m1, %m1, " + std::to_string(together * bytes) + ";\nadd.u32 %i" + number + ", %i" +
           number + ", " + std::to_string(together) + ";\nsetp.lt.u32 %q" + number + ", %i" + number +
           ", %n" + number + ";\n@%q" + number + " bra " + head + ";\n}");
      return;
    }
    const uint32_t turned = choose_(together);
    for (uint32_t i = 0; i < together; ++i) {
      add((i + turned) % together * bytes);
      between();
    }
    line("}");
  }

  // Written and read one behind the other, in what order ever, in memory of the thread's own.
  void own_neighbours() {
    static constexpr std::string_view types[] = {"b8", "b16", "b32", "b64"};
    static constexpr std::string_view registers[] = {"%h", "%h", "%r", "%d"};
    const bool shared = choose_(2) == 0;
    const std::string place = shared ? "%m0" : "%own", space = shared ? "shared." : "global.";
    if (shared) line("mov.u32 %m0, sh;\nadd.u32 %m0, %m0, %slot;");
    const uint32_t room = shared ? 64 : 128, usual = choose_(4), first = choose_(room / 2);
    for (uint32_t left = 2 + choose_(9); left > 0; --left) {
      const uint32_t log = choose_(6) == 0 ? choose_(4) : usual, bytes = 1U << log;
      const uint32_t at = (first + bytes * choose_(6)) % room / bytes * bytes;
      const std::string where = '[' + place + '+' + std::to_string(at) + ']';
      const std::string value = random_.register_of(registers[log]);
      if (choose_(4) != 0)
        line("st." + space + std::string(types[log]) + ' ' + where + ", " + value + ';');
      else if (log != 0)
        line("ld." + space + std::string(types[log]) + ' ' + value + ", " + where + ';');
    }
  }

  // Rows of the block become columns in shared memory; each thread gets its place in it again.
  void turn_over() {
    static constexpr std::string_view types[] = {"b8", "b16", "b32", "b64"};
    const uint32_t log = choose_(4);
    const std::string type(types[log]);
    const std::string value = random_.register_of(log == 3 ? "%d" : log == 1 ? "%h" : "%r");
    line(
        "bar.sync 0;\nmov.u32 %m0, %tid.x;\nmov.u32 %m2, %ntid.y;\nmul.lo.u32 %m0, %m0, %m2;\nmov.u32 %m2, "
        "%tid.y;\nadd.u32 %m0, %m0, %m2;\nshl.b32 %m0, %m0, " +
        std::to_string(log) + ";\nmov.u32 %m2, sh;\nadd.u32 %m0, %m0, %m2;");
    line("st.shared." + type + " [%m0], " + value + ";\nbar.sync 0;");
    if (choose_(2) == 0)
      line("ld.shared." + type + ' ' +
           random_.register_of(log == 3   ? "%d"
                               : log == 1 ? "%h"
                                          : "%r") +
           ", [%m0];");
    line("bar.sync 0;");
  }

  // Elements of up to 16 bytes at the places of threads whose numbers differ by an exclusive or: in shared
  // memory, written by some threads or all; elsewhere in the input.
  void partners(bool shared) {
    static constexpr std::string_view types[] = {"b8", "b16", "b32", "b64", "v2.b64"};
    const uint32_t log = choose_(5), from = choose_(3);
    const std::string type(types[log]);
    const std::string value = random_.register_of(log >= 3 ? "%d" : log == 1 ? "%h" : "%r");
    const std::string all = log == 4 ? '{' + value + ", %m3}" : value;
    // No two threads have one place: the threads of a block are whole warps, its rows multiples of 8.
    const auto place = [&](const std::string& thread) {
      static constexpr std::string_view numbers[] = {"", "mov.u32 %m2, %ctaid.x;\n",
                                                     "mov.u32 %m2, %tid.y;\n"};
      const std::string number = std::to_string(choose_(32));
      if (const uint32_t kind = choose_(3); kind == 0)
        line("xor.b32 %m0, " + thread + ", " + number + ';');
      else
        line(std::string(numbers[kind]) + "mad.lo.u32 %m2, %m2, 5, " + number + ";\nand.b32 %m2, %m2, " +
             (kind == 1 ? "31" : "7") + ";\nxor.b32 %m0, " + thread + ", %m2;");
    };
    if (!shared) {  // at most 4096 bytes
      const std::string thread = in_kernel_ && from != 2 ? "%gt" : "%lin";
      if (from == 0) line("add.u32 %m0, " + thread + ", " + std::to_string(choose_(64)) + ';');
      place(from == 0 ? "%m0" : thread);
      line("and.b32 %m0, %m0, 255;\nmul.wide.u32 %m1, %m0, " + std::to_string(1U << log) +
           ";\nadd.u64 %m1, %m1, %in;\nld.global." + type + ' ' + all + ", [%m1];");
      return;
    }
    line("bar.sync 0;");
    if (log == 4) line("mov.b64 %m3, " + random_.register_of("%d") + ';');
    for (const bool store : {true, false}) {
      place("%lin");
      line("shl.b32 %m0, %m0, " + std::to_string(log) + ";\nmov.u32 %m2, sh;\nadd.u32 %m0, %m0, %m2;");
      if (store)
        line((from == 0 ? '@' + random_.register_of("%p") + ' ' : std::string()) + "st.shared." + type +
             " [%m0], " + all + ";\nbar.sync 0;");
      else
        line("ld.shared." + type + ' ' + all + ", [%m0];\nbar.sync 0;");
    }
  }

  // What another thread of the block left in its shared memory.
  void exchange() {
    line("bar.sync 0;\nadd.u32 %m0, %lin, " + std::to_string(choose_(setting_.threads)) +
         ";\nrem.u32 %m0, %m0, " + std::to_string(setting_.threads) +
         ";\nshl.b32 %m0, %m0, 6;\nmov.u32 %m2, sh;\nadd.u32 %m0, %m0, %m2;");
    line("ld.shared.b32 " + random_.register_of("%r") + ", [%m0+" + std::to_string(4 * choose_(16)) +
         "];\nbar.sync 0;");
  }

  bool in_kernel_ = false, indirect_ = false, rows_ = false;
  uint32_t waits_ = 0;
  RowRoom row_room_;
  WaitRoom wait_room_;
  bool warp_sync_ = has(isa::Opcode::bar, "bar_warp_sync");
  bool brx_ = has(isa::Opcode::brx, "brx_idx");
  std::vector<std::string> callees_, old_callees_;
  std::vector<const ExternalFunction*> externals_;
  std::string end_, tail_;
};

}  // namespace

RandomProgram random_program(const std::function<uint32_t(uint32_t)>& choose,
                             const RandomProgramOptions& options) {
  return Writer(choose, options).write();
}

RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options) {
  return random_program(Random(seed), options);
}

RandomProgram random_program(const uint8_t* data, std::size_t size, const RandomProgramOptions& options) {
  uint64_t seed = 0;
  std::size_t at = 0;
  while (at < size && at < 8) seed = seed << 8 | data[at++];
  Random rest(seed);
  return random_program(
      [&](uint32_t n) -> uint32_t {
        if (n <= 1) return 0;
        if (at >= size) return rest(n);
        uint32_t value = data[at++];
        if (n > 256 && at < size) value = value << 8 | data[at++];
        return value % n;
      },
      options);
}

}  // namespace heddle::ptx::testing
