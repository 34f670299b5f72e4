// The secret of a keyed hash: 128 random bits. The keys of a filter are hashed under it, and the filter's
// file does not hold it.
//
// Example:
//    auto secret = HashSecret::generate();                     // from the operating system
//    Status saved = secret->save_new("users.bloom.key");       // 32 hexadecimal digits, mode 0600
//    auto filter = BloomFilter::for_capacity(1000, 0.01, {.hash = keyed_hash(*secret)});
//    Status written = filter->save("users.bloom");
//    auto opened = BloomFilter::open("users.bloom", {.secret = &*secret});
//
// Somebody without the secret cannot find keys that collide, share bits or match, except by asking the
// filter.
//
// The secret does not protect against three things:
//
//   - Somebody who may ask the filter can find out what is in it.
//   - Keys that were found to match by asking go on matching, unless they become exceptions.
//   - Somebody may insert more keys than the filter was made for.
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

  // Takes 128 bits from the operating system's random number generator.
  static Result<HashSecret> generate();
  // Reads what save_new() wrote. Errors: kNotFound. Also kInvalidArgument unless the file has 32 lower-case
  // hexadecimal digits with or without a newline, and only its owner may read it (no permission for group or others).
  static Result<HashSecret> load(const std::string& path);
  // Writes a file that must not exist, and waits until it would survive a crash. Errors: kInvalidArgument if
  // the file exists, since it may be the secret of other filters; kIo.
  Status save_new(const std::string& path) const;

  // Returns what a filter's file keeps of the secret: 64 bits of the hash of a fixed text, never 0. It tells
  // secrets apart and reveals nothing else of them.
  std::uint64_t id() const;

  friend bool operator==(const HashSecret&, const HashSecret&) = default;
};

}  // namespace bloomery
