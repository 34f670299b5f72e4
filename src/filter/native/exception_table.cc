#include "filter/native/exception_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <string>
#include <tuple>
#include <utility>

#include "base/endian.h"
#include "base/prefetch.h"

namespace bloomery {
namespace {

static_assert(std::endian::native == std::endian::little && sizeof(Hash128) == kExceptionBytes,
              "entries are used as they lie in the file");

bool is_less(const Hash128& a, const Hash128& b) {
  return std::tie(a.low, a.high) < std::tie(b.low, b.high);
}

}  // namespace

ExceptionTable::ExceptionTable(std::span<std::byte> bytes, bool writable, std::uint64_t live)
    : words_(reinterpret_cast<std::uint64_t*>(bytes.data())),
      count_(bytes.size() / kExceptionBytes),
      writable_(writable) {
  assert(bytes.size() % kExceptionBytes == 0);
  assert(reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(std::uint64_t) == 0);
  if (count_ == 0) {
    return;
  }
  shared_ = std::make_unique<Shared>(live);
  first_low_ = entry(0).low;
  const std::uint64_t range = entry(count_ - 1).low - first_low_;
  const int bitmap_bits = std::max(6, static_cast<int>(std::bit_width(count_ - 1)) + 4);
  bitmap_shift_ = static_cast<unsigned>(64 - bitmap_bits);
  bitmap_.resize(std::size_t{1} << (bitmap_bits - 6));
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint64_t position = bitmap_position(entry(i).low);
    bitmap_[position / 64] |= std::uint64_t{1} << (position % 64);
  }
  entries_per_low_ = range == 0 ? 0 : static_cast<double>(count_ - 1) / static_cast<double>(range);
}

ExceptionTable ExceptionTable::of(std::vector<Hash128> hashes) {
  std::sort(hashes.begin(), hashes.end(), is_less);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  ExceptionTable table(std::as_writable_bytes(std::span(hashes)), true, hashes.size());
  table.owned_ = std::move(hashes);  // the entries keep their addresses
  return table;
}

ExceptionTable ExceptionTable::over(std::span<std::byte> bytes, std::uint64_t live) {
  return {bytes, true, live};
}

ExceptionTable ExceptionTable::over(std::span<const std::byte> bytes, std::uint64_t live) {
  // The bytes are never written, because writable_ is false.
  return {{const_cast<std::byte*>(bytes.data()), bytes.size()}, false, live};
}

ExceptionTable ExceptionTable::mended(std::span<std::byte> bytes) {
  auto* const entries = reinterpret_cast<Hash128*>(bytes.data());
  const std::span<Hash128> all(entries, bytes.size() / kExceptionBytes);
  std::ranges::sort(all, is_less);
  std::uint64_t live = all.empty() ? 0 : 1;
  for (std::size_t i = 1; i < all.size(); ++i) {
    live += static_cast<std::uint64_t>(all[i] != all[i - 1]);
  }
  return over(bytes, live);
}

Status ExceptionTable::check(std::span<const std::byte> bytes, std::uint64_t live) {
  assert(bytes.size() % kExceptionBytes == 0);
  Hash128 before;
  std::uint64_t different = 0;
  for (std::size_t offset = 0; offset < bytes.size(); offset += kExceptionBytes) {
    const std::byte* const at = bytes.data() + offset;
    const Hash128 found = {.low = load_little64(at), .high = load_little64(at + 8)};
    if (is_less(found, before)) {
      return Error::corruption("exception table", offset,
                               "expected entries in ascending order, found one below that before it");
    }
    different += static_cast<std::uint64_t>(offset == 0 || found != before);
    before = found;
  }
  if (live != 0 && different != live) {
    return Error::corruption(
        "exception table", 0,
        "expected " + std::to_string(live) + " different entries, found " + std::to_string(different));
  }
  return {};
}

bool ExceptionTable::contains(const Hash128& hash) const {
  return !empty() && may_begin(hash.low) &&
         contains_near(hash, corrected_position(likely_position(hash.low), hash.low));
}

void ExceptionTable::clear_excepted(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  if (empty()) {
    return;
  }
  for (std::size_t done = 0; done < hashes.size(); done += 64) {
    const std::size_t count = std::min<std::size_t>(64, hashes.size() - done);
    std::uint64_t& answer = answers[done / 64];
    const std::uint64_t asked = answer & (~std::uint64_t{0} >> (64 - count));
    if (asked != 0) {
      answer &= ~excepted(hashes.subspan(done, count), asked);
    }
  }
}

// Returns the bits of `asked` whose hash is in the table. The cache misses of different hashes overlap, since
// each round prefetches for all hashes: first the bitmap words, then the lines where entries should be, and
// then the lines of the corrected positions.
std::uint64_t ExceptionTable::excepted(std::span<const Hash128> hashes, std::uint64_t asked) const {
  std::array<std::size_t, 64> positions;
  const auto for_each_asked = [&](auto&& visit) {
    for (std::uint64_t left = asked; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      visit(i, hashes[i]);
    }
  };
  for_each_asked(
      [&](std::size_t, const Hash128& hash) { prefetch_to_read(&bitmap_[bitmap_position(hash.low) / 64]); });
  std::uint64_t possible = 0;
  for_each_asked([&](std::size_t i, const Hash128& hash) {
    possible |= static_cast<std::uint64_t>(may_begin(hash.low)) << i;
  });
  asked = possible;
  for_each_asked([&](std::size_t i, const Hash128& hash) {
    positions[i] = likely_position(hash.low);
    prefetch(positions[i]);
  });
  for_each_asked([&](std::size_t i, const Hash128& hash) {
    positions[i] = corrected_position(positions[i], hash.low);
    prefetch(positions[i]);
  });
  std::uint64_t found = 0;
  for_each_asked([&](std::size_t i, const Hash128& hash) {
    found |= static_cast<std::uint64_t>(contains_near(hash, positions[i])) << i;
  });
  return found;
}

bool ExceptionTable::withdraw(const Hash128& hash) {
  assert(is_writable());
  if (empty()) {
    return false;
  }
  const std::lock_guard lock(shared_->mutex);
  const std::size_t begin = lower_bound(hash, likely_position(hash.low));
  if (empty() || begin == count_ || entry(begin) != hash) {
    return false;
  }
  std::size_t end = begin + 1;
  while (end < count_ && entry(end) == hash) {
    ++end;
  }
  if (end - begin == count_) {
    shared_->live.store(0, std::memory_order_relaxed);
    return true;
  }
  overwrite(begin, end, begin > 0 ? entry(begin - 1) : entry(end));
  shared_->live.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

void ExceptionTable::overwrite(std::size_t begin, std::size_t end, const Hash128& value) {
  const std::uint64_t version = shared_->version.load(std::memory_order_relaxed);
  // This store precedes those of the words, since they are release stores.
  shared_->version.store(version + 1, std::memory_order_relaxed);
  for (std::size_t i = begin; i < end; ++i) {
    store(i, value);
  }
  shared_->version.store(version + 2, std::memory_order_release);
}

std::span<const std::byte> ExceptionTable::bytes() const {
  if (shared_ == nullptr) {
    return {};
  }
  return std::as_bytes(std::span(words_, count_ * (kExceptionBytes / sizeof(std::uint64_t))));
}

std::vector<Hash128> ExceptionTable::entries() const {
  std::vector<Hash128> different;
  if (shared_ == nullptr) {
    return different;
  }
  const std::lock_guard lock(shared_->mutex);
  different.reserve(std::min<std::uint64_t>(live(), count_));
  for (std::size_t i = 0; i < count_ && !empty(); ++i) {
    if (i == 0 || entry(i) != different.back()) {
      different.push_back(entry(i));
    }
  }
  return different;
}

// Uses built-in atomics because std::atomic_ref accepts no const memory before C++26.
Hash128 ExceptionTable::entry(std::size_t index) const {
  return {.low = __atomic_load_n(&words_[2 * index], __ATOMIC_ACQUIRE),
          .high = __atomic_load_n(&words_[2 * index + 1], __ATOMIC_ACQUIRE)};
}

void ExceptionTable::store(std::size_t index, const Hash128& hash) {
  __atomic_store_n(&words_[2 * index], hash.low, __ATOMIC_RELEASE);
  __atomic_store_n(&words_[2 * index + 1], hash.high, __ATOMIC_RELEASE);
}

std::size_t ExceptionTable::likely_position(std::uint64_t low) const {
  if (low <= first_low_) {
    return 0;
  }
  const double position = static_cast<double>(low - first_low_) * entries_per_low_;
  return position < static_cast<double>(count_ - 1) ? static_cast<std::size_t>(position) : count_ - 1;
}

// Returns where `low` should be, judged by the entry at `position`.
std::size_t ExceptionTable::corrected_position(std::size_t position, std::uint64_t low) const {
  const std::uint64_t found = entry(position).low;
  const std::uint64_t distance = low < found ? found - low : low - found;
  const double steps = static_cast<double>(distance) * entries_per_low_;
  const std::size_t steps_max = low < found ? position : count_ - 1 - position;
  const std::size_t taken =
      steps < static_cast<double>(steps_max) ? static_cast<std::size_t>(steps) : steps_max;
  return low < found ? position - taken : position + taken;
}

void ExceptionTable::prefetch(std::size_t position) const {
  prefetch_to_read(&words_[2 * position]);
}

// Returns the first entry not less than `hash`. Searches from `position` on in doubling steps. Terminates
// even if the entries change meanwhile. Precondition: position < count_.
std::size_t ExceptionTable::lower_bound(const Hash128& hash, std::size_t position) const {
  std::size_t begin = 0;  // the result is in [begin, end]
  std::size_t end = count_;
  const auto narrow_at = [&](std::size_t index) {
    const bool is_right = is_less(entry(index), hash);
    (is_right ? begin : end) = is_right ? index + 1 : index;
    return is_right;
  };
  if (narrow_at(position)) {
    for (std::size_t step = 1; step <= end - begin && narrow_at(begin + step - 1); step *= 2) {
    }
  } else {
    for (std::size_t step = 1; step <= end - begin && !narrow_at(end - step); step *= 2) {
    }
  }
  while (begin < end) {
    narrow_at(begin + (end - begin) / 2);
  }
  return begin;
}

bool ExceptionTable::holds(const Hash128& hash, std::size_t position) const {
  const std::size_t index = lower_bound(hash, corrected_position(position, hash.low));
  return index < count_ && entry(index) == hash && !empty();
}

bool ExceptionTable::contains_near(const Hash128& hash, std::size_t position) const {
  // An even, unchanged version means that no withdrawal overlapped the search. Otherwise the search is
  // repeated under the mutex.
  const std::uint64_t version = shared_->version.load(std::memory_order_acquire);
  const bool found = holds(hash, position);
  if (version % 2 == 0 && shared_->version.load(std::memory_order_relaxed) == version) {
    return found;
  }
  const std::lock_guard lock(shared_->mutex);
  return holds(hash, position);
}

}  // namespace bloomery
