#include "filter/shards/shard_directory.h"

#include <algorithm>
#include <string>

#include "base/crc32c.h"

namespace bloomery {

using namespace native_header;

std::span<const std::byte> shard_directory_of(const FilterBody& body) {
  const NativeHeader& header = body.header;
  return header.held_shards == 1 ? std::span<const std::byte>(header.sole_entry)
                                 : body.storage.bytes().first(shard_directory_bytes(header.held_shards));
}

void set_shard_directory(NativeHeader& header, std::vector<std::byte>& directory) {
  header.sole_entry = {};
  if (header.held_shards == 1) {
    std::ranges::copy(directory, header.sole_entry.begin());
    directory.clear();
  }
  header.payload_bytes += directory.size();
  header.bits = header.payload_bytes * 8;
  header.payload_checksum = crc32c(directory);
}

Status check_shard_header(const NativeHeader& header) {
  if (header.hash_bits < 56 || header.hash_bits > 64) {
    return bad_header_field(kHashBitsAt, "hash bits", "56 to 64", header.hash_bits);
  }
  if (header.shards == 0) {
    return bad_header_field(kShardsAt, "shards", "at least 1", 0);
  }
  if (header.first_shard >= header.shards) {
    return bad_header_field(kFirstShardAt, "first shard", "less than " + std::to_string(header.shards),
                            header.first_shard);
  }
  if (header.held_shards == 0 || header.held_shards > header.shards - header.first_shard) {
    return bad_header_field(kHeldShardsAt, "shards held",
                            "1 to " + std::to_string(header.shards - header.first_shard), header.held_shards);
  }
  if (header.held_shards > 1 && header.sole_entry != decltype(header.sole_entry){}) {
    return unknown_header_field(kSoleEntryAt, "entry", "0 for more than one shard", 1);
  }
  if (header.payload_bytes % 8 != 0 || header.payload_bytes < header.checksummed_payload_bytes()) {
    return bad_header_field(kPayloadBytesAt, "payload bytes",
                            "a multiple of 8, at least " + std::to_string(header.checksummed_payload_bytes()),
                            header.payload_bytes);
  }
  if (header.bits != header.payload_bytes * 8) {
    return bad_header_field(kBitsAt, "bits", std::to_string(header.payload_bytes * 8), header.bits);
  }
  return {};
}

}  // namespace bloomery
