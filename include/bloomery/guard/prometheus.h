// Writes metrics of guards and feeders in Prometheus' text form, version 0.0.4.
//
// Example:
//    guard::PrometheusText text("table=\"users\"");
//    text.counter("bloomery_feeder_rows_total", "Rows taken from the log.", 12);
//    text.gauge("bloomery_feeder_lag_seconds", "Time since the horizon.", 0.25);
//    std::cout << text.text();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery::guard {

// Returns the value of a label with \, " and line ends escaped.
std::string escaped_label(std::string_view value);

class PrometheusText {
 public:
  // `labels` are put into the braces of every line: name="value", values escaped. They may be empty.
  explicit PrometheusText(std::string labels = "") : labels_(std::move(labels)) {}

  // `name` consists of letters, digits, _ and :. A counter's name ends in _total. `more_labels` apply only to
  // this line. Lines of one name must be consecutive; the help is written before the first.
  void counter(std::string_view name, std::string_view help, std::uint64_t value,
               std::string_view more_labels = "");
  void gauge(std::string_view name, std::string_view help, double value, std::string_view more_labels = "");

  const std::string& text() const { return text_; }

 private:
  void head(std::string_view name, std::string_view help, std::string_view type);
  void line(std::string_view name, std::string_view more_labels, std::string_view value);

  std::string labels_;
  std::string last_name_;
  std::string text_;
};

}  // namespace bloomery::guard
