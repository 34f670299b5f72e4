#include "filter/ribbon/sharded_build.h"

#include <cerrno>
#include <utility>

#include "base/crc32c.h"
#include "filter/ribbon/ribbon_directory.h"

namespace bloomery {

Result<BuiltShards> ShardedBuild::build(HashSource source, const Append& append, const Progress& progress,
                                        const std::atomic<bool>* cancelled) const {
  const ShardRange range = work_.range;
  BuiltShards built;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::vector<std::byte>& directory = built.directory;
  ShardLine line(std::move(source), work_);
  BLOOMERY_RETURN_IF_ERROR(line.run([&](const std::vector<RibbonShardImage>& images,
                                        const ShardGroup& group) -> Status {
    if (cancelled != nullptr && *cancelled) {
      return Error::io("ribbon", "build", EINTR);
    }
    for (const RibbonShardImage& image : images) {
      directory.resize(directory.size() + kRibbonEntryBytes);
      encode_ribbon_entry(image.entry, directory.data() + directory.size() - kRibbonEntryBytes);
      BLOOMERY_RETURN_IF_ERROR(append(std::as_bytes(std::span(image.words))));
      bytes += image.words.size() * 8;
    }
    keys += group.hashes.size() - group.rejected;
    built.rejected += group.rejected;
    built.contradicted.insert(built.contradicted.end(), group.contradicted.begin(), group.contradicted.end());
    if (progress) {
      progress(static_cast<std::uint32_t>(directory.size() / kRibbonEntryBytes), range.end - range.first);
    }
    return {};
  }));
  built.header = header(keys, bytes, built);
  return built;
}

// Returns the file's header. All shards have been built, and the directory has their entries.
NativeHeader ShardedBuild::header(std::uint64_t keys, std::uint64_t shard_bytes, BuiltShards& built) const {
  NativeHeader made;
  made.type = FilterType::kRibbon;
  made.hash = record_.hash;
  made.hash_key_id = record_.hash_key_id;
  made.keys = record_.keys;
  made.hash_count = work_.shape.columns;
  made.capacity = record_.capacity != 0 ? record_.capacity : keys + built.rejected;
  made.target_fpp = record_.fpp;
  made.inserted = keys;
  made.hash_bits = static_cast<std::uint8_t>(work_.shape.hash_bits);
  made.shards = work_.shape.shards;
  made.first_shard = work_.range.first;
  made.held_shards = work_.range.end - work_.range.first;
  made.payload_bytes = shard_bytes;
  made.metadata_bytes = record_.metadata.size();
  made.metadata_checksum = crc32c(std::as_bytes(std::span(record_.metadata)));
  set_ribbon_directory(made, built.directory);
  return made;
}

}  // namespace bloomery
