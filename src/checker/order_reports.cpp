#include "checker/order_reports.h"

namespace heddle::checker {

void OrderReports::send(const Told& told) {
  const Report& report = told.report;
  const std::string plural = report.one.ends_with("ch") ? "es" : "s";
  reporter_->tell(MessageKind::order,
                  report.text + " [" + std::to_string(told.times) + ' ' + report.one +
                      (told.times == 1 ? "" : plural) + ']',
                  report.detail, report.warning, told.number, told.times, report.record);
}

void OrderReports::tell(const std::string& key, Report report) {
  const std::lock_guard lock(mutex_);
  const auto [found, fresh] = told_.try_emplace(key);
  Told& known = found->second;
  if (fresh) {
    known.report = std::move(report);
    known.number = static_cast<uint32_t>(told_.size());
  }
  ++known.times;
  // The newest of a number counts; not for each of many.
  if ((known.times & (known.times - 1)) == 0) send(known);
}

void OrderReports::notice(const std::string& key, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (notices_.insert(key).second) reporter_->tell(MessageKind::notice, text);
}

void OrderReports::tell_rest() {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, told] : told_)
    if ((told.times & (told.times - 1)) != 0) send(told);
}

}  // namespace heddle::checker
