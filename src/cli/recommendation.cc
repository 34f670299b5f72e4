#include "cli/recommendation.h"

#include <cmath>

#include <fmt/format.h>

#include "cli/numbers.h"
#include "filter/native/native_header.h"

namespace bloomery::cli {
namespace {

Status check_consistent(const FilterNeeds& needs) {
  const auto refuse = [](const char* options, const char* why) {
    return Error::invalid_argument(options, std::string("expected one of them: ") + why);
  };
  if (needs.is_static && (needs.removes || needs.grows || !needs.forgets.empty())) {
    return refuse("--static, --removes, --grows, --forgets", "a static set does not change");
  }
  if (!needs.forgets.empty() && needs.removes) {
    return refuse("--forgets, --removes", "no type forgets by itself and also takes keys out");
  }
  if (!needs.forgets.empty() && needs.grows) {
    return refuse("--forgets, --grows", "what forgets holds a window, whose most keys -n says");
  }
  return {};
}

bool fits(const FilterPlan& plan, std::uint64_t bytes) {
  const Result<PlannedSize> size = planned_size(plan);
  return size && size->bits / 8 + kNativeHeaderBytes <= bytes;
}

Error too_small(const FilterPlan& plan, std::uint64_t bytes, const std::string& least) {
  return Error::invalid_argument("--size", fmt::format("expected room for {} ({}), found {}", least,
                                                       plan.type_name(), show_bytes(bytes)));
}

}  // namespace

Result<Recommendation> recommend(const FilterNeeds& needs) {
  BLOOMERY_RETURN_IF_ERROR(check_consistent(needs));
  FilterWish wish;
  std::string reason;
  if (!needs.forgets.empty()) {
    wish = {.type = "windowed", .window = needs.forgets};
    reason = "it forgets by itself, and remembers each key for at least " + needs.forgets;
  } else if (needs.removes) {
    wish = {.type = "quotient"};
    reason = std::string("keys can be removed, in about a quarter of the bits of the counting filter") +
             (needs.grows ? "; it grows by itself, and its fpp with it" : "");
  } else if (needs.grows) {
    wish = {.type = "scalable"};
    reason = "it grows layer by layer, and its fpp stays";
  } else if (needs.is_static) {
    wish = {.type = "ribbon"};
    reason = "a set that does not change takes the fewest bits so, about 30 % less than in a Bloom filter";
  } else {
    reason = "it is the fastest, and takes more keys later";
  }
  if (needs.from_strangers) {
    reason += "; strangers choose the keys, so they are hashed under a secret";
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FilterChoice choice, wish.parse());
  return Recommendation{.type = choice.type, .reason = reason};
}

std::string build_command(const FilterPlan& plan, const FilterNeeds& needs) {
  std::string command = "bloomery build";
  if (plan.type == FilterType::kWindowed) {
    command += " -t windowed --window " + needs.forgets;
  } else if (const std::string name = plan.type_name(); name != "blocked:fast") {
    command += " -t " + name;
  }
  if (needs.from_strangers) {
    command += " --keyed";
  }
  const bool by_count = plan.type == FilterType::kWindowed && plan.options.window.kind == WindowKind::kCount;
  if (!is_static_type(plan.type) && !by_count) {
    command += fmt::format(" -n {}", plan.capacity);
  }
  command += plan.fpp ? fmt::format(" -p {:.4g}", *plan.fpp)
                      : fmt::format(" --bits-per-key {:g}", plan.bits_per_key.value_or(0));
  return command + " -o FILTER FILE";
}

Result<double> fpp_that_fits(FilterPlan plan, std::uint64_t bytes) {
  constexpr double kWorst = 0.5;
  constexpr double kBest = 1e-15;
  constexpr int kSteps = 40;  // narrows the exponents to a billionth of their range
  plan.fpp = kWorst;
  if (!fits(plan, bytes)) {
    return too_small(plan, bytes, show_count(plan.capacity) + " keys at an fpp of 0.5");
  }
  double fitting = std::log(kWorst);
  double too_large = std::log(kBest);
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (fitting + too_large) / 2;
    plan.fpp = std::exp(middle);
    (fits(plan, bytes) ? fitting : too_large) = middle;
  }
  // Rounds up to four digits, so that the filter still fits with the printed fpp.
  const double fpp = std::exp(fitting);
  const double unit = std::pow(10, std::floor(std::log10(fpp)) - 3);
  return std::min(std::ceil(fpp / unit) * unit, kWorst);
}

Result<std::uint64_t> keys_that_fit(FilterPlan plan, std::uint64_t bytes) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000;
  plan.capacity = 1;
  BLOOMERY_RETURN_IF_ERROR(planned_size(plan));
  if (!fits(plan, bytes)) {
    return too_small(plan, bytes, "one key");
  }
  std::uint64_t fitting = 1;
  std::uint64_t too_many = kMost;
  while (too_many - fitting > 1) {
    plan.capacity = fitting + (too_many - fitting) / 2;
    (fits(plan, bytes) ? fitting : too_many) = plan.capacity;
  }
  return fitting;
}

}  // namespace bloomery::cli
