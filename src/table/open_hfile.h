// Opening an HFile for the verbs, and what stands between them and its blocks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "hfile/block_source.h"
#include "hfile/open_file.h"

namespace bloomery::cli {

using OpenHFile = std::shared_ptr<const hfile::OpenFile>;

// Whether the file begins with a block or ends with the trailer of an HFile. Errors: kNotFound, kIo.
Result<bool> looks_like_hfile(const std::string& path);
bool looks_like_hfile(std::span<const std::byte> file);

// As OpenFile::open(); kInvalidArgument for a file that is none, which is not damage.
Result<OpenHFile> open_hfile(const std::string& path, const HFileOptions& options = {});

// The times of a file's cells, both ends within.
struct TimeSpan {
  std::int64_t oldest = 0;
  std::int64_t newest = 0;
};

// What a TIMERANGE says; nothing where its form is not known. And a file's: nothing where it has none.
std::optional<TimeSpan> times_in(std::string_view value);
std::optional<TimeSpan> times_of(const hfile::OpenFile& file);

// Keeps the Bloom chunks it has read, and what was wrong with them, so that each is read once.
class ChunkKeeper final : public hfile::BlockSource {
 public:
  explicit ChunkKeeper(hfile::BlockSource& disk) : disk_(disk) {}
  // Makes a file be read through one.
  static HFileOptions options();

 private:
  Result<hfile::BlockPointer> fetch(const hfile::BlockAddress& address) override;

  hfile::BlockSource& disk_;
  std::mutex mutex_;  // of what is kept
  std::map<std::uint64_t, Result<hfile::BlockPointer>> kept_;
  std::uint64_t kept_bytes_ = 0;
};

// Blocks that were read from a file, in turn.
using BlockLog = std::vector<hfile::BlockAddress>;

// Writes down which blocks are read. For one thread.
class RecordingSource final : public hfile::BlockSource {
 public:
  // `log` outlives it.
  RecordingSource(hfile::BlockSource& disk, BlockLog& log) : disk_(disk), log_(log) {}
  static HFileOptions options(BlockLog& log);

 private:
  Result<hfile::BlockPointer> fetch(const hfile::BlockAddress& address) override;

  hfile::BlockSource& disk_;
  BlockLog& log_;
};

}  // namespace bloomery::cli
