#include "cli/add_dialect.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/core.h>

#include "bloomery/dialects/dialects.h"
#include "cli/dialect_choice.h"
#include "cli/dialect_keys.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/stop_signal.h"
#include "dialects/dialect_rows.h"
#include "keys/key_maker.h"

namespace bloomery::cli {
namespace {

Status check_dialect_takes_keys(DialectFilter& filter, const DialectAddition& addition) {
  if (filter.is_static()) {
    const Result<bool> refused = filter.insert({});
    return refused ? Status() : Status(cannot_do(refused.error()).in_file(addition.path));
  }
  const Status updates = named_dialect(filter.dialect()).row->check_update(addition.path);
  return updates
             ? Status()
             : Error::invalid_argument(addition.path, updates.error().detail() + ": bloomery merge -o DUMP " +
                                                          addition.path + " makes it one");
}

// Returns how many more keys fit into the filter's capacity, for --strict.
Result<std::uint64_t> room_in(const DialectFilter& filter) {
  const DialectFacts facts = filter.facts();
  if (!facts.capacity) {
    return Error::invalid_argument(
        "--strict", "expected a filter that records how many keys it is made for, found " + filter.dialect() +
                        ", which does not");
  }
  std::uint64_t used = 0;
  if (facts.inserted) {
    used = *facts.inserted;
  } else {
    BLOOMERY_ASSIGN_OR_RETURN(const double count, filter.estimated_count());
    used = static_cast<std::uint64_t>(std::llround(count));
  }
  return *facts.capacity - std::min(used, *facts.capacity);
}

// The progress of adding keys.
struct Addition {
  std::uint64_t given = 0;            // keys inserted before reading failed
  std::optional<Error> refused = {};  // why the filter accepts no more keys
};

// Inserts the keys into the filter in memory, up to a failure to read. Returns false if the keys are more
// than `room`, or if the filter refuses one.
Result<bool> insert_all(InputFiles& input, KeyMaker& maker, DialectFilter& filter, std::uint64_t room,
                        Addition& addition) {
  bool fits = true;
  std::vector<std::string_view> made;
  BLOOMERY_RETURN_IF_ERROR(for_each_line_batch("add", input, [&](LineBatch& batch) -> Result<bool> {
    if (const Status status = maker.make(batch, input.first_line(), made); !status) {
      return status.error().in_file(input.current_name());
    }
    fits = made.size() <= room - addition.given;
    if (!fits) {
      return false;
    }
    if (const auto inserted = filter.insert_batch(made); !inserted) {
      addition.refused = inserted.error();
      fits = false;
      return false;
    }
    addition.given += made.size();
    return true;
  }));
  return fits;
}

// Reports why the filter refused a key, and how many new keys it had accepted. The file is unchanged.
int report_refusal(const DialectAddition& addition, const DialectFilter& filter, const Error& refusal,
                   std::optional<std::uint64_t> inserted_before) {
  std::string taken;
  if (const auto inserted = filter.facts().inserted; inserted && inserted_before) {
    taken = fmt::format(" {} new keys went in before it was full;", show_count(*inserted - *inserted_before));
  }
  warn("add", fmt::format("refused: {}: {};{} {} was not changed", addition.path, refusal.detail(), taken,
                          addition.path));
  return static_cast<int>(kRefused);
}

void summarize_addition(const DialectAddition& addition, const DialectFilter& filter, std::uint64_t keys,
                        bool stopped) {
  const DialectFacts facts = filter.facts();
  const std::string asked =
      facts.target_fpp ? " (asked " + show_probability(*facts.target_fpp) + ")" : std::string();
  warn("add",
       fmt::format("{}{} given to {}, fpp {}{}", stopped ? "stopped early: " : "", show_count_of(keys, "key"),
                   addition.path, show_probability(filter.current_fpp()), asked));
}

}  // namespace

Result<int> add_to_dialect(const DialectAddition& addition, const KeyOptions& keys, const InputRules& rules,
                           const GivenKeys& given, const std::vector<std::string>& files) {
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(const FileLock lock, addition.wait.take("add", addition.path, &stop));
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<DialectFilter> filter,
                            open_dialect(addition.path, addition.dialect, addition.memory));
  BLOOMERY_RETURN_IF_ERROR(check_dialect_takes_keys(*filter, addition));
  BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, keys_of_filter(keys, *filter, addition.path));
  std::uint64_t room = ~std::uint64_t{0};
  if (addition.strict) {
    BLOOMERY_ASSIGN_OR_RETURN(room, room_in(*filter));
  }
  InputFiles input(files, given.shape(keys), &stop);
  KeyMaker maker(making.treatment, keys.place(), KeyPurpose::kName, making.type);
  const std::optional<std::uint64_t> inserted_before = filter->facts().inserted;
  Addition progress;
  const Result<bool> read = insert_all(input, maker, *filter, room, progress);
  if (progress.refused) {
    return report_refusal(addition, *filter, *progress.refused, inserted_before);
  }
  if (addition.strict && (!read || !*read || stop)) {
    if (!read) {
      return read.error();
    }
    warn("add", stop ? std::string("stopped; nothing was changed")
                     : fmt::format("refused: more keys than the {} for which {} has room (--strict); nothing "
                                   "was changed",
                                   show_count(room), addition.path));
    return static_cast<int>(stop ? kInterrupted : kRefused);
  }
  if (const Status sound = rules.check(maker.tally(), keys); !sound && read && !stop) {
    return sound.error();
  }
  BLOOMERY_RETURN_IF_ERROR(filter->save(addition.path, {.replace = true, .lock = &lock}));
  if (addition.summary.wanted_or_amiss(InputRules::amiss(maker.tally(), keys)) || stop || !read) {
    summarize_addition(addition, *filter, progress.given, stop);
  }
  tell_of_keys("add", maker.tally(), keys.place(), telling(addition.summary.declined()));
  warn_over_capacity("add", filter->facts());
  if (!read) {
    return read.error();
  }
  return static_cast<int>(stop ? kInterrupted : kDone);
}

}  // namespace bloomery::cli
