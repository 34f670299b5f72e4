// What the options of a write come to: sizes checked, chunks of the filters sized.
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/hfile/hfile_write_options.h"
#include "hfile/block_header.h"
#include "hfile/bloom/bloom_hash.h"
#include "hfile/bloom/bloom_key.h"
#include "hfile/bloom/bloom_sizing.h"
#include "hfile/compression.h"
#include "hfile/encoding/flat_cell.h"

namespace bloomery::hfile {

// The largest block, of data and of the index, that may be asked for; and about the largest cell.
inline constexpr std::uint32_t kMaxBlockOption = std::uint32_t{1} << 30;

struct WritePlan {
  Compression compression = Compression::kNone;
  DataEncoding encoding = DataEncoding::kNone;
  ChecksumType checksum = ChecksumType::kCrc32c;
  CellLayout layout = {};
  hbase::BloomType bloom_type = hbase::BloomType::kNone;
  hbase::BloomHash bloom_hash = hbase::BloomHash::kMurmur;
  hbase::ChunkShape bloom_shape = {};  // 0 without a filter, here and below
  hbase::ChunkShape delete_family_shape = {};
};

// Errors: kInvalidArgument, with the option's name.
Result<WritePlan> plan_of(const HFileWriteOptions& options);

}  // namespace bloomery::hfile
