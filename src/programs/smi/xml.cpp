// nvidia-smi -q -x: everything, as the elements of nvsmi_device_v13.dtd in the order in which the program of
// driver 580 writes them (an H200's of 26 November 2026 was compared). What nobody knows is N/A.
#include <array>
#include <cstdarg>
#include <cstdio>
#include <initializer_list>

#include "machine/driver_version.h"
#include "machine/visible_devices.h"
#include "programs/smi/smi.h"

namespace heddle::smi {

namespace {

using machine::Card;
using Names = std::initializer_list<std::string_view>;

constexpr std::string_view unknown = "N/A";

[[gnu::format(printf, 1, 2)]] std::string text(const char* form, ...) {
  std::array<char, 128> out{};
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(out.data(), out.size(), form, arguments);
  va_end(arguments);
  return out.data();
}

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

class Writer {
 public:
  void open(std::string_view name) {
    indent();
    out_ += '<' + std::string(name) + ">\n";
    open_.emplace_back(name.substr(0, name.find(' ')));
  }
  void close() {
    const std::string name = std::move(open_.back());
    open_.pop_back();
    indent();
    out_ += "</" + name + ">\n";
  }
  void leaf(std::string_view name, std::string_view value) {
    indent();
    out_ += '<' + std::string(name) + '>' + escaped(value) + "</" + std::string(name) + ">\n";
  }
  void leaves(Names names, std::string_view value) {
    for (const std::string_view name : names) leaf(name, value);
  }
  void group(std::string_view name, Names names, std::string_view value) {
    open(name);
    leaves(names, value);
    close();
  }
  void line(std::string_view content) {
    indent();
    out_ += std::string(content) + '\n';
  }
  void raw(std::string_view content) { out_ += content; }
  std::string take() { return std::move(out_); }

 private:
  void indent() { out_.append(open_.size(), '\t'); }
  std::string out_;
  std::vector<std::string> open_;
};

std::string_view on_off(bool on) { return on ? "Enabled" : "Disabled"; }
std::string mhz(uint32_t value) { return std::to_string(value) + " MHz"; }
std::string mib(uint64_t value) { return std::to_string(value) + " MiB"; }

class Gpu {
 public:
  Gpu(Writer& writer, const Card& card) : w_(writer), card_(card), facts_(card.facts()) {}

  void write() {
    w_.open("gpu id=\"" + card_.bus_id() + "\"");
    identity();
    pci();
    state();
    memory();
    use();
    errors();
    heat_and_power();
    clocks();
    processes();
    w_.close();
    w_.raw("\n");
  }

 private:
  void identity() {
    w_.leaf("product_name", facts_.name);
    w_.leaf("product_brand", card_.brand());
    w_.leaf("product_architecture", facts_.arch.generation);
    w_.leaf("display_mode", "Requested functionality has been deprecated");
    w_.leaf("display_attached", "No");
    w_.leaf("display_active", "Disabled");
    w_.leaf("persistence_mode", on_off(card_.persistence()));
    w_.leaf("addressing_mode", "None");
    w_.group("mig_mode", {"current_mig", "pending_mig"}, unknown);
    w_.open("mig_devices");
    w_.line("None");
    w_.close();
    w_.leaf("accounting_mode", "Disabled");
    w_.leaf("accounting_mode_buffer_size", unknown);
    w_.group("driver_model", {"current_dm", "pending_dm"}, unknown);
    w_.leaf("serial", unknown);
    w_.leaf("uuid", machine::uuid_text(card_.uuid()));
    w_.leaf("pdi", unknown);
    w_.leaf("minor_number", std::to_string(card_.number()));
    w_.leaf("vbios_version", unknown);
    w_.leaf("multigpu_board", facts_.board.gpus > 1 ? "Yes" : "No");
    w_.leaf("board_id", text("0x%x", card_.place().bus << 8 | card_.place().device));
    w_.leaves({"board_part_number", "gpu_part_number", "gpu_fru_part_number"}, unknown);
    w_.group("platformInfo",
             {"chassis_serial_number", "slot_number", "tray_index", "host_id", "peer_type", "module_id",
              "gpu_fabric_guid"},
             unknown);
    w_.group("inforom_version", {"img_version", "oem_object", "ecc_object", "pwr_object"}, unknown);
    w_.group("inforom_bbx_flush", {"latest_timestamp", "latest_duration"}, unknown);
    w_.group("gpu_operation_mode", {"current_gom", "pending_gom"}, unknown);
    w_.leaf("c2c_mode", unknown);
    w_.open("gpu_virtualization_mode");
    w_.leaf("virtualization_mode", "None");
    w_.leaves({"host_vgpu_mode", "vgpu_heterogeneous_mode"}, unknown);
    w_.close();
    w_.leaf("gpu_recovery_action", "None");
    w_.leaf("gsp_firmware_version", unknown);
    w_.group("ibmnpu", {"relaxed_ordering_mode"}, unknown);
  }

  void pci() {
    const machine::PciPlace place = card_.place();
    const bool known = facts_.pci.generation != 0;
    const std::string generation = known ? std::to_string(facts_.pci.generation) : std::string(unknown);
    w_.open("pci");
    w_.leaf("pci_bus", text("%02X", place.bus));
    w_.leaf("pci_device", text("%02X", place.device));
    w_.leaf("pci_domain", text("%04X", place.domain));
    w_.leaf("pci_base_class", "3");
    w_.leaf("pci_sub_class", "2");
    w_.leaf("pci_device_id", text("%08X", card_.device_id()));
    w_.leaf("pci_bus_id", card_.bus_id());
    w_.leaf("pci_sub_system_id", text("%08X", facts_.pci.sub_system_id));
    w_.open("pci_gpu_link_info");
    w_.open("pcie_gen");
    w_.leaves({"max_link_gen", "current_link_gen", "device_current_link_gen", "max_device_link_gen"},
              generation);
    w_.leaf("max_host_link_gen", unknown);
    w_.close();
    w_.group("link_widths", {"max_link_width", "current_link_width"},
             known ? std::to_string(facts_.pci.lanes) + "x" : std::string(unknown));
    w_.close();
    w_.group("pci_bridge_chip", {"bridge_chip_type", "bridge_chip_fw"}, unknown);
    w_.leaves({"replay_counter", "replay_rollover_counter", "tx_util", "rx_util", "atomic_caps_outbound",
               "atomic_caps_inbound"},
              unknown);
    w_.close();
  }

  void state() {
    w_.leaf("fan_speed", unknown);
    w_.leaf("performance_state", "P0");
    w_.group("clocks_event_reasons",
             {"clocks_event_reason_gpu_idle", "clocks_event_reason_applications_clocks_setting",
              "clocks_event_reason_sw_power_cap", "clocks_event_reason_hw_slowdown",
              "clocks_event_reason_hw_thermal_slowdown", "clocks_event_reason_hw_power_brake_slowdown",
              "clocks_event_reason_sync_boost", "clocks_event_reason_sw_thermal_slowdown",
              "clocks_event_reason_display_clocks_setting"},
             "Not Active");
    w_.group(
        "clocks_event_reasons_counters",
        {"clocks_event_reasons_counters_sw_power_cap", "clocks_event_reasons_counters_sync_boost",
         "clocks_event_reasons_counters_sw_therm_slowdown", "clocks_event_reasons_counters_hw_therm_slowdown",
         "clocks_event_reasons_counters_hw_power_brake"},
        "0 us");
    w_.leaf("sparse_operation_mode", unknown);
  }

  void memory() {
    const uint64_t total = card_.total_bytes() >> 20, used = std::stoull(mebibytes(card_.used_bytes()));
    w_.open("fb_memory_usage");
    w_.leaf("total", mib(total));
    w_.leaf("reserved", mib(0));
    w_.leaf("used", mib(used));
    w_.leaf("free", mib(total - used));
    w_.close();
    w_.group("bar1_memory_usage", {"total", "used", "free"}, unknown);
    w_.group("cc_protected_memory_usage", {"total", "used", "free"}, mib(0));
    w_.leaf("compute_mode", machine::name(card_.mode()));
  }

  void use() {
    w_.group("utilization",
             {"gpu_util", "memory_util", "encoder_util", "decoder_util", "jpeg_util", "ofa_util"}, unknown);
    for (const std::string_view name : {"encoder_stats", "fbc_stats"})
      w_.group(name, {"session_count", "average_fps", "average_latency"}, "0");
    w_.group("dram_encryption_mode", {"current_dram_encryption", "pending_dram_encryption"}, unknown);
  }

  void errors() {
    const auto& board = facts_.board;
    const std::string_view count = board.ecc ? "0" : unknown;
    w_.open("ecc_mode");
    w_.leaf("current_ecc", card_.has_ecc() ? on_off(board.ecc) : unknown);
    w_.leaf("pending_ecc", card_.has_ecc() ? on_off(card_.coming_ecc()) : unknown);
    w_.close();
    w_.open("ecc_errors");
    const Names kinds = {"sram_correctable", "sram_uncorrectable_parity", "sram_uncorrectable_secded",
                         "dram_correctable", "dram_uncorrectable"};
    w_.group("volatile", kinds, count);
    w_.open("aggregate");
    w_.leaves(kinds, count);
    w_.leaf("sram_threshold_exceeded", board.ecc ? "No" : unknown);
    w_.close();
    w_.group("aggregate_uncorrectable_sram_sources",
             {"sram_l2", "sram_sm", "sram_microcontroller", "sram_pcie", "sram_other"}, count);
    w_.leaves({"channel_repair_pending", "tpc_repair_pending", "unrepairable_memory"},
              board.ecc ? "No" : unknown);
    w_.close();
    w_.open("retired_pages");
    for (const std::string_view name : {"multiple_single_bit_retirement", "double_bit_retirement"})
      w_.group(name, {"retired_count", "retired_pagelist"}, unknown);
    w_.leaves({"pending_blacklist", "pending_retirement"}, unknown);
    w_.close();
    w_.leaf("remapped_rows", unknown);
  }

  void heat_and_power() {
    const uint32_t milliwatts = card_.power_limit_mw();
    const std::string limit = milliwatts == 0 ? std::string(unknown) : text("%.2f W", milliwatts / 1000.0);
    w_.group("temperature",
             {"gpu_temp", "gpu_temp_tlimit", "gpu_temp_max_tlimit_threshold",
              "gpu_temp_slow_tlimit_threshold", "gpu_temp_max_gpu_tlimit_threshold", "gpu_target_temperature",
              "memory_temp", "gpu_temp_max_mem_tlimit_threshold"},
             unknown);
    w_.group("supported_gpu_target_temp", {"gpu_target_temp_min", "gpu_target_temp_max"}, unknown);
    w_.open("gpu_power_readings");
    w_.leaf("power_state", "P0");
    w_.leaves({"average_power_draw", "instant_power_draw"}, unknown);
    w_.leaves({"current_power_limit", "requested_power_limit", "default_power_limit"}, limit);
    w_.leaf("min_power_limit", unknown);
    w_.leaf("max_power_limit", limit);
    w_.close();
    w_.group("gpu_memory_power_readings", {"average_power_draw", "instant_power_draw"}, unknown);
    w_.open("module_power_readings");
    w_.leaf("power_state", "P0");
    w_.leaves({"average_power_draw", "instant_power_draw", "current_power_limit", "requested_power_limit",
               "default_power_limit", "min_power_limit", "max_power_limit"},
              unknown);
    w_.close();
    w_.leaf("power_smoothing", unknown);
    w_.group("power_profiles", {"power_profile_requested_profiles", "power_profile_enforced_profiles"},
             unknown);
  }

  void clocks() {
    const auto of = [&](std::string_view name, bool all) {
      w_.open(name);
      w_.leaf("graphics_clock", mhz(card_.graphics_mhz()));
      if (all) w_.leaf("sm_clock", mhz(card_.sm_mhz()));
      w_.leaf("mem_clock", mhz(card_.memory_mhz()));
      if (all) w_.leaf("video_clock", unknown);
      w_.close();
    };
    of("clocks", true);
    of("applications_clocks", false);
    of("default_applications_clocks", false);
    w_.group("deferred_clocks", {"mem_clock"}, unknown);
    of("max_clocks", true);
    w_.group("max_customer_boost_clocks", {"graphics_clock"}, mhz(card_.graphics_mhz()));
    w_.group("clock_policy", {"auto_boost", "auto_boost_default"}, unknown);
    w_.open("fabric");
    w_.leaves({"state", "status", "cliqueId", "clusterUuid"}, unknown);
    w_.group("health",
             {"summary", "bandwidth", "route_recovery_in_progress", "route_unhealthy",
              "access_timeout_recovery", "incorrect_configuration", "partition_assigned"},
             unknown);
    w_.close();
    w_.open("supported_clocks");
    w_.open("supported_mem_clock");
    w_.leaf("value", mhz(card_.memory_mhz()));
    w_.leaf("supported_graphics_clock", mhz(card_.graphics_mhz()));
    w_.close();
    w_.close();
  }

  void processes() {
    w_.open("processes");
    for (const machine::User& user : card_.users()) {
      w_.open("process_info");
      w_.leaves({"gpu_instance_id", "compute_instance_id"}, unknown);
      w_.leaf("pid", std::to_string(user.process));
      w_.leaf("type", "C");
      w_.leaf("process_name", user.program);
      w_.leaf("used_memory", mebibytes(user.bytes) + " MiB");
      w_.close();
    }
    w_.close();
    w_.group("accounted_processes", {}, "");
    w_.group("capabilities", {"egm"}, "disabled");
  }

  Writer& w_;
  const Card& card_;
  const arch::Device& facts_;
};

}  // namespace

std::string xml(const Host& host, std::span<const Card> cards) {
  constexpr int first_of_v13 = 13000;
  Writer writer;
  writer.raw(text("<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v%d.dtd\">\n",
                  host.driver >= first_of_v13 ? 13 : 12));
  writer.open("nvidia_smi_log");
  writer.leaf("timestamp", now());
  writer.leaf("driver_version", machine::driver_release(host.driver));
  writer.leaf("cuda_version", machine::version_text(host.driver));
  writer.leaf("attached_gpus", std::to_string(host.cards.size()));
  for (const Card& card : cards) Gpu(writer, card).write();
  writer.close();
  return writer.take();
}

}  // namespace heddle::smi
