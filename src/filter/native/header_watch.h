// Watches the header of a mapped file for updates in place by another process.
//
// It reads a shared mapping of the beginning of the file, which shows the other process's writes even if this
// process has its own copy of the same page. An update sets the dirty bit before it changes anything. When it
// ends, the number of keys or the checksum of the payload differs from before. An update that leaves both
// unchanged has changed nothing, or has removed exactly what it inserted.
//
// Invariant: if changed() is false, nothing that was read from the mapping before the call comes from such an
// update, except one that has left no trace. Not here: whether the other process is alive (native_file.cc).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/atomic_word.h"
#include "filter/native/native_header.h"

namespace bloomery {

class HeaderWatch {
 public:
  // The bytes of a file that are watched: the header, and the fixed part of the front of a windowed filter.
  static constexpr std::size_t kWatchedBytes = kNativeHeaderBytes + 64;

  // Watches nothing: changed() is false.
  HeaderWatch() = default;
  // The fields that an update in place changes. Two equal stamps mean that no update has begun or ended in
  // between.
  struct Stamp {
    std::uint16_t state_flags = 0;
    std::uint64_t inserted = 0;
    std::uint32_t payload_checksum = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };

  // Watches a header, which was clean and had the fields of `before`. `mapped` is a shared mapping of the
  // file's beginning.
  HeaderWatch(const std::byte* mapped, const NativeHeader& before)
      : mapped_(mapped), before_{.inserted = before.inserted, .payload_checksum = before.payload_checksum} {}

  // Returns true if another process has begun to update the file since it was opened. Costs three loads.
  bool changed() const { return mapped_ != nullptr && stamp() != before_; }
  // Returns true if a file is watched.
  bool is_on() const { return mapped_ != nullptr; }
  // Returns the present word at an offset of the file. Preconditions: is_on(); the offset is a multiple of 8
  // within the first kWatchedBytes.
  std::uint64_t word_at(std::size_t offset) const { return load<std::uint64_t>(offset); }

  // Returns the header's present stamp, or an empty one if nothing is watched.
  Stamp stamp() const {
    if (mapped_ == nullptr) {
      return {};
    }
    fence(std::memory_order_acquire);
    const Stamp now{.state_flags = load<std::uint16_t>(native_header::kStateFlagsAt),
                    .inserted = load<std::uint64_t>(native_header::kInsertedAt),
                    .payload_checksum = load<std::uint32_t>(native_header::kPayloadChecksumAt)};
    fence(std::memory_order_acquire);
    return now;
  }

 private:
  template <typename Field>
  Field load(std::size_t offset) const {
    return __atomic_load_n(reinterpret_cast<const Field*>(mapped_ + offset), __ATOMIC_RELAXED);
  }

  const std::byte* mapped_ = nullptr;
  Stamp before_;
};

}  // namespace bloomery
