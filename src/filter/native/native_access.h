// Internal functions on a filter of any type, for other modules of the library.
#pragma once

#include "bloomery/filter/native_filter.h"
#include "filter/native/filter_body.h"

namespace bloomery {

struct NativeAccess {
  static FilterBody& body(NativeFilter& filter) { return filter.body(); }
  static KnownFiles& known_files(const NativeFilter& filter) { return filter.body().known; }
  // Saves like NativeFilter::save(), but with a choice of `if_changed`. NativeFilter::save() refuses.
  static Status save(const NativeFilter& filter, const std::string& path, const SaveTo& to,
                     IfChanged if_changed);
  static void clear(NativeFilter& filter) { filter.clear(); }
  static void require(bool kept, const char* rule) { NativeFilter::require(kept, rule); }
  static void require_room(std::span<const std::uint64_t> answers, std::size_t keys) {
    NativeFilter::require_room(answers, keys);
  }

  // Copies the state of `replaced` except its plan to `filter`, which replaces it: note, width of digests,
  // counts of keys and of withdrawn exceptions, secret.
  static void copy_state(NativeFilter& filter, const NativeFilter& replaced);
  // Moves the lock of the opened file (Access::kCopyLocked) and the known files of `replaced` to `filter`,
  // which replaces it.
  static void move_files(NativeFilter& filter, NativeFilter& replaced);
  // Records that all keys are digests of `bytes` bytes; 0: unknown (KeyTreatment::digest_bytes).
  static void set_digest_bytes(NativeFilter& filter, std::uint16_t bytes) {
    filter.body().header.keys.digest_bytes = bytes;
  }
};

}  // namespace bloomery
