// Writes one gzip member (RFC 1952) through zlib, at its usual level, without a name or a time.
//
// Calls: append* finish. decompress.h reads gzip.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "bloomery/base/result.h"

namespace bloomery {

class GzipWriter {
 public:
  // Receives the next compressed bytes. Its first error ends the writing.
  using Sink = std::function<Status(std::span<const std::byte>)>;

  // Keeps a reference to `sink`. Errors: kCapacity.
  static Result<GzipWriter> create(const Sink& sink);
  GzipWriter(GzipWriter&&) noexcept;
  GzipWriter& operator=(GzipWriter&&) noexcept;
  ~GzipWriter();

  Status append(std::span<const std::byte> bytes);
  // Call it once; nothing may be appended afterwards.
  Status finish();

 private:
  struct Stream;

  explicit GzipWriter(std::unique_ptr<Stream> stream);

  std::unique_ptr<Stream> stream_;
};

}  // namespace bloomery
