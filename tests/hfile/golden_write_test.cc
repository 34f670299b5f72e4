// Every file that HBase wrote, written again: its cells, read from it, and its settings, from the list that
// HBase was given, make the same bytes.
//
// With a compression the compressor may choose otherwise, so there each block's payload is compared; where
// the library is that of HBase's codec the bytes are compared as well, for as long as its version makes the
// same.
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/endian.h"
#include "hfile/block.h"
#include "hfile/block_header.h"
#include "tests/base/test_folder.h"
#include "tests/hfile/golden.h"
#include "tests/hfile/written.h"

namespace bloomery {
namespace {

using Settings = std::map<std::string, std::string>;

// The lines of tests/interop/hbase/files.txt: a name, KEY=VALUE pairs.
std::map<std::string, Settings> listed_settings() {
  std::map<std::string, Settings> files;
  std::ifstream list(std::string(BLOOMERY_SOURCE) + "/tests/interop/hbase/files.txt");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string name;
    if (!(words >> name) || name[0] == '#') {
      continue;
    }
    Settings& settings = files[name];
    for (std::string pair; words >> pair;) {
      const std::size_t equals = pair.find('=');
      settings[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
  }
  return files;
}

std::string text(const Settings& settings, const std::string& key, const std::string& otherwise) {
  const auto found = settings.find(key);
  return found == settings.end() ? otherwise : found->second;
}

std::uint32_t number(const Settings& settings, const std::string& key, std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(std::stoul(text(settings, key, std::to_string(otherwise))));
}

constexpr std::int64_t kGoldenTime = 1700000000000;

HFileWriteOptions options_of(const Settings& settings) {
  HFileWriteOptions options;
  const std::string writer = text(settings, "writer", "flush");
  options.purpose = writer == "plain"  ? HFilePurpose::kPlain
                    : writer == "bulk" ? HFilePurpose::kBulkLoad
                                       : HFilePurpose::kStore;
  options.block_bytes = number(settings, "block", 1024);
  options.encoding = *hfile::parse_data_encoding(text(settings, "encoding", "NONE"));
  options.compression = *hfile::parse_compression(text(settings, "codec", "NONE"));
  options.codecs = text(settings, "class", "").starts_with("org.apache.hadoop.io.") ? HFileCodecs::kHadoop
                                                                                    : HFileCodecs::kHBase;
  options.checksum = *hfile::parse_checksum_type(text(settings, "checksum", "CRC32C"));
  options.bytes_per_checksum = number(settings, "checksum_chunk", 16384);
  options.has_tags = text(settings, "tags", "absent") != "absent";
  options.tags_by_dictionary = text(settings, "compress_tags", "no") == "yes";
  options.has_mvcc = text(settings, "mvcc", "zero") != "absent";
  options.index_block_bytes = number(settings, "hfile.index.block.max.size", 131072);
  options.index_min_entries = number(settings, "hfile.index.block.min.entries", 16);
  options.bloom.type = *hfile::parse_bloom_type(text(settings, "bloom", "NONE"));
  options.bloom.prefix_bytes = number(settings, "RowPrefixBloomFilter.prefix_length", 0);
  options.bloom.chunk_bytes = number(settings, "io.storefile.bloom.block.size", 131072);
  options.bloom.error_rate = std::stof(text(settings, "io.storefile.bloom.error.rate", "0.01"));
  options.bloom.max_fold = number(settings, "io.storefile.bloom.max.fold", 7);
  options.bloom.hash = *hfile::parse_bloom_hash(text(settings, "hbase.hash.type", "murmur"));
  options.creation_time = kGoldenTime;
  options.max_sequence_id = 7;
  options.is_major_compaction = writer == "compaction";
  options.bulk_load_time = kGoldenTime;
  options.bulk_load_task = "attempt_202311142213_0001_r_000000_0";
  return options;
}

// How a file's bytes compare with those that HBase wrote.
enum class Same {
  kFile,      // to the last byte
  kPayloads,  // blocks, decompressed; HBase used another implementation of the compression
};

Same expected_sameness(const Settings& settings) {
  return text(settings, "class", "").starts_with("aircompressor.") ? Same::kPayloads : Same::kFile;
}

struct BlockBytes {
  hfile::BlockKind kind;
  std::string payload;
};

// The blocks in front of the trailer, from the first byte on.
std::vector<BlockBytes> front_blocks(const std::string& file, const HFileReader& reader) {
  const std::map<std::string, hfile::Compression> compressions = {{"NONE", hfile::Compression::kNone},
                                                                  {"GZ", hfile::Compression::kGz},
                                                                  {"SNAPPY", hfile::Compression::kSnappy},
                                                                  {"LZ4", hfile::Compression::kLz4},
                                                                  {"ZSTD", hfile::Compression::kZstd}};
  std::vector<BlockBytes> blocks;
  for (std::size_t offset = 0; offset + 4096 < file.size();) {
    const auto* const at = reinterpret_cast<const std::byte*>(file.data()) + offset;
    const std::size_t size = std::size_t{load_big32(at + 8)} + hfile::kBlockHeaderBytes;
    const auto block = hfile::make_block(hfile::BlockMemory::copy_of({at, size}), offset,
                                         compressions.at(reader.facts().compression), 1 << 30);
    EXPECT_TRUE(block) << block.error().to_string();
    if (!block) {
      break;
    }
    const auto payload = (*block)->payload();
    blocks.push_back({(*block)->kind(), {reinterpret_cast<const char*>(payload.data()), payload.size()}});
    offset += size;
  }
  return blocks;
}

// Payloads hold offsets and sizes of blocks before them, which a compressor changes.
bool has_offsets(hfile::BlockKind kind) {
  switch (kind) {
    case hfile::BlockKind::kLeafIndex:
    case hfile::BlockKind::kIntermediateIndex:
    case hfile::BlockKind::kRootIndex:
    case hfile::BlockKind::kGeneralBloomMeta:
    case hfile::BlockKind::kDeleteFamilyBloomMeta:
      return true;
    default:
      return false;
  }
}

void expect_same_payloads(const std::vector<BlockBytes>& ours, const std::vector<BlockBytes>& hbases) {
  ASSERT_EQ(ours.size(), hbases.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(ours[i].kind, hbases[i].kind);
    EXPECT_EQ(ours[i].payload.size(), hbases[i].payload.size());
    if (!has_offsets(ours[i].kind)) {
      EXPECT_TRUE(ours[i].payload == hbases[i].payload);
    }
  }
}

std::string first_difference(const std::string& ours, const std::string& hbases) {
  const std::size_t at = static_cast<std::size_t>(std::ranges::mismatch(ours, hbases).in1 - ours.begin());
  std::ostringstream text;
  text << "sizes " << ours.size() << " and " << hbases.size() << ", first difference at " << at
       << ":\n  ours  " << escaped(std::string_view(ours).substr(at > 40 ? at - 40 : 0, 80)) << "\n  HBase "
       << escaped(std::string_view(hbases).substr(at > 40 ? at - 40 : 0, 80));
  return text.str();
}

// Meta blocks as they are in `reader`, which does not list their names.
void copy_meta_blocks(const HFileReader& reader, HFileWriter& writer) {
  for (int i = 9; i >= 0; --i) {
    const std::string name = "meta" + std::to_string(i);
    const auto content = reader.meta_block(name);
    ASSERT_TRUE(content) << content.error().to_string();
    if (*content) {
      ASSERT_TRUE(writer.append_meta_block(name, **content));
    }
  }
}

std::vector<std::string> writable_names() {
  std::vector<std::string> names = golden_hfiles();
  std::erase(names, "codec_lzo_air");  // refused: LZO
  std::erase_if(names, [](const std::string& name) { return name.starts_with("version2_"); });  // only read
  return names;
}

class GoldenWrite : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(HBase, GoldenWrite, testing::ValuesIn(writable_names()),
                         [](const auto& param) { return param.param; });

TEST_P(GoldenWrite, TheSameCellsAndSettingsAreTheSameBytes) {
  const auto files = listed_settings();
  ASSERT_TRUE(files.contains(GetParam())) << "no settings are listed";
  const Settings& settings = files.at(GetParam());
  const HFileReader golden = opened_golden(GetParam());
  const TestFolder folder;
  auto writer = HFileWriter::create(folder.path("written"), options_of(settings));
  ASSERT_TRUE(writer) << writer.error().to_string();
  copy_meta_blocks(golden, *writer);
  for (const OwnedCell& cell : cells_of(golden)) {
    const Status appended = writer->append(cell.cell());
    ASSERT_TRUE(appended) << appended.error().to_string();
  }
  const Status finished = writer->finish();
  ASSERT_TRUE(finished) << finished.error().to_string();

  const auto ours = HFileReader::open(folder.path("written"));
  ASSERT_TRUE(ours) << ours.error().to_string();
  EXPECT_EQ(scanned(*ours), golden_lines(GetParam() + ".cells"));
  EXPECT_EQ(ours->facts().file_info, golden.facts().file_info);
  const std::string our_bytes = file_bytes(folder.path("written"));
  const std::string golden_bytes = file_bytes(hbase_golden(GetParam() + ".hfile"));
  if (expected_sameness(settings) == Same::kFile) {
    EXPECT_TRUE(our_bytes == golden_bytes) << first_difference(our_bytes, golden_bytes);
  }
  expect_same_payloads(front_blocks(our_bytes, *ours), front_blocks(golden_bytes, golden));
}

}  // namespace
}  // namespace bloomery
