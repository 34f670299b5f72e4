#include "cli/dedup_state.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "base/file.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/secret_file.h"

namespace bloomery::cli {
namespace {

// The pause after a save lasts at least this many times as long as the save. So saves cost at most 1/20 of
// the time.
constexpr int kPauses = 19;

Status check_type(const AnyFilter& filter, const DedupWish& wish) {
  const FilterType wanted = wish.grows                   ? FilterType::kScalable
                            : wish.filter.window.empty() ? FilterType::kBlocked
                                                         : FilterType::kWindowed;
  const FilterType found = filter.native().type();
  // A growing state can be opened without --grows.
  if (found == FilterType::kScalable && wish.bounds_losses()) {
    return Error::invalid_argument(wish.strict ? "--strict" : "--max-loss",
                                   "expected a state of a fixed size, found one that grows");
  }
  if (found == wanted || (found == FilterType::kScalable && wish.filter.window.empty())) {
    return {};
  }
  const char* const hint = found == FilterType::kWindowed
                               ? " (--window N or DURATION as it was made with opens it)"
                           : wish.grows ? ", which does not grow; a new state does"
                                        : "";
  return Error::invalid_argument(
      wish.state, fmt::format("expected a {} filter, found a {} one{}", filter_type_name(wanted),
                              filter_type_name(found), hint));
}

// Checks that the window is measured by the times of the lines either in all runs or in none.
Status check_times(const std::optional<StateNote>& note, const DedupWish& wish) {
  const bool wanted = wish.time_place().has_value();
  const bool found = note && note->newest_ns;
  if (found == wanted || (!note && !wanted)) {
    return {};
  }
  return Error::invalid_argument(
      "--time-field", found ? "expected with this state, whose window is measured by the times of the lines"
                            : "contradicts the state, whose window is measured by when lines came");
}

void tell(const std::string& name, const NativeFilter& filter, const std::optional<StateNote>& note) {
  if (!note) {
    warn("dedup",
         fmt::format("state {}: {} put into it, by another verb", name,
                     filter.inserted() == 1 ? "1 key was" : show_count(filter.inserted()) + " keys were"));
    return;
  }
  warn("dedup", fmt::format("state {}: {} of {}, saved {}", name, show_count_of(note->kept, "key"),
                            show_count_of(note->lines, "line"), note->saved));
}

}  // namespace

Result<HashSpec> new_state_hash(const DedupWish& wish) {
  if (wish.keys.key_file().empty()) {
    return HashSpec{.id = HashId::kXxh3};  // the hash of earlier versions' states
  }
  BLOOMERY_ASSIGN_OR_RETURN(const HashSecret secret, HashSecret::load(wish.keys.key_file()));
  return keyed_hash(secret);
}

Result<std::unique_ptr<DedupState>> DedupState::open(const DedupWish& wish, EventClock* times) {
  const Result<FileFacts> facts = FileSystem::real().facts(wish.state);
  if (!facts && facts.error().code() == ErrorCode::kNotFound) {
    return std::unique_ptr<DedupState>();
  }
  const WindowClock clock = times != nullptr ? times->clock() : WindowClock();
  Result<AnyFilter> opened =
      open_filter(wish.state, wish.keys.key_file(),
                  {.access = Access::kCopyLocked, .clock = times != nullptr ? &clock : nullptr});
  if (!opened) {
    return opened.error().errno_value() == EWOULDBLOCK ? Error::in_use(wish.state) : opened.error();
  }
  AnyFilter filter = std::move(opened).value();
  BLOOMERY_RETURN_IF_ERROR(check_type(filter, wish));
  BLOOMERY_RETURN_IF_ERROR(KeyOptions::refuse_block_list(
      filter.key_treatment().form, wish.state, "lines are equal or not, and none stands for others"));
  BLOOMERY_RETURN_IF_ERROR(wish.keys.check_agrees_with(filter.native()));
  BLOOMERY_RETURN_IF_ERROR(wish.check_agrees_with(filter));
  const std::optional<StateNote> note = find_state_note(filter.native().metadata());
  BLOOMERY_RETURN_IF_ERROR(check_times(note, wish));
  if (times != nullptr && *note->newest_ns != 0) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    times->set(static_cast<std::int64_t>(std::min(*note->newest_ns, kMost)));
  }
  if (wish.summary.wanted()) {
    tell(wish.state, filter.native(), note);
  }
  std::unique_ptr<DedupState> state(new DedupState(wish, std::move(filter), times));
  state->before_ = note.value_or(StateNote{});
  state->keys_before_ = note ? note->kept
                        : state->filter_.native().inserted() == 0
                            ? 0
                            : static_cast<std::uint64_t>(state->filter_.estimated_count());
  state->due_ = LinePipeline::Clock::now() + wish.save_pause();
  return state;
}

Result<std::unique_ptr<DedupState>> DedupState::create(const DedupWish& wish, AnyFilter filter,
                                                       EventClock* times) {
  std::unique_ptr<DedupState> state(new DedupState(wish, std::move(filter), times));
  BLOOMERY_RETURN_IF_ERROR(state->save({}));
  return state;
}

Status DedupState::save(const DedupCounts& counts) {
  const auto start = LinePipeline::Clock::now();
  StateNote note{
      .lines = before_.lines + counts.lines, .kept = before_.kept + counts.kept, .saved = utc_now()};
  if (times_ != nullptr) {
    note.newest_ns = static_cast<std::uint64_t>(times_->newest_ns());
  }
  NativeFilter& native = filter_.native();
  BLOOMERY_RETURN_IF_ERROR(native.set_metadata(with_state_note(native.metadata(), note)));
  BLOOMERY_RETURN_IF_ERROR(native.save_and_hold(wish_.state));
  const auto end = LinePipeline::Clock::now();
  due_ = end + std::max<LinePipeline::Clock::duration>(wish_.save_pause(), kPauses * (end - start));
  return {};
}

}  // namespace bloomery::cli
