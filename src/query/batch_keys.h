// Makes the keys of a batch of lines for several filters that are queried together.
//
//   (want_hashes | want_bytes)*, returns a slot per filter;    (begin (hashes | bytes)*)*, once per batch
//
// Filters whose keys are made in the same way share a slot. A slot is filled on its first use in a batch. If
// lines may be skipped, all slots are filled at once, so that a line that one slot skips is skipped for all.
// For a block list, a slot has the questions of each line instead of its key (want_questions).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_type.h"
#include "keys/key_hasher.h"
#include "keys/key_maker.h"
#include "keys/key_tally.h"
#include "keys/line_reader.h"

namespace bloomery {

class BatchKeys {
 public:
  explicit BatchKeys(KeyPlace place) : place_(std::move(place)) {}

  using Type = std::shared_ptr<const KeyType>;  // null if the treatment alone makes the keys

  // Both return a slot. Preconditions: treatment.parts agrees with the fields of the KeyPlace; KeyMaker
  // accepts the treatment.
  std::size_t want_hashes(const HashSpec& hash, const KeyTreatment& treatment, const Type& type = nullptr);
  std::size_t want_bytes(const KeyTreatment& treatment, const Type& type = nullptr);
  // Returns a slot for the questions of a block list with these levels.
  std::size_t want_questions(const HashSpec& hash, const KeyTreatment& treatment, const KeyLevels& levels);

  // Begins a batch, which must stay valid until the next call. Drops lines that any slot skips. Errors:
  // kInvalidArgument for a header without the field, or, if all slots are filled at once, for a line whose
  // text does not have the key form.
  Status begin(LineBatch& batch, std::uint64_t first_line);
  std::size_t size() const { return lines_.size(); }

  // Both return the keys of the batch, valid until the next batch. Errors: kInvalidArgument for a text that
  // does not have the key form; the message names the line.
  Result<std::span<const Hash128>> hashes(std::size_t slot);
  Result<std::span<const std::string_view>> bytes(std::size_t slot);
  // Returns the questions of the batch, valid until the next batch. Errors: kInvalidArgument for a text that
  // does not have the key form.
  Result<const HashedQuestions*> questions(std::size_t slot);
  // Calls ask(), which must begin() the batch and use its keys. If a line's text does not have the key form,
  // drops that line and all later ones, and calls ask() again for the earlier lines. Returns the error of the
  // bad line, or nothing if there was none. Errors: other errors of ask().
  template <typename Ask>
  Result<std::optional<Error>> ask_up_to_bad_line(LineBatch& batch, const Ask& ask) {
    std::optional<Error> bad;
    for (;;) {
      const Status asked = ask();
      if (asked) {
        return bad;
      }
      if (!bad_line_) {
        return asked.error();
      }
      bad = asked.error();
      batch.keep_first(*bad_line_);
    }
  }

  // Returns the mean number of questions per line so far, or nothing if there were no lines.
  std::optional<double> mean_questions(std::size_t slot) const;

  // Returns true if the keys of all slots are the unchanged texts, so that letter case matters.
  bool are_plain_text() const;

  // Returns the tally of the lines since count_from_here() or the start. All slots see the same lines, so
  // each count is the maximum over the slots.
  KeyTally tally() const;
  void count_from_here();

 private:
  // The common base of all slots. fill() makes a slot's keys, unless the batch's keys exist already.
  // per_line() has an element for each line that the slot's maker did not skip.
  template <typename Maker>
  struct Slot {
    KeyTreatment treatment;
    Maker maker;
    bool filled = false;
    KeyTally counted_before = {};  // the tally at count_from_here()
  };
  struct HashSlot : Slot<KeyHasher> {
    HashSpec hash;
    Type type;
    std::vector<Hash128> hashes = {};

    Status fill(std::span<const std::string_view> lines, std::uint64_t first_line);
    std::vector<Hash128>& per_line() { return hashes; }
  };
  struct ByteSlot : Slot<KeyMaker> {
    Type type;
    std::vector<std::string_view> keys = {};

    Status fill(std::span<const std::string_view> lines, std::uint64_t first_line);
    std::vector<std::string_view>& per_line() { return keys; }
  };
  struct QuestionSlot : Slot<KeyHasher> {
    HashSpec hash;
    KeyLevels levels;
    HashedQuestions questions = {};
    std::uint64_t lines_asked = 0;
    std::uint64_t questions_asked = 0;

    Status fill(std::span<const std::string_view> lines, std::uint64_t first_line);
    auto& per_line() { return questions.lines; }
  };

  // Calls visit(slot) for every slot of each kind.
  template <typename Self, typename Visit>
  static void for_each_slot(Self& self, const Visit& visit) {
    std::ranges::for_each(self.hash_slots_, visit);
    std::ranges::for_each(self.byte_slots_, visit);
    std::ranges::for_each(self.question_slots_, visit);
  }

  // Fills a slot. On an error, records the line.
  template <typename OneSlot>
  Status fill(OneSlot& slot) {
    const Status filled = slot.fill(lines_, first_line_);
    if (!filled) {
      bad_line_ = slot.maker.bad_line();
    }
    return filled;
  }

  Status begin_file(std::string_view header);
  Status leave_out(LineBatch& batch);

  KeyPlace place_;
  std::span<const std::string_view> lines_;
  std::uint64_t first_line_ = 1;
  std::optional<std::size_t> bad_line_;  // the batch's first line without a valid key, once found
  std::vector<HashSlot> hash_slots_;
  std::vector<ByteSlot> byte_slots_;
  std::vector<QuestionSlot> question_slots_;
};

}  // namespace bloomery
