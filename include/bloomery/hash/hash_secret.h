// A HashSecret is the key of a keyed hash: 128 random bits. A filter hashes its keys under the secret, and
// its file does not contain the secret.
//
// Example:
//    auto secret = HashSecret::generate();                     // from the operating system
//    Status saved = secret->save_new("users.bloom.key");       // 32 hexadecimal digits, mode 0600
//    auto filter = BloomFilter::for_capacity(1000, 0.01, {.hash = keyed_hash(*secret)});
//    Status written = filter->save("users.bloom");
//    auto opened = BloomFilter::open("users.bloom", {.secret = &*secret});
//
// Without the secret, keys that collide, share bits or match can only be found by querying the filter.
//
// The secret does not protect against three things:
//
//   - Whoever may query the filter can find out its members.
//   - Keys that were found to be false positives remain so, unless they become exceptions.
//   - An attacker may insert more keys than the filter's capacity.
//
// Whoever has the secret and the file can test any key. Whoever has only the file learns its size and its
// fill.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

struct HashSecret {
  std::array<std::uint8_t, 16> bytes = {};

  // Draws 128 bits from the operating system's random number generator.
  static Result<HashSecret> generate();
  // Reads a file of save_new(). Errors: kNotFound. Also kInvalidArgument unless the file has 32 lower-case
  // hexadecimal digits with or without a newline, and only its owner may read it (no permission for group
  // or others).
  static Result<HashSecret> load(const std::string& path);
  // Writes a new file and waits until it would survive a crash. Errors: kInvalidArgument if the file
  // exists, since it may be the secret of other filters; kIo.
  Status save_new(const std::string& path) const;

  // Returns the id that a filter's file records: 64 bits of the hash of a fixed text, never 0. It
  // distinguishes secrets and reveals nothing else about them.
  std::uint64_t id() const;

  friend bool operator==(const HashSecret&, const HashSecret&) = default;
};

}  // namespace bloomery
