#include "bloomery/filter/windowed_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/bit_count.h"
#include "bloomery/filter/sizing.h"
#include "bloomery/filter/windowed_sizing.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/native/filter_body.h"
#include "filter/windowed/window_ring.h"
#include "filter/windowed/windowed_header.h"

namespace bloomery {
namespace {

// test_and_insert_batch prefetches the cache lines of the key that is this many keys ahead.
constexpr std::size_t kWindowedTestAhead = 8;
// The keys of a batch that are answered after one reading of the clock.
constexpr std::size_t kQueriesALook = 4096;
// The number of rotations that may overtake a query before it waits for the mutex.
constexpr int kMostOvertakings = 8;

BlockedTable window_table(const WindowRing& ring, std::uint64_t index, const BlockedShape& shape) {
  return blocked_table(ring.table(index), shape);
}

WindowClock clock_of(const WindowClock* given) {
  return given == nullptr ? WindowClock(read_machine_clock) : *given;
}

bool is_live_in(const WindowRing& ring, const WindowRing::View& view, const BlockedShape& shape,
                std::uint64_t hash) {
  const BlockedKernel& kernel = chosen_blocked_kernel();
  for (std::uint64_t age = view.due; age < ring.tables(); ++age) {
    if (kernel.one.may_contain(window_table(ring, ring.table_of_age(view, age), shape), hash)) {
      return true;
    }
  }
  return false;
}

std::string described(const Window& window) {
  return std::to_string(window.length) + (window.kind == WindowKind::kCount ? " keys" : " ns") + " in " +
         std::to_string(window.generations) + " generations";
}

}  // namespace

WindowedFilter::WindowedFilter(const BlockedShape& shape, std::unique_ptr<FilterBody> body, WindowRing* ring)
    : NativeFilter(std::move(body)), shape_(shape), ring_(ring) {}

Result<WindowedFilter> WindowedFilter::for_capacity(std::uint64_t capacity, double fpp,
                                                    const FilterOptions& options) {
  const Window& window = options.window;
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape,
                            windowed_shape_for_fpp(capacity, fpp, window, options.setting));
  const std::uint64_t keys = window.kind == WindowKind::kCount ? window.length : capacity;
  BLOOMERY_ASSIGN_OR_RETURN(
      auto body, new_body(FilterType::kWindowed, windowed_bytes(shape, window), keys, fpp, options));
  body->header.bits = (std::uint64_t{window.generations} + 1) * shape.bits();
  body->header.hash_count = shape.hash_count;
  body->header.stride_bytes = static_cast<std::uint16_t>(shape.setting);
  auto ring = WindowRing::begun(body->storage.raw(), window, clock_of(options.clock));
  WindowRing* const in_body = ring.get();
  body->front = std::move(ring);
  return WindowedFilter(shape, std::move(body), in_body);
}

Result<WindowedFilter> WindowedFilter::from_body(std::unique_ptr<FilterBody> body, WindowClock clock) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kWindowed, header.payload_bytes));
  BLOOMERY_ASSIGN_OR_RETURN(const Window window,
                            WindowRing::window_in(body->storage.bytes(), WindowRing::front_of(*body)));
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, windowed_shape_of(header, window));
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kWindowed, windowed_bytes(shape, window)));
  auto ring = WindowRing::resumed(*body, std::move(clock));
  WindowRing* const in_body = ring.get();
  body->front = std::move(ring);
  return WindowedFilter(shape, std::move(body), in_body);
}

Result<WindowedFilter> WindowedFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body), clock_of(options.clock)), path);
}

Result<WindowedFilter> WindowedFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body), clock_of(options.clock));
}

// ---- writers

bool WindowedFilter::insert(const Hash128& hash) {
  insert_batch({&hash, 1});
  return true;
}

std::uint64_t WindowedFilter::insert_batch(std::span<const Hash128> hashes, Sharing sharing) {
  require_writable();
  if (hashes.empty()) {
    return 0;
  }
  const std::lock_guard lock(ring_->mutex());
  ring_->advance();
  count_inserted(hashes.size());
  while (!hashes.empty()) {
    const auto taken = hashes.first(std::min<std::uint64_t>(hashes.size(), ring_->room()));
    const BlockedTable current = window_table(*ring_, ring_->held_view().current, shape_);
    if (taken.size() == 1) {
      chosen_blocked_kernel().one.insert(current, taken.front().low);
    } else {
      chosen_blocked_kernel().insert_batch(current, taken, sharing);
    }
    withdraw_exceptions(taken);
    ring_->count_current(taken.size());
    hashes = hashes.subspan(taken.size());
  }
  return 0;
}

TestedInsert WindowedFilter::test_and_insert(const Hash128& hash) {
  std::uint64_t answer = 0;
  test_and_insert_batch({&hash, 1}, {&answer, 1});
  return {.is_new = answer != 0};
}

std::uint64_t WindowedFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers, Sharing) {
  require_writable();
  require_room(answers, hashes.size());
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  const std::lock_guard lock(ring_->mutex());
  ring_->advance();
  const bool far = prefetches(window_table(*ring_, 0, shape_));
  const std::size_t ahead = far ? kWindowedTestAhead : hashes.size();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      for (std::uint64_t index = 0; index < ring_->tables(); ++index) {
        prefetch_window(place_of(window_table(*ring_, index, shape_), hashes[i + ahead].low));
      }
    }
    (void)ring_->room();
    const WindowRing::View view = ring_->held_view();
    const bool is_new = !is_live_in(*ring_, view, shape_, hashes[i].low);
    chosen_blocked_kernel().one.insert(window_table(*ring_, view.current, shape_), hashes[i].low);
    answers[i / 64] |= static_cast<std::uint64_t>(withdraw_exception(hashes[i]) || is_new) << (i % 64);
    ring_->count_current(1);
  }
  count_inserted(hashes.size());
  return 0;
}

void WindowedFilter::advance() {
  require_writable();
  const std::lock_guard lock(ring_->mutex());
  ring_->advance();
}

Status WindowedFilter::merge(const WindowedFilter& other) {
  if (const Window& theirs = other.window(); theirs != window()) {
    return Error::invalid_argument("merge", "expected filters of one plan, found different window (" +
                                                described(window()) + " and " + described(theirs) + ")");
  }
  BLOOMERY_RETURN_IF_ERROR(merge_plan(other, common_exceptions(*this, other)));
  // The other filter's view is read first. Time that passes before ours is read makes its generations look
  // younger, so its keys are remembered longer, never shorter.
  const WindowRing::View theirs = other.ring_->view();
  ring_->advance();
  const WindowRing::View ours = ring_->held_view();
  const bool they_are_younger = theirs.progress < ours.progress;
  for (std::uint64_t age = theirs.due; age < ring_->tables(); ++age) {
    const std::uint64_t from = other.ring_->table_of_age(theirs, age);
    const std::uint64_t into = ring_->table_of_age(ours, they_are_younger && age > 0 ? age - 1 : age);
    std::uint64_t* const words = ring_->table(into);
    std::transform(words, words + shape_.words, other.ring_->table(from), words, std::bit_or<>());
    ring_->count_merged(into, other.ring_->keys(from));
  }
  return {};
}

// ---- readers

// Retries `ask` until no rotation has overlapped it. After kMostOvertakings attempts it holds the mutex,
// which blocks rotations. `ask` returns true if its answer, such as a maybe, holds in spite of rotations.
// Returns false if no answer holds, because another process rotates too often.
template <typename Ask>
bool WindowedFilter::ask_steadily(Ask ask) const {
  for (int i = 0; i < kMostOvertakings; ++i) {
    const WindowRing::View view = ring_->view();
    if (ask(view) || ring_->unchanged(view)) {
      return true;
    }
  }
  const std::lock_guard lock(ring_->mutex());
  const WindowRing::View view = ring_->view();
  return ask(view) || ring_->unchanged(view);
}

bool WindowedFilter::may_contain(const Hash128& hash) const {
  bool is_in = false;
  const bool holds = ask_steadily(
      [&](const WindowRing::View& view) { return is_in = is_live_in(*ring_, view, shape_, hash.low); });
  return (is_in || !holds) && !is_exception(hash);
}

void WindowedFilter::may_contain_batch(std::span<const Hash128> hashes,
                                       std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  for (std::size_t done = 0; done < hashes.size(); done += kQueriesALook) {
    const auto asked = hashes.subspan(done, std::min(hashes.size() - done, kQueriesALook));
    ask_batch(asked, answers.subspan(done / 64, answer_words(asked.size())));
  }
  clear_exceptions(hashes, answers);
}

void WindowedFilter::ask_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::array<std::uint64_t, kQueriesALook / 64> in_one;
  const bool holds = ask_steadily([&](const WindowRing::View& view) {
    std::ranges::fill(answers, 0);
    for (std::uint64_t age = view.due; age < ring_->tables(); ++age) {
      const BlockedTable table = window_table(*ring_, ring_->table_of_age(view, age), shape_);
      chosen_blocked_kernel().may_contain_batch(table, hashes, in_one.data());
      std::ranges::transform(answers, in_one, answers.begin(), std::bit_or<>());
    }
    return false;
  });
  // If rotations overtook the batch too often, each key is queried alone, which is too short for many
  // rotations.
  for (std::size_t i = 0; !holds && i < hashes.size(); ++i) {
    answers[i / 64] |= std::uint64_t{may_contain(hashes[i])} << (i % 64);
  }
}

const Window& WindowedFilter::window() const {
  return ring_->window();
}

std::uint64_t WindowedFilter::generation_capacity() const {
  return windowed_generation_capacity(capacity(), window());
}

std::vector<WindowGeneration> WindowedFilter::generations() const {
  const WindowRing::View view = ring_->view();
  const std::uint64_t length = window().generation_length();
  std::vector<WindowGeneration> generations(ring_->tables());
  for (std::uint64_t age = 0; age < generations.size(); ++age) {
    generations[age] = {.keys = age < view.due ? 0 : ring_->keys(ring_->table_of_age(view, age)),
                        .newest_age = age == 0 ? 0 : view.progress + (age - 1) * length,
                        .oldest_age = view.progress + age * length};
  }
  return generations;
}

// Returns the indices of the live tables.
std::vector<std::uint64_t> WindowedFilter::live_tables() const {
  const WindowRing::View view = ring_->view();
  std::vector<std::uint64_t> live;
  for (std::uint64_t age = view.due; age < ring_->tables(); ++age) {
    live.push_back(ring_->table_of_age(view, age));
  }
  return live;
}

double WindowedFilter::estimated_count(std::uint64_t table) const {
  return estimated_key_count(shape_, count_set_bits({ring_->table(table), shape_.words}));
}

double WindowedFilter::fill_ratio() const {
  std::uint64_t set = 0;
  for (const std::uint64_t table : live_tables()) {
    set += count_set_bits({ring_->table(table), shape_.words});
  }
  return static_cast<double>(set) /
         (static_cast<double>(shape_.bits()) * static_cast<double>(ring_->tables()));
}

double WindowedFilter::current_fpp() const {
  double all_deny = 0;  // logarithm of the probability that all tables deny a key
  for (const std::uint64_t table : live_tables()) {
    all_deny +=
        std::log1p(-predicted_fpp(shape_, static_cast<std::uint64_t>(std::llround(estimated_count(table)))));
  }
  return 0 - std::expm1(all_deny);  // of an empty filter 0, and not -0
}

double WindowedFilter::estimated_count() const {
  double count = 0;
  for (const std::uint64_t table : live_tables()) {
    count += estimated_count(table);
  }
  return count;
}

bool WindowedFilter::over_capacity() const {
  const std::uint64_t most = generation_capacity();
  return std::ranges::any_of(live_tables(), [&](std::uint64_t table) {
    return ring_->keys(table) > most && clearly_exceeds(estimated_count(table), most);
  });
}

}  // namespace bloomery
