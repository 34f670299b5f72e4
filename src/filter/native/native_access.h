// The functions that other parts of the library need of a filter of any type, and a user does not.
#pragma once

#include "bloomery/filter/native_filter.h"
#include "filter/native/filter_body.h"

namespace bloomery {

struct NativeAccess {
  static FilterBody& body(NativeFilter& filter) { return filter.body(); }
  static KnownFiles& known_files(const NativeFilter& filter) { return filter.body().known; }
  // Saves as NativeFilter::save() does, which refuses.
  static Status save(const NativeFilter& filter, const std::string& path, const SaveTo& to,
                     IfChanged if_changed);
  static void clear(NativeFilter& filter) { filter.clear(); }
  static void require(bool kept, const char* rule) { NativeFilter::require(kept, rule); }
  static void require_room(std::span<const std::uint64_t> answers, std::size_t keys) {
    NativeFilter::require_room(answers, keys);
  }

  // Copies to `filter`, which takes the place of `replaced`, what `replaced` was given besides its plan:
  // note, width of digests, counts of keys and of withdrawn exceptions, secret.
  static void copy_state(NativeFilter& filter, const NativeFilter& replaced);
  // Moves what is known of files to `filter`, which takes the place of `replaced`. That is the lock of the file that both come
  // from (Access::kCopyLocked), and the state of each file that it was read from or saved to.
  static void move_files(NativeFilter& filter, NativeFilter& replaced);
  // Records that all keys are digests of so many bytes; 0: not known (KeyTreatment::digest_bytes).
  static void set_digest_bytes(NativeFilter& filter, std::uint16_t bytes) {
    filter.body().header.keys.digest_bytes = bytes;
  }
};

}  // namespace bloomery
