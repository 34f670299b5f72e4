#include "query/batch_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bloomery {
namespace {

// Removes the keys of the lines `all`. `keys` has one key for each of `count` lines except the lines
// `without`, which `all` includes. Both lists ascend.
template <typename Key>
void take_out(std::vector<Key>& keys, std::size_t count, std::span<const std::uint32_t> without,
              std::span<const std::uint32_t> all) {
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t line = 0; line < count && without.size() != all.size(); ++line) {
    if (std::ranges::binary_search(without, line)) {
      continue;
    }
    if (!std::ranges::binary_search(all, line)) {
      keys[to++] = keys[from];
    }
    ++from;
  }
  keys.resize(without.size() != all.size() ? to : keys.size());
}

// Returns true if both types make the same keys, or if neither exists.
bool are_same(const BatchKeys::Type& a, const BatchKeys::Type& b) {
  return a == b || (a != nullptr && b != nullptr && a->name() == b->name());
}

}  // namespace

std::size_t BatchKeys::want_hashes(const HashSpec& hash, const KeyTreatment& treatment, const Type& type) {
  for (std::size_t slot = 0; slot < hash_slots_.size(); ++slot) {
    const HashSlot& known = hash_slots_[slot];
    if (known.hash == hash && known.treatment == treatment && are_same(known.type, type)) {
      return slot;
    }
  }
  hash_slots_.push_back(
      {{.treatment = treatment, .maker = KeyHasher(hash, treatment, place_, KeyPurpose::kName, type)},
       hash,
       type});
  return hash_slots_.size() - 1;
}

std::size_t BatchKeys::want_bytes(const KeyTreatment& treatment, const Type& type) {
  for (std::size_t slot = 0; slot < byte_slots_.size(); ++slot) {
    if (byte_slots_[slot].treatment == treatment && are_same(byte_slots_[slot].type, type)) {
      return slot;
    }
  }
  byte_slots_.push_back(
      {{.treatment = treatment, .maker = KeyMaker(treatment, place_, KeyPurpose::kName, type)}, type});
  return byte_slots_.size() - 1;
}

std::size_t BatchKeys::want_questions(const HashSpec& hash, const KeyTreatment& treatment,
                                      const KeyLevels& levels) {
  for (std::size_t slot = 0; slot < question_slots_.size(); ++slot) {
    const QuestionSlot& known = question_slots_[slot];
    if (known.hash == hash && known.treatment == treatment && known.levels == levels) {
      return slot;
    }
  }
  question_slots_.push_back(
      {{.treatment = treatment, .maker = KeyHasher(hash, treatment, place_)}, hash, levels});
  question_slots_.back().maker.ask_at(levels);
  return question_slots_.size() - 1;
}

Status BatchKeys::begin(LineBatch& batch, std::uint64_t first_line) {
  lines_ = batch.lines;
  first_line_ = first_line;
  bad_line_.reset();
  for_each_slot(*this, [](auto& slot) { slot.filled = false; });
  if (batch.header) {
    BLOOMERY_RETURN_IF_ERROR(begin_file(*batch.header));
  }
  return place_.may_skip() ? leave_out(batch) : Status();
}

Status BatchKeys::begin_file(std::string_view header) {
  Status begun;
  for_each_slot(*this, [&](auto& slot) { begun = begun ? slot.maker.begin_file(header) : begun; });
  return begun ? Status() : Status(KeyMaker::of_line(begun.error(), 1));
}

// Fills all slots, then removes every line that some slot skips from the batch and from all slots.
Status BatchKeys::leave_out(LineBatch& batch) {
  Status filled;
  std::vector<std::uint32_t> all;
  for_each_slot(*this, [&](auto& slot) {
    filled = filled ? fill(slot) : filled;
    std::vector<std::uint32_t> both;
    std::ranges::set_union(all, slot.maker.left_out(), std::back_inserter(both));
    all = std::move(both);
  });
  if (!filled) {
    return filled;
  }
  for_each_slot(*this,
                [&](auto& slot) { take_out(slot.per_line(), lines_.size(), slot.maker.left_out(), all); });
  batch.drop(all);
  lines_ = batch.lines;
  return {};
}

Status BatchKeys::HashSlot::fill(std::span<const std::string_view> lines, std::uint64_t first_line) {
  if (!filled) {
    BLOOMERY_RETURN_IF_ERROR(maker.hash(lines, first_line, hashes));
    filled = true;
  }
  return {};
}

Status BatchKeys::ByteSlot::fill(std::span<const std::string_view> lines, std::uint64_t first_line) {
  if (!filled) {
    BLOOMERY_RETURN_IF_ERROR(maker.make(lines, first_line, keys));
    filled = true;
  }
  return {};
}

Status BatchKeys::QuestionSlot::fill(std::span<const std::string_view> lines, std::uint64_t first_line) {
  if (!filled) {
    BLOOMERY_RETURN_IF_ERROR(maker.ask(lines, first_line, questions));
    filled = true;
    lines_asked += questions.lines.size();
    questions_asked += questions.hashes.size();
  }
  return {};
}

Result<std::span<const Hash128>> BatchKeys::hashes(std::size_t slot) {
  BLOOMERY_RETURN_IF_ERROR(fill(hash_slots_[slot]));
  return std::span<const Hash128>(hash_slots_[slot].hashes);
}

Result<std::span<const std::string_view>> BatchKeys::bytes(std::size_t slot) {
  BLOOMERY_RETURN_IF_ERROR(fill(byte_slots_[slot]));
  return std::span<const std::string_view>(byte_slots_[slot].keys);
}

Result<const HashedQuestions*> BatchKeys::questions(std::size_t slot) {
  BLOOMERY_RETURN_IF_ERROR(fill(question_slots_[slot]));
  return &std::as_const(question_slots_[slot].questions);
}

std::optional<double> BatchKeys::mean_questions(std::size_t slot) const {
  const QuestionSlot& asked = question_slots_[slot];
  if (asked.lines_asked == 0) {
    return std::nullopt;
  }
  return static_cast<double>(asked.questions_asked) / static_cast<double>(asked.lines_asked);
}

bool BatchKeys::are_plain_text() const {
  const auto is_plain = [](const auto& slot) {
    return slot.treatment.form == KeyForm::kText && !slot.treatment.ignore_case && slot.type == nullptr;
  };
  return std::ranges::all_of(hash_slots_, is_plain) && std::ranges::all_of(byte_slots_, is_plain) &&
         question_slots_.empty();
}

KeyTally BatchKeys::tally() const {
  KeyTally most;
  for_each_slot(*this, [&most](const auto& slot) {
    KeyTally tally = slot.maker.tally();
    tally -= slot.counted_before;
    most = largest(most, tally);
  });
  return most;
}

void BatchKeys::count_from_here() {
  for_each_slot(*this, [](auto& slot) { slot.counted_before = slot.maker.tally(); });
}

}  // namespace bloomery
