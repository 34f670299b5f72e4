#include "keys/text_keys.h"

#include <string>

namespace bloomery {

TextKeys::TextKeys(const KeyTreatment& treatment, TextPurpose purpose)
    : treatment_(treatment),
      purpose_(purpose),
      formed_(treatment),
      levels_(KeyLevels::all_of(treatment.form)) {
  if (is_block_list(treatment.form)) {
    list_.emplace(treatment, EntryRules(),
                  purpose == TextPurpose::kInsert ? KeyPurpose::kInsert : KeyPurpose::kName);
  }
}

Status TextKeys::make(std::span<const std::string_view> texts) {
  const bool any_number = treatment_.parts == kVariableParts && !texts.empty();
  if (!any_number && texts.size() != treatment_.parts) {
    return Error::invalid_argument(
        "key", "expected " +
                   (treatment_.parts == kVariableParts ? "at least one part"
                                                       : std::to_string(treatment_.parts) + " parts") +
                   ", found " + std::to_string(texts.size()));
  }
  writer_.clear();
  ends_.clear();
  keys_.clear();
  if (!list_) {
    BLOOMERY_RETURN_IF_ERROR(treatment_.parts == 1 ? formed_.append(writer_, texts.front())
                                                   : make_composite(texts));
    ends_.push_back(writer_.bytes().size());
  } else if (purpose_ == TextPurpose::kAsk) {
    BLOOMERY_RETURN_IF_ERROR(list_->append_questions(writer_, ends_, texts.front(), levels_));
  } else {
    BLOOMERY_RETURN_IF_ERROR(make_entry(texts.front()));
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    keys_.push_back(writer_.bytes().subspan(begin, end - begin));
    begin = end;
  }
  return {};
}

Status TextKeys::make_composite(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    const std::size_t start = writer_.begin_part();
    BLOOMERY_RETURN_IF_ERROR(formed_.append(writer_, text));
    writer_.end_part(start);
  }
  return {};
}

// The level key precedes the entry's key, so that an entry is never inserted before its level.
Status TextKeys::make_entry(std::string_view text) {
  BLOOMERY_RETURN_IF_ERROR(list_->append_entry(writer_, text));
  const auto level = KeyLevels::of_key(treatment_.form, writer_.bytes());
  if (purpose_ == TextPurpose::kInsert && level && !inserted_.has(*level)) {
    writer_.clear();
    append_level_key(writer_, treatment_.form, *level);
    ends_.push_back(writer_.bytes().size());
    BLOOMERY_RETURN_IF_ERROR(list_->append_entry(writer_, text));
    inserted_.add(*level);
  }
  ends_.push_back(writer_.bytes().size());
  return {};
}

}  // namespace bloomery
