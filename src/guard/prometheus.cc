#include "bloomery/guard/prometheus.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace bloomery::guard {

std::string escaped_label(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\n') {
      escaped += "\\n";
    } else {
      if (c == '\\' || c == '"') {
        escaped += '\\';
      }
      escaped += c;
    }
  }
  return escaped;
}

void PrometheusText::head(std::string_view name, std::string_view help, std::string_view type) {
  if (last_name_ == name) {
    return;
  }
  last_name_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void PrometheusText::line(std::string_view name, std::string_view more_labels, std::string_view value) {
  text_.append(name);
  if (!labels_.empty() || !more_labels.empty()) {
    text_.append("{").append(labels_);
    text_.append(labels_.empty() || more_labels.empty() ? "" : ",").append(more_labels).append("}");
  }
  text_.append(" ").append(value).append("\n");
}

void PrometheusText::counter(std::string_view name, std::string_view help, std::uint64_t value,
                             std::string_view more_labels) {
  head(name, help, "counter");
  line(name, more_labels, std::to_string(value));
}

void PrometheusText::gauge(std::string_view name, std::string_view help, double value,
                           std::string_view more_labels) {
  head(name, help, "gauge");
  if (std::isnan(value) || std::isinf(value)) {
    line(name, more_labels, std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return;
  }
  std::array<char, 32> digits{};
  const int size = std::snprintf(digits.data(), digits.size(), "%.9g", value);
  line(name, more_labels, std::string_view(digits.data(), static_cast<std::size_t>(size)));
}

}  // namespace bloomery::guard
