// What there is to say of an HFile's Bloom filter: how full it is, and why it answered no.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "bloomery/base/result.h"
#include "hfile/open_file.h"

namespace bloomery::cli {

struct BloomFill {
  std::uint64_t bits = 0;
  std::uint64_t set_bits = 0;
  // That an absent key is a maybe, by the bits that are set: the mean of the chunks', by their size, since
  // full ones have keys in proportion to it.
  double fpp = 0;

  // The same of a question to a filter of the type: a column is asked for twice, by itself and by the
  // markers that delete its family.
  double fpp_of_lookup(hbase::BloomType type) const {
    return type == hbase::BloomType::kRowCol ? 1 - (1 - fpp) * (1 - fpp) : fpp;
  }
  double ratio() const { return bits == 0 ? 0 : static_cast<double>(set_bits) / static_cast<double>(bits); }
};

// After questions. Errors: why the file's filters could not be opened, or how many answers were maybe because
// a chunk is damaged.
Status check_filter_answers(const hfile::OpenFile& file);

// Reads every chunk. Errors: those of BlockSource::read().
Result<BloomFill> measure_fill(const hfile::OpenFile& file, const hfile::ChunkedFilter& filter);

// Both filters: parameters, keys, fill, false positive probability; empty without any. Errors as above.
Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file);

// Why the file's filter excludes the key, in the bytes that it hashes: "not in chunk 0 at byte 487: of its
// 128 bits, these of the key are 0: 72, 28". Precondition: file.bloom().
std::string explain_no(const hfile::OpenFile& file, std::string_view key);

}  // namespace bloomery::cli
