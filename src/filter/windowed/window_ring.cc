#include "filter/windowed/window_ring.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/atomic_word.h"
#include "base/endian.h"

namespace bloomery {
namespace {

// The words of the front. They are on disk since format version 1.
enum FrontWord : std::size_t {
  kPlanWord = 0,
  kLengthWord = 1,
  kCurrentWord = 2,
  kProgressWord = 3,
  kBootIdWords = 4,
  kSinceBootWord = 6,
  kTurnWord = 6,  // by count, and only during an update in place
  kWallWord = 7,
  kKeysWords = 8,
};
constexpr std::uint64_t kFixedWords = kKeysWords;

Error bad_word(std::size_t word, const char* field, const std::string& expected, std::uint64_t found) {
  return Error::corruption(
      "payload", kNativeHeaderBytes + word * 8,
      std::string(field) + ": expected " + expected + ", found " + std::to_string(found));
}

// The state of a ring some time after the clock reading in its front.
struct Passed {
  std::uint64_t due;       // rotations
  std::uint64_t progress;  // of the generation that is current after them
};

Passed passed_since(const ClockReading& reading, const ClockReading& now, std::uint64_t progress,
                    std::uint64_t length) {
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 63;
  const std::uint64_t since = progress + std::min(kLongest, elapsed_ns(reading, now));
  return {.due = since / length, .progress = since % length};
}

// Returns the fewest rotations with the effect of `times`: the same current table, and the same tables
// cleared. Returns fewer if their time would exceed 2^62 ns; the filter then remembers longer.
std::uint64_t shortest_as(const Window& window, std::uint64_t times) {
  const std::uint64_t tables = std::uint64_t{window.generations} + 1;
  const std::uint64_t shortest = times <= tables ? times : tables + times % tables;
  return std::min(shortest, kMaxWindow / window.generation_length());
}

ClockReading reading_in(const std::uint64_t* front) {
  ClockReading reading{.boot_id = {},
                       .since_boot_ns = front[kSinceBootWord],
                       .wall_ns = static_cast<std::int64_t>(front[kWallWord])};
  std::memcpy(reading.boot_id.data(), front + kBootIdWords, reading.boot_id.size());
  return reading;
}

Status check_state(const std::byte* front, const Window& window, WindowRing::Front state) {
  const auto word = [front](std::size_t i) { return load_little64(front + i * 8); };
  const bool by_age = window.kind == WindowKind::kAge;
  if (word(kCurrentWord) > window.generations) {
    return bad_word(kCurrentWord, "current generation", "at most " + std::to_string(window.generations),
                    word(kCurrentWord));
  }
  const std::uint64_t most = window.generation_length() - (by_age ? 1 : 0);
  if (word(kProgressWord) > most) {
    return bad_word(kProgressWord, "progress", "at most " + std::to_string(most), word(kProgressWord));
  }
  if (by_age && word(kSinceBootWord) >> 63 != 0) {
    return bad_word(kSinceBootWord, "time since boot", "less than 2^63", word(kSinceBootWord));
  }
  for (std::size_t i = kBootIdWords; i < kKeysWords; ++i) {
    const bool is_turn = i == kTurnWord && state == WindowRing::Front::kUnsettled;
    if (!by_age && word(i) != 0 && !is_turn) {
      return bad_word(i, "clock reading", "0 in a window of keys", word(i));
    }
  }
  const std::uint64_t words = WindowRing::front_bytes_for(window.generations) / 8;
  for (std::size_t i = kKeysWords + window.generations + 1; i < words; ++i) {
    if (word(i) != 0) {
      return bad_word(i, "reserved", "0", word(i));
    }
  }
  return {};
}

}  // namespace

WindowRing::WindowRing(std::span<std::byte> payload, const Window& window, WindowClock clock)
    : front_(reinterpret_cast<std::uint64_t*>(payload.data())),
      tables_(front_ + front_bytes_for(window.generations) / 8),
      table_words_((payload.size() - front_bytes_for(window.generations)) / 8 / (window.generations + 1)),
      window_(window),
      clock_(std::move(clock)) {}

std::unique_ptr<WindowRing> WindowRing::begun(std::span<std::byte> payload, const Window& window,
                                              WindowClock clock) {
  std::unique_ptr<WindowRing> ring(new WindowRing(payload, window, std::move(clock)));
  ring->front_[kPlanWord] = static_cast<std::uint64_t>(window.kind) | std::uint64_t{window.generations} << 32;
  ring->front_[kLengthWord] = window.length;
  ring->clear();
  return ring;
}

Result<Window> WindowRing::window_in(std::span<const std::byte> payload, Front front) {
  if (payload.size() < kFixedWords * 8) {
    return Error::corruption("native header", 88,
                             "payload bytes: expected at least 64, found " + std::to_string(payload.size()));
  }
  const Window window{.kind = static_cast<WindowKind>(load_little32(payload.data())),
                      .length = load_little64(payload.data() + kLengthWord * 8),
                      .generations = load_little32(payload.data() + 4)};
  if (const Status checked = check_window(window); !checked) {
    return Error::corruption("payload", kNativeHeaderBytes,
                             checked.error().subject() + ": " + checked.error().detail());
  }
  if (const std::uint64_t least = front_bytes_for(window.generations); payload.size() < least) {
    return Error::corruption("native header", 88,
                             "payload bytes: expected at least " + std::to_string(least) + ", found " +
                                 std::to_string(payload.size()));
  }
  BLOOMERY_RETURN_IF_ERROR(check_state(payload.data(), window, front));
  return window;
}

std::unique_ptr<WindowRing> WindowRing::resumed(const FilterBody& body, WindowClock clock) {
  const Result<Window> window = window_in(body.storage.bytes(), Front::kUnsettled);
  std::unique_ptr<WindowRing> ring(new WindowRing(body.storage.raw(), *window, std::move(clock)));
  ring->first_ = ring->front_[kCurrentWord];
  ring->doubtful_ = body.header.dirty && !body.is_writable();
  ring->shared_ = body.updated_file.has_value();
  ring->watch_ = body.watch;
  ring->follows_ = body.live;
  const std::uint64_t kept = body.header.dirty ? 0 : ring->front_[kProgressWord];
  if (ring->by_age()) {
    const ClockReading now = ring->clock_();
    const ClockReading reading = reading_in(ring->front_);
    const std::uint64_t length = ring->window_.generation_length();
    const auto [due, progress] = passed_since(body.header.dirty ? now : reading, now, kept, length);
    if (!body.is_writable() || body.copies_on_write()) {
      // A mapping is not written to, so that it shows other processes' writes. The first writer does the
      // rotations; until then, answers skip their tables. The origin is set so far back that the clock
      // demands these rotations.
      ring->origin_ns_ = now.since_boot_ns - progress - shortest_as(*window, due) * length;
      ring->noted_ = false;
    } else {
      ring->origin_ns_ = now.since_boot_ns - progress;
      ring->rotate(due);
      ring->first_ = ring->front_[kCurrentWord];
      ring->turn_ = 0;
      ring->note(later_of(reading, now), progress);
    }
  } else if (body.is_writable() && body.header.dirty) {
    relaxed_store(ring->front_[kProgressWord], 0);
  }
  return ring;
}

std::uint64_t WindowRing::due_in(std::span<const std::byte> payload, const Window& window,
                                 const ClockReading& now) {
  if (window.kind != WindowKind::kAge) {
    return 0;
  }
  const auto* const front = reinterpret_cast<const std::uint64_t*>(payload.data());
  const Passed passed =
      passed_since(reading_in(front), now, front[kProgressWord], window.generation_length());
  return std::min(shortest_as(window, passed.due), std::uint64_t{window.generations} + 1);
}

WindowRing::Rotated WindowRing::rotated_in(std::span<const std::byte> payload, const Window& window) {
  const auto* const front = reinterpret_cast<const std::uint64_t*>(payload.data());
  return {.current = front[kCurrentWord], .keys = {front + kKeysWords, window.generations + std::size_t{1}}};
}

void WindowRing::clear() {
  first_ = 0;
  turn_ = 0;
  noted_ = true;
  std::fill_n(front_ + kCurrentWord, byte_size() / 8 - kCurrentWord, 0);
  if (by_age()) {
    const ClockReading now = clock_();
    origin_ns_ = now.since_boot_ns;
    note(now, 0);
  }
}

std::vector<std::byte> WindowRing::image() const {
  const std::span<const std::byte> front = std::as_bytes(std::span(front_, byte_size() / 8));
  std::vector<std::byte> bytes(front.begin(), front.end());
  if (!by_age()) {
    std::fill_n(bytes.begin() + kTurnWord * 8, 8, std::byte{0});
  }
  return bytes;
}

void WindowRing::settle() {
  if (!by_age()) {
    relaxed_store(front_[kTurnWord], 0);
  }
}

std::uint64_t WindowRing::keys(std::uint64_t index) const {
  return relaxed_load(front_[kKeysWords + index]);
}

// Returns the nanoseconds since turn_ was 0. The result is 0 if the clock went back.
std::uint64_t WindowRing::since_origin(std::uint64_t since_boot_ns) const {
  const auto passed = static_cast<std::int64_t>(since_boot_ns - origin_ns_);
  return passed < 0 ? 0 : static_cast<std::uint64_t>(passed);
}

// Returns the number of rotations that the clock demands and that have not been done.
std::uint64_t WindowRing::missing(std::uint64_t turn, std::uint64_t since_boot_ns) const {
  const std::uint64_t wanted = since_origin(since_boot_ns) / window_.generation_length();
  return wanted - std::min(wanted, turn / 2);
}

WindowRing::View WindowRing::view_at(std::uint64_t turn, std::uint64_t since_boot_ns) const {
  const std::uint64_t length = window_.generation_length();
  const std::uint64_t passed = since_origin(since_boot_ns);
  const bool behind = passed / length < turn / 2;  // the reading is older than the last rotation
  return {.turn = turn,
          .current = (first_ + turn / 2) % tables(),
          .due = std::min(missing(turn, since_boot_ns), tables()),
          .progress = behind ? 0 : passed % length};
}

// Returns a word of the front from the file. The page of `front_` becomes a private copy once this process
// writes to it.
std::uint64_t WindowRing::file_word(std::size_t word) const {
  return watch_.is_on() ? watch_.word_at(kNativeHeaderBytes + word * 8) : relaxed_load(front_[word]);
}

bool WindowRing::follows() const {
  if (follows_.load(std::memory_order_relaxed)) {
    return true;
  }
  if (watch_.changed()) {
    follows_.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

WindowRing::View WindowRing::view() const {
  if (follows()) {
    View view{.turn = 0,
              .current = 0,
              .due = 0,
              .progress = 0,
              .follows = true,
              .file_current = file_word(kCurrentWord),
              .file_turn = file_word(kTurnWord),
              .header = watch_.stamp()};
    view.current = std::min(view.file_current, tables() - 1);
    fence(std::memory_order_acquire);
    return view;
  }
  const std::uint64_t turn = turn_.load(std::memory_order_acquire);
  if (by_age()) {
    return view_at(turn, clock_().since_boot_ns);
  }
  return held_view();
}

WindowRing::View WindowRing::held_view() const {
  const std::uint64_t turn = turn_.load(std::memory_order_acquire);
  return {.turn = turn,
          .current = (first_ + turn / 2) % tables(),
          .due = 0,
          .progress = doubtful_ ? 0 : relaxed_load(front_[kProgressWord])};
}

bool WindowRing::unchanged(const View& view) const {
  // The fence orders the reads of bits before this read of turn_.
  fence(std::memory_order_acquire);
  if (view.follows) {
    return file_word(kCurrentWord) == view.file_current && file_word(kTurnWord) == view.file_turn &&
           watch_.stamp() == view.header;
  }
  return turn_.load(std::memory_order_relaxed) == view.turn && !follows();
}

void WindowRing::rotate(std::uint64_t times) {
  if (times == 0) {
    return;
  }
  const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
  const std::uint64_t current = (first_ + turn / 2) % tables();
  // From here on the turn is odd, so readers do not trust a no that they have read. With the fence, a reader
  // that reads a cleared word sees the odd turn in unchanged().
  turn_.store(turn + 1, std::memory_order_release);
  // Readers in other processes see the rotation by these words of the file.
  relaxed_store(front_[kCurrentWord], (current + times % tables()) % tables());
  if (shared_ && !by_age()) {
    relaxed_store(front_[kTurnWord], relaxed_load(front_[kTurnWord]) + 1);
  }
  fence(std::memory_order_release);
  for (std::uint64_t i = 1; i <= std::min(times, tables()); ++i) {
    const std::uint64_t oldest = (current + i) % tables();
    for (std::uint64_t word = 0; word < table_words_; ++word) {
      relaxed_store(table(oldest)[word], 0);
    }
    relaxed_store(front_[kKeysWords + oldest], 0);
  }
  relaxed_store(front_[kProgressWord], 0);
  turn_.store(turn + 2 * times, std::memory_order_release);
}

void WindowRing::advance() {
  if (!by_age()) {
    return;
  }
  const ClockReading now = clock_();
  const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
  const View view = view_at(turn, now.since_boot_ns);
  rotate(missing(turn, now.since_boot_ns));
  if (!noted_ || now.since_boot_ns >= relaxed_load(front_[kSinceBootWord])) {
    noted_ = true;
    note(later_of(reading_in(front_), now), view.progress);
  }
}

std::uint64_t WindowRing::room() {
  if (by_age()) {
    return ~std::uint64_t{0};
  }
  if (relaxed_load(front_[kProgressWord]) == window_.generation_length()) {
    rotate(1);
  }
  return window_.generation_length() - relaxed_load(front_[kProgressWord]);
}

void WindowRing::count_current(std::uint64_t keys) {
  const std::uint64_t current = (first_ + turn_.load(std::memory_order_relaxed) / 2) % tables();
  count_merged(current, keys);
  if (!by_age()) {
    relaxed_store(front_[kProgressWord], relaxed_load(front_[kProgressWord]) + keys);
  }
}

void WindowRing::count_merged(std::uint64_t index, std::uint64_t keys) {
  std::uint64_t& word = front_[kKeysWords + index];
  relaxed_store(word, relaxed_load(word) + keys);
}

void WindowRing::note(const ClockReading& reading, std::uint64_t progress) {
  std::array<std::uint64_t, 2> boot_id{};
  std::memcpy(boot_id.data(), reading.boot_id.data(), reading.boot_id.size());
  relaxed_store(front_[kBootIdWords], boot_id[0]);
  relaxed_store(front_[kBootIdWords + 1], boot_id[1]);
  relaxed_store(front_[kSinceBootWord], reading.since_boot_ns);
  relaxed_store(front_[kWallWord], static_cast<std::uint64_t>(reading.wall_ns));
  relaxed_store(front_[kProgressWord], progress);
}

}  // namespace bloomery
