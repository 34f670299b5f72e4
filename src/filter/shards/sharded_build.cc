#include "filter/shards/sharded_build.h"

#include <cerrno>
#include <utility>

#include "base/crc32c.h"
#include "filter/shards/shard_directory.h"

namespace bloomery {

Result<BuiltShards> ShardedBuild::build(HashSource source, const Append& append, const Progress& progress,
                                        const std::atomic<bool>* cancelled) const {
  const ShardRange range = work_.range;
  BuiltShards built;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::vector<std::byte>& directory = built.directory;
  ShardLine line(std::move(source), work_);
  BLOOMERY_RETURN_IF_ERROR(line.run([&](const std::vector<ShardImage>& images,
                                        const ShardGroup& group) -> Status {
    if (cancelled != nullptr && *cancelled) {
      return Error::io(filter_type_name(record_.type), "build", EINTR);
    }
    for (const ShardImage& image : images) {
      directory.insert(directory.end(), image.entry.begin(), image.entry.end());
      BLOOMERY_RETURN_IF_ERROR(append(std::as_bytes(std::span(image.words))));
      bytes += image.words.size() * 8;
    }
    keys += group.hashes.size() - group.rejected;
    built.rejected += group.rejected;
    built.contradicted.insert(built.contradicted.end(), group.contradicted.begin(), group.contradicted.end());
    if (progress) {
      progress(static_cast<std::uint32_t>(directory.size() / kShardEntryBytes), range.end - range.first);
    }
    return {};
  }));
  built.header = header(keys, bytes, built);
  return built;
}

// Returns the file's header. All shards have been built, and the directory has their entries.
NativeHeader ShardedBuild::header(std::uint64_t keys, std::uint64_t shard_bytes, BuiltShards& built) const {
  NativeHeader made;
  made.type = record_.type;
  made.hash = record_.hash;
  made.hash_key_id = record_.hash_key_id;
  made.keys = record_.keys;
  made.hash_count = record_.hash_count;
  made.stride_bytes = record_.stride_bytes;
  made.capacity = record_.capacity != 0 ? record_.capacity : keys + built.rejected;
  made.target_fpp = record_.fpp;
  made.inserted = keys;
  made.hash_bits = static_cast<std::uint8_t>(work_.cut.hash_bits);
  made.shards = work_.cut.shards;
  made.first_shard = work_.range.first;
  made.held_shards = work_.range.end - work_.range.first;
  made.payload_bytes = shard_bytes;
  made.metadata_bytes = record_.metadata.size();
  made.metadata_checksum = crc32c(std::as_bytes(std::span(record_.metadata)));
  set_shard_directory(made, built.directory);
  return made;
}

}  // namespace bloomery
