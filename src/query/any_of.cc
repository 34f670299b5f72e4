#include "query/any_of.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <utility>

#include "bloomery/filter/native_filter.h"

namespace bloomery {

void AnyOf::add(std::string name, std::unique_ptr<KeyFilter> filter) {
  filters_.push_back({.name = std::move(name), .filter = std::move(filter)});
}

Status AnyOf::append_identities(LineBatch& batch, std::uint64_t first_line, std::vector<Hash128>& hashes) {
  BLOOMERY_RETURN_IF_ERROR(keys_.begin(batch, first_line));
  BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> found, filters_.front().filter->identities(keys_));
  hashes.insert(hashes.end(), found.begin(), found.end());
  return {};
}

void AnyOf::allow(std::vector<Hash128> hashes) {
  allowed_ = ExceptionTable::of(std::move(hashes));
  keys_.count_from_here();
}

Status AnyOf::answer(LineBatch& batch, std::uint64_t first_line, std::vector<std::uint64_t>& answers) {
  BLOOMERY_RETURN_IF_ERROR(keys_.begin(batch, first_line));
  const std::size_t words = answer_words(batch.lines.size());
  answers.resize(words);
  BLOOMERY_RETURN_IF_ERROR(filters_.front().filter->say(keys_, answers));
  for (std::size_t i = 1; i < filters_.size(); ++i) {
    more_answers_.resize(words);
    BLOOMERY_RETURN_IF_ERROR(filters_[i].filter->say(keys_, more_answers_));
    std::ranges::transform(answers, more_answers_, answers.begin(), std::bit_or<>());
  }
  if (forces_maybes()) {
    BLOOMERY_RETURN_IF_ERROR(force_maybes(answers));
  }
  if (!allowed_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> hashes,
                              filters_.front().filter->identities(keys_));
    allowed_.clear_excepted(hashes, answers);
  }
  return {};
}

// Adds the forced maybes to the filters' answers, and counts them.
Status AnyOf::force_maybes(std::vector<std::uint64_t>& answers) {
  more_answers_ = answers;
  for (const Named& named : filters_) {
    BLOOMERY_RETURN_IF_ERROR(named.filter->force(keys_, more_answers_));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    forced_ += static_cast<std::uint64_t>(std::popcount(more_answers_[i] & ~answers[i]));
  }
  answers = more_answers_;
  return {};
}

bool AnyOf::forces_maybes() const {
  return std::ranges::any_of(filters_, [](const Named& named) { return named.filter->forces_maybes(); });
}

Status AnyOf::file_status() const {
  for (const Named& named : filters_) {
    BLOOMERY_RETURN_IF_ERROR(in_file(named.filter->file_status(), named.name));
  }
  return {};
}

Status AnyOf::status() const {
  for (const Named& named : filters_) {
    BLOOMERY_RETURN_IF_ERROR(in_file(named.filter->status(), named.name));
  }
  return {};
}

std::uint64_t AnyOf::log_keys() const {
  std::uint64_t keys = 0;
  for (const Named& named : filters_) {
    keys += named.filter->log_keys();
  }
  return keys;
}

std::string AnyOf::asked_servers() const {
  std::string text;
  for (const Named& named : filters_) {
    if (const std::optional<std::string> asked = named.filter->asked_server()) {
      text += (text.empty() ? "" : ", ") + *asked;
    }
  }
  return text;
}

bool AnyOf::have_exceptions() const {
  return !allowed_.empty() ||
         std::ranges::any_of(filters_, [](const Named& named) { return named.filter->has_exceptions(); });
}

std::vector<KeyFilter::QuestionFacts> AnyOf::questions() const {
  std::vector<KeyFilter::QuestionFacts> all;
  for (const Named& named : filters_) {
    if (const std::optional<KeyFilter::QuestionFacts> facts = named.filter->questions(keys_)) {
      all.push_back(*facts);
    }
  }
  return all;
}

double AnyOf::current_fpp() const {
  double all_say_no = 1;
  for (const Named& named : filters_) {
    all_say_no *= 1 - named.filter->current_fpp(keys_);
  }
  return 1 - all_say_no;
}

}  // namespace bloomery
