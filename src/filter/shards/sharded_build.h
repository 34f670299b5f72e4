// Builds the shards of a plan, or some of them, and writes the native file that holds them.
//
// StaticBuild, the builder of a part and the joining of parts (static_part.cc) all use this class. So the
// bytes depend only on the plan and the hashes.
//
// Not here: the plan, and the source of hashes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "filter/native/native_header.h"
#include "filter/shards/shard_line.h"

namespace bloomery {

// The fields that a file records in addition to its shards.
struct ShardRecord {
  FilterType type = FilterType::kRibbon;
  std::uint32_t hash_count = 0;    // columns of a ribbon, fingerprint bits of a fuse filter
  std::uint16_t stride_bytes = 0;  // setting of a fuse filter
  HashSpec hash = {};
  std::uint64_t hash_key_id = 0;
  KeyTreatment keys = {};
  std::uint64_t capacity = 0;  // of the complete filter; 0: the keys that were built and rejected
  double fpp = 0;
  std::string metadata = {};
};

// The result of a build.
struct BuiltShards {
  std::vector<std::byte> directory;  // an entry for each shard; empty if the header has the sole entry
  NativeHeader header = {};
  std::uint64_t rejected = 0;
  std::vector<std::uint64_t> contradicted;
};

class ShardedBuild {
 public:
  using Append = std::function<Status(std::span<const std::byte>)>;
  using Progress = std::function<void(std::uint32_t done, std::uint32_t total)>;

  ShardedBuild(const ShardLine::Work& work, ShardRecord record) : work_(work), record_(std::move(record)) {}

  // Builds every shard of the range and passes its words to `append`, in order. `cancelled` stops it with
  // EINTR. A range without shards is allowed and produces a header without payload.
  Result<BuiltShards> build(HashSource source, const Append& append, const Progress& progress,
                            const std::atomic<bool>* cancelled) const;

  // Builds every shard and writes the complete file to `out`, which has append() and write_at(). The header
  // and the directory are written last, when their content is known. Until then their bytes are zeros.
  template <typename Out>
  Result<BuiltShards> write(HashSource source, Out& out, const Progress& progress,
                            const std::atomic<bool>* cancelled) const {
    BLOOMERY_RETURN_IF_ERROR(out.append(std::vector<std::byte>(
        kNativeHeaderBytes + shard_directory_bytes(work_.range.end - work_.range.first))));
    const auto append = [&out](std::span<const std::byte> words) { return out.append(words); };
    BLOOMERY_ASSIGN_OR_RETURN(BuiltShards built, build(std::move(source), append, progress, cancelled));
    BLOOMERY_RETURN_IF_ERROR(out.append(std::as_bytes(std::span(record_.metadata))));
    BLOOMERY_RETURN_IF_ERROR(out.write_at(0, encode(built.header)));
    BLOOMERY_RETURN_IF_ERROR(out.write_at(kNativeHeaderBytes, built.directory));
    return built;
  }

 private:
  NativeHeader header(std::uint64_t keys, std::uint64_t shard_bytes, BuiltShards& built) const;

  ShardLine::Work work_;
  ShardRecord record_;
};

}  // namespace bloomery
