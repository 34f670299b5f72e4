// The secret of a keyed hash: 128 random bits that a filter's keys are hashed under and that its file does
// not hold.
//
//   auto secret = HashSecret::generate();                       // from the operating system
//   secret->save_new("users.bloom.key");                        // 32 hexadecimal digits, mode 0600, never
//   replaced auto filter = BloomFilter::for_capacity(n, p, {.hash = keyed_hash(*secret)}); auto opened =
//   BloomFilter::open("users.bloom", {.secret = &*secret});
//
// Who does not know it cannot find keys that collide, share bits or match, other than by asking the filter.
// It does not hide what is in a filter from who may ask it, nor protect from keys that were found to match by
// asking (exceptions do), nor from more keys than the filter was made for. Whoever has the secret and the
// file can test any key; whoever has the file alone learns its size and its fill.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

struct HashSecret {
  std::array<std::uint8_t, 16> bytes = {};

  // 128 bits of the operating system's randomness.
  static Result<HashSecret> generate();
  // Reads what save_new() wrote. Errors: kNotFound; kInvalidArgument unless it is 32 hexadecimal digits and a
  // newline or none, and readable by its owner alone (no permission for group or others).
  static Result<HashSecret> load(const std::string& path);
  // Writes a file that must not exist, and waits until it would survive a crash. Errors: kInvalidArgument
  // where there is one, since it may be the secret of other filters; kIo.
  Status save_new(const std::string& path) const;

  // What a filter's file keeps of it: 64 bits of the hash of a fixed text, never 0. Tells secrets apart and
  // says nothing else of them.
  std::uint64_t id() const;

  friend bool operator==(const HashSecret&, const HashSecret&) = default;
};

}  // namespace bloomery
