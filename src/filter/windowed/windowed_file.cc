#include "filter/windowed/windowed_file.h"

#include <algorithm>
#include <array>
#include <functional>

#include "bloomery/filter/windowed_sizing.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/windowed/window_ring.h"
#include "filter/windowed/windowed_header.h"

namespace bloomery {
namespace {

constexpr std::size_t kHashesAtOnce = 1024;

}  // namespace

Status WindowedFile::finish(const NativeHeader& header, std::span<const std::byte> file) {
  const auto payload = file.subspan(header.payload_offset(), header.payload_bytes);
  BLOOMERY_ASSIGN_OR_RETURN(window_, WindowRing::window_in(payload));
  BLOOMERY_ASSIGN_OR_RETURN(shape_, windowed_shape_of(header, window_));
  if (const std::uint64_t expected = windowed_bytes(shape_, window_); payload.size() != expected) {
    return bad_header_field(native_header::kPayloadBytesAt, "payload bytes", std::to_string(expected),
                            payload.size());
  }
  exceptions_ = ExceptionTable::over(file.subspan(header.exception_offset(), header.exception_bytes),
                                     header.exceptions);
  payload_ = payload;
  return {};
}

std::uint64_t WindowedFile::remembered_generations(const ClockReading& now) const {
  return std::uint64_t{window_.generations} + 1 - WindowRing::due_in(payload_, window_, now);
}

std::uint64_t WindowedFile::table_of_age(std::uint64_t age) const {
  const std::uint64_t tables = std::uint64_t{window_.generations} + 1;
  return (WindowRing::rotated_in(payload_, window_).current + tables - age) % tables;
}

void WindowedFile::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers,
                               const ClockReading& now) const {
  const std::uint64_t generations = remembered_generations(now);
  // The kernel accepts only writable words, but a query does not write.
  auto* const words = const_cast<std::uint64_t*>(reinterpret_cast<const std::uint64_t*>(
      payload_.data() + WindowRing::front_bytes_for(window_.generations)));
  std::array<std::uint64_t, kHashesAtOnce / 64> in_one;
  for (std::size_t done = 0; done < hashes.size(); done += kHashesAtOnce) {
    const auto some = hashes.subspan(done, std::min(kHashesAtOnce, hashes.size() - done));
    const auto in_any = answers.subspan(done / 64, (some.size() + 63) / 64);
    std::ranges::fill(in_any, 0);
    for (std::uint64_t age = 0; age < generations; ++age) {
      const BlockedTable table = blocked_table(words + table_of_age(age) * shape_.words, shape_);
      chosen_blocked_kernel().may_contain_batch(table, some, in_one.data());
      std::ranges::transform(in_any, in_one, in_any.begin(), std::bit_or<>());
    }
  }
  exceptions_.clear_excepted(hashes, answers);
}

WindowedFile::Remembered WindowedFile::remembered(const ClockReading& now) const {
  Remembered remembered{.generations = remembered_generations(now)};
  for (std::uint64_t age = 0; age < remembered.generations; ++age) {
    remembered.keys += WindowRing::rotated_in(payload_, window_).keys[table_of_age(age)];
  }
  return remembered;
}

}  // namespace bloomery
