// Turns the options of a write into a plan: sizes are checked, and the chunks of the filters are sized.
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

// The largest allowed block size, of data and of the index. A cell must be smaller, too.
inline constexpr std::uint32_t kMaxBlockOption = std::uint32_t{1} << 30;

struct WritePlan {
  Compression compression = Compression::kNone;
  DataEncoding encoding = DataEncoding::kNone;
  ChecksumType checksum = ChecksumType::kCrc32c;
  CellLayout layout = {};
  hbase::BloomType bloom_type = hbase::BloomType::kNone;
  hbase::BloomHash bloom_hash = hbase::BloomHash::kMurmur;
  hbase::ChunkShape bloom_shape = {};  // byte_size 0: no filter; also in the next members
  hbase::ChunkShape delete_family_shape = {};
  hbase::ChunkShape columns_shape = {};
};

// Errors: kInvalidArgument, which names the option.
Result<WritePlan> plan_of(const HFileWriteOptions& options);

}  // namespace bloomery::hfile
