// A stream of bytes to read: a file, a pipe, or a decompressor.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at least one byte and at most out.size() bytes, as soon as there are any. Returns 0 at the end.
  // Precondition: !out.empty().
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
};

// Reads an open descriptor, which stays open. `name` appears in errors. If `stop` is given and becomes true,
// the stream ends there, even in a read that a signal interrupts.
std::unique_ptr<ByteSource> descriptor_source(int descriptor, std::string name,
                                              const std::atomic<bool>* stop = nullptr);

// Reads `bytes`, which must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes);

// Reads until `out` is full or the source ends. Returns the number of bytes read.
Result<std::size_t> read_fully(ByteSource& source, std::span<std::byte> out);

}  // namespace bloomery
