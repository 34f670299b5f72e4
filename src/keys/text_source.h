// Checks the beginning of a file of lines, and passes its bytes on.
//
//   begins with                       what happens
//   EF BB BF (byte-order mark)        the mark is dropped and reported: it belongs to no key
//   FF FE, FE FF (UTF-16, UTF-32)     an error that names iconv
//   "ustar" at byte 257 (tar)         an error that names tar
//   "BloomRng", "BloomPrt"            an error that names the files of a spread build
//   a filter of ours, a Parquet file, LZ4, zip, Java's serialisation, an SQLite database, a program (ELF):
//                                     an error that names the format
//
// Otherwise these files would be read as lines with meaningless keys. A pipe that contains one line delivers
// it at once: only the first byte of a mark waits for the following bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/byte_source.h"
#include "bloomery/base/result.h"

namespace bloomery {

class TextSource final : public ByteSource {
 public:
  // `name` is the name of the file in errors. `dropped_mark` becomes true when a mark is dropped.
  TextSource(std::unique_ptr<ByteSource> source, std::string name, std::atomic<bool>& dropped_mark)
      : source_(std::move(source)), name_(std::move(name)), dropped_mark_(dropped_mark) {}

  Result<std::size_t> read(std::span<std::byte> out) override;

 private:
  static constexpr std::size_t kTarMagicAt = 257;
  static constexpr std::size_t kHeadBytes = kTarMagicAt + 5;

  Result<std::size_t> read_begin(std::span<std::byte> out);
  Status check(std::span<const std::byte> bytes);

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::atomic<bool>& dropped_mark_;
  bool has_begun_ = false;
  std::array<std::byte, kHeadBytes> head_{};  // the first bytes, without a byte-order mark
  std::size_t head_size_ = 0;
};

}  // namespace bloomery
