#include "cli/question_fpp.h"

#include <cmath>

#include <fmt/core.h>

#include "bloomery/filter/block_list.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"

namespace bloomery::cli {

const char* asked_text(KeyForm form) {
  return form == KeyForm::kCidr ? "an address" : form == KeyForm::kDomainSuffix ? "a host name" : "a URL";
}

std::optional<std::size_t> questions_of(const AnyFilter& filter) {
  const KeyForm form = filter.key_treatment().form;
  if (!is_block_list(form) || form == KeyForm::kUrlPrefix) {
    return most_questions(form, {});
  }
  return knows_its_secret(filter.native()) ? std::optional(most_questions(form, levels_of(filter)))
                                           : std::nullopt;
}

std::string show_fpp(const AnyFilter& filter) {
  const KeyForm form = filter.key_treatment().form;
  const std::optional<std::size_t> questions = questions_of(filter);
  if (!questions) {
    return fmt::format("{} for one question (asked {})", show_probability(filter.current_fpp()),
                       show_probability(filter.target_fpp()));
  }
  return show_fpp(form, filter.current_fpp(), filter.target_fpp(), *questions);
}

std::string show_target_fpp(const AnyFilter& filter) {
  const std::optional<std::size_t> questions = questions_of(filter);
  return show_probability(joint_fpp(filter.target_fpp(), static_cast<double>(questions.value_or(1))));
}

std::string show_fpp(KeyForm form, double fpp, double target_fpp, std::size_t questions) {
  if (!is_block_list(form)) {
    return fmt::format("{} (asked {})", show_probability(fpp), show_probability(target_fpp));
  }
  const auto count = static_cast<double>(questions);
  return fmt::format("{} for {} ({} question{}, {} each; asked {})", show_probability(joint_fpp(fpp, count)),
                     asked_text(form), questions, questions == 1 ? "" : "s", show_probability(fpp),
                     show_probability(joint_fpp(target_fpp, count)));
}

void warn_over_capacity(std::string_view verb, const AnyFilter& filter) {
  if (!filter.over_capacity()) {
    return;
  }
  const NativeFilter& native = filter.native();
  const std::string made = "warning: over capacity: made for " + show_count_of(native.capacity(), "key");
  if (const auto* const windowed = std::get_if<WindowedFilter>(&filter.variant())) {
    warn(verb, fmt::format("{} a window, a generation has clearly more than its share of {}; fpp {}; {}",
                           made, show_count(windowed->generation_capacity()), show_fpp(filter),
                           remedy_for_overfull(*windowed)));
    return;
  }
  warn(verb, fmt::format("{}, {} were given, about {} or more of them different; fpp {}", made,
                         show_count(native.inserted()),
                         show_count(static_cast<std::uint64_t>(std::llround(filter.estimated_count()))),
                         show_fpp(filter)));
}

std::string remedy_for_overfull(const WindowedFilter& filter) {
  const Window& window = filter.window();
  if (window.kind == WindowKind::kCount) {
    return "a longer --window has larger generations";
  }
  return fmt::format("a new window takes them with -n {} times as many as may come in one generation",
                     window.generations);
}

void warn_over_capacity(std::string_view verb, const DialectFacts& facts) {
  if (facts.capacity && facts.inserted && *facts.inserted > *facts.capacity) {
    warn(verb, fmt::format("warning: over capacity: made for {}, {} are in",
                           show_count_of(*facts.capacity, "key"), show_count(*facts.inserted)));
  }
}

}  // namespace bloomery::cli
