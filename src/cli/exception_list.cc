#include "cli/exception_list.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/file.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/numbers.h"

namespace bloomery::cli {
void LinePlaces::note(std::uint64_t ordinal, const std::string& name, std::uint64_t line) {
  if (!stretches_.empty()) {
    const Stretch& last = stretches_.back();
    if (last.name == name && line - last.line == ordinal - last.ordinal) {
      return;
    }
  }
  stretches_.push_back({.ordinal = ordinal, .name = name, .line = line});
}

std::string LinePlaces::of(std::uint64_t ordinal) const {
  const auto after = std::ranges::upper_bound(stretches_, ordinal, {}, &Stretch::ordinal);
  assert(after != stretches_.begin());
  const Stretch& stretch = *std::prev(after);
  return stretch.name + ":" + std::to_string(stretch.line + (ordinal - stretch.ordinal));
}

namespace {

// The most conflicts that are printed one by one.
constexpr std::size_t kNamedConflicts = 100;

constexpr auto kByHash = [](const Hash128& a, const Hash128& b) {
  return std::tie(a.low, a.high) < std::tie(b.low, b.high);
};

// An exception that is also a member: its hash, and its first positions in the exception list and among the
// members.
struct Conflict {
  Hash128 hash;
  std::uint64_t in_list;
  std::optional<std::uint64_t> in_members;
};

// Records where the lines of a batch are. The lines are the keys from number `first` on.
void note_places(LinePlaces& places, std::uint64_t first, const LineBatch& batch, const InputFiles& input) {
  const std::size_t size = batch.lines.size();
  for (std::size_t begin = 0; begin < size; begin = batch.unbroken_end(begin, size)) {
    places.note(first + begin, input.current_name(), input.first_line() + batch.place(begin));
  }
}

}  // namespace

ExceptionList::ExceptionList(const BuildPlan& plan, std::uint64_t most_matches)
    : plan_(plan),
      is_column_(plan.filter.type.type == FilterType::kRibbon),
      most_matches_(most_matches),
      members_(log_of_waiting_hashes(plan.spool_directory)) {}

Status ExceptionList::note_members(const KeyBatch& batch, const InputFiles& input) {
  note_places(member_places_, members_.size(), batch.lines, input);
  return members_.append(batch.hashes);
}

Status ExceptionList::read_list(KeyHasher& hasher, const Ask& ask, const std::atomic<bool>* stop) {
  InputFiles input(plan_.exception_files, plan_.keys.input_shape(), stop);
  std::vector<std::uint64_t> answers;
  return for_each_key_batch("build", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
    note_places(list_places_, read_, batch.lines, input);
    answers.resize(answer_words(batch.hashes.size()));
    ask(batch.hashes, answers);
    for (std::size_t word = 0; word < answers.size(); ++word) {
      for (std::uint64_t left = answers[word]; left != 0; left &= left - 1) {
        const std::size_t i = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
        matching_.push_back(batch.hashes[i]);
        ordinals_.push_back(read_ + i);
      }
    }
    read_ += batch.hashes.size();
    if (matching_.size() > most_matches_) {
      return Error::capacity("--exceptions",
                             "expected at most " + show_count(most_matches_) +
                                 " keys that the filter matches, found more: give more memory "
                                 "(--mem) or ask for fewer errors (-p)");
    }
    return true;
  });
}

Status ExceptionList::meet_members(const Also& also) {
  candidates_.emplace(matching_);
  return members_.for_each([&](std::span<const Hash128> hashes) {
    candidates_->meet(hashes);
    return also ? also(hashes) : Status();
  });
}

Result<bool> ExceptionList::settle() {
  const std::size_t conflicts = candidates_->conflicts().size();
  if (conflicts == 0 || plan_.members_win) {
    return true;
  }
  BLOOMERY_RETURN_IF_ERROR(name_conflicts());
  warn("build", fmt::format("{} {} at once; nothing was written (--members-win builds all the same, with {})",
                            show_count_of(conflicts, "key"),
                            conflicts == 1 ? "is a member and an exception" : "are members and exceptions",
                            conflicts == 1 ? "it as a member" : "them as members"));
  return false;
}

Status ExceptionList::name_conflicts() {
  std::vector<Hash128> in_both = candidates_->conflicts();
  std::ranges::sort(in_both, kByHash);
  std::vector<Conflict> named;
  const std::size_t wanted = std::min(in_both.size(), kNamedConflicts);
  for (std::size_t i = 0; named.size() < wanted; ++i) {
    const bool is_named =
        std::ranges::any_of(named, [&](const Conflict& conflict) { return conflict.hash == matching_[i]; });
    if (!is_named && std::ranges::binary_search(in_both, matching_[i], kByHash)) {
      named.push_back({.hash = matching_[i], .in_list = ordinals_[i], .in_members = std::nullopt});
    }
  }
  std::ranges::sort(named, kByHash, &Conflict::hash);
  members_.rewind();
  for (std::size_t found = 0; found < named.size();) {
    BLOOMERY_ASSIGN_OR_RETURN(const HashBatch batch, members_.next());
    for (std::size_t i = 0; i < batch.hashes.size(); ++i) {
      const auto at = std::ranges::lower_bound(named, batch.hashes[i], kByHash, &Conflict::hash);
      if (at != named.end() && at->hash == batch.hashes[i] && !at->in_members) {
        at->in_members = batch.first + i;
        ++found;
      }
    }
  }
  std::ranges::sort(named, {}, &Conflict::in_list);
  for (const Conflict& conflict : named) {
    warn("build", fmt::format("conflict: exception {} is member {}", list_places_.of(conflict.in_list),
                              member_places_.of(*conflict.in_members)));
  }
  if (in_both.size() > named.size()) {
    warn("build", fmt::format("conflict: and {} more", show_count(in_both.size() - named.size())));
  }
  return {};
}

std::string ExceptionList::summary() const {
  const std::uint64_t conflicts = members_among_them();
  const char* const denied = is_column_ ? "match without the last column, which denies them"
                                        : "match, and are denied (16 bytes each)";
  return fmt::format("exceptions: {} given; {} {}{}", show_count(read_),
                     show_count(candidates_->exceptions().size()), denied,
                     conflicts == 0 ? "" : "; " + show_count(conflicts) + " are members, and stay in");
}

}  // namespace bloomery::cli
