#include "codec/plan.h"

#include <cmath>
#include <numbers>
#include <string>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

constexpr double kLn2Squared = std::numbers::ln2 * std::numbers::ln2;

Status check_plan(const DialectPlan& plan) {
  if (plan.fpp.has_value() == plan.bits_per_key.has_value()) {
    return Error::invalid_argument("plan", "expected an fpp or bits per key, and not both");
  }
  if (plan.fpp) {
    return check_fpp(*plan.fpp);
  }
  if (!(*plan.bits_per_key > 0 && *plan.bits_per_key <= 1000)) {
    return Error::invalid_argument(
        "bits per key", "expected more than 0 and at most 1000, found " + std::to_string(*plan.bits_per_key));
  }
  return {};
}

}  // namespace

Result<double> planned_fpp(const DialectPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_plan(plan));
  return plan.fpp ? *plan.fpp : std::exp(-*plan.bits_per_key * kLn2Squared);
}

Result<double> planned_bits_per_key(const DialectPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_plan(plan));
  return plan.bits_per_key ? *plan.bits_per_key : -std::log(*plan.fpp) / kLn2Squared;
}

std::vector<std::string_view> option_words(std::string_view option) {
  std::vector<std::string_view> words;
  while (!option.empty()) {
    const std::size_t comma = option.find(',');
    words.push_back(option.substr(0, comma));
    option = comma == std::string_view::npos ? std::string_view() : option.substr(comma + 1);
  }
  return words;
}

Error unknown_option(std::string_view dialect, std::string_view expected, std::string_view found) {
  return Error::invalid_argument(std::string(dialect), "option: expected " + std::string(expected) +
                                                           ", found '" + std::string(found) + "'");
}

}  // namespace bloomery
