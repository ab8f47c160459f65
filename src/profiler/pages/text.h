// Numbers, tables and quoted fields of the pages.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::profiler {

// "196", "86.4": whole numbers as such, others with as many digits behind the point as given; "n/a" for NaN.
std::string number_text(double value, int digits = 2);
// With thousands separators: "1,048,576".
std::string grouped(double value, int digits = 2);
// Nanoseconds as "12.51 us": the unit that leaves at least one digit before the point.
std::string time_text(double nanoseconds);
std::string csv_field(std::string_view text);  // in quotes, those inside doubled
std::string json_text(std::string_view text);  // in quotes
std::string html_text(std::string_view text);  // without < > & "

// Columns as wide as their widest cell; the first ones to the left, numbers to the right.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = true;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  void print(std::ostream& out, std::string_view indent = "") const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle::profiler
