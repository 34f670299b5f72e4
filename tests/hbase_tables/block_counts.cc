#include "tests/hbase_tables/block_counts.h"

#include <fstream>
#include <iostream>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "base/message.h"
#include "bloomery/table/get.h"
#include "hfile/read_log.h"
#include "tests/hbase_tables/question.h"

namespace bloomery::tables {
namespace {

constexpr std::array<const char*, kCountedKinds> kNames = {"data", "index", "Bloom"};

struct CountedGet {
  BlockCounts hbase = {};
  Question question = {};
};

Result<CountedGet> parse_line(const std::string& line) {
  CountedGet get;
  std::istringstream text(line);
  for (std::uint64_t& count : get.hbase) {
    text >> count;
  }
  std::string rest;
  if (!text || text.get() != '\t' || !std::getline(text, rest)) {
    return Error::invalid_argument("counts of blocks", message("expected three numbers and a get: ", line));
  }
  BLOOMERY_ASSIGN_OR_RETURN(get.question, parse_question(rest));
  return get;
}

Result<BlockCounts> blocks_of(const Table& table, const Question& question) {
  GetRequest get;
  static_cast<CellRequest&>(get) = question.scan;
  get.row = question.scan.start;
  const hfile::ReadLog log;
  BLOOMERY_RETURN_IF_ERROR(table.get(get));
  BlockCounts counts = {};
  std::set<std::pair<const void*, std::uint64_t>> chunks;
  for (const hfile::BlockRead& read : log.reads()) {
    switch (read.address.kind) {
      case hfile::BlockKind::kData:
      case hfile::BlockKind::kEncodedData:
        ++counts[kDataBlocks];
        break;
      case hfile::BlockKind::kLeafIndex:
      case hfile::BlockKind::kIntermediateIndex:
        ++counts[kIndexBlocks];
        break;
      case hfile::BlockKind::kBloomChunk:
        chunks.emplace(read.file, read.address.offset);
        break;
      default:  // is read when a file is opened
        break;
    }
  }
  counts[kBloomChunks] = chunks.size();
  return counts;
}

std::string text_of(const BlockCounts& counts) {
  std::ostringstream text;
  for (std::size_t kind = 0; kind < kCountedKinds; ++kind) {
    text << (kind == 0 ? "" : " ") << kNames[kind] << " " << counts[kind];
  }
  return text.str();
}

}  // namespace

Status compare_blocks(const Table& table, const std::string& source, const std::filesystem::path& counts,
                      BlockSums& sums) {
  std::ifstream file(counts);
  for (std::string line; std::getline(file, line); ++sums.gets) {
    BLOOMERY_ASSIGN_OR_RETURN(const CountedGet get, parse_line(line));
    BLOOMERY_ASSIGN_OR_RETURN(const BlockCounts here, blocks_of(table, get.question));
    for (std::size_t kind = 0; kind < kCountedKinds; ++kind) {
      sums.gets_with_more[kind] += std::uint64_t{here[kind] > get.hbase[kind]};
      sums.here[kind] += here[kind];
      sums.hbase[kind] += get.hbase[kind];
    }
    const bool has_more_together =
        here[kDataBlocks] + here[kIndexBlocks] > get.hbase[kDataBlocks] + get.hbase[kIndexBlocks];
    sums.gets_with_more_together += std::uint64_t{has_more_together};
    if (here[kDataBlocks] > get.hbase[kDataBlocks] || has_more_together) {
      std::cout << source << ": blocks here: " << text_of(here) << "; HBase: " << text_of(get.hbase) << "; "
                << get.question.line << "\n";
    }
  }
  return {};
}

bool reads_more(const BlockSums& sums) {
  return sums.gets_with_more[kDataBlocks] > 0 || sums.gets_with_more_together > 0 ||
         std::accumulate(sums.here.begin(), sums.here.end(), std::uint64_t{0}) >
             std::accumulate(sums.hbase.begin(), sums.hbase.end(), std::uint64_t{0});
}

void print_sums(const BlockSums& sums) {
  std::cout << "blocks of " << sums.gets << " gets: here " << text_of(sums.here) << "; HBase's counters "
            << text_of(sums.hbase) << "; gets with more: " << text_of(sums.gets_with_more) << "\n";
}

}  // namespace bloomery::tables
