#include "cli/question_fpp.h"

#include <fmt/core.h>

#include "bloomery/filter/block_list.h"
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

}  // namespace bloomery::cli
