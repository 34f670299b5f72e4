#include <fmt/format.h>

#include "cli/hfile/reports.h"
#include "cli/numbers.h"
#include "hfile/bloom_fill.h"

namespace bloomery::cli {
namespace {

Result<nlohmann::ordered_json> describe_bloom(const hfile::OpenFile& file, const hfile::ChunkedFilter& filter,
                                              hbase::BloomType type, const char* name) {
  const hbase::BloomMeta& meta = filter.meta();
  const Result<hfile::BloomFill> measured = hfile::measure_fill(file, filter);
  if (!measured) {
    return measured.error().in_file(file.path());
  }
  const auto keys = static_cast<double>(meta.key_count);
  nlohmann::ordered_json object = {{"type", name}};
  if (file.bloom_prefix_bytes() != 0 && file.bloom() && &filter == &*file.bloom()) {
    object["prefix_bytes"] = file.bloom_prefix_bytes();
  }
  object["hash"] = hbase::bloom_hash_name(meta.hash);
  object["hash_count"] = meta.hash_count;
  object["chunks"] = meta.chunks.size();
  object["keys"] = meta.key_count;
  object["max_keys"] = meta.max_keys;
  object["byte_size"] = meta.total_bytes;
  object["bits_per_key"] = keys > 0 ? static_cast<double>(measured->bits) / keys : 0.0;
  object["fill_ratio"] = measured->ratio();
  object["current_fpp"] = measured->fpp_of_lookup(type);
  if (meta.hash_count == 0) {
    object["note"] = hfile::kWithoutHashes;
  }
  return object;
}

}  // namespace

Status check_filter_answers(const std::string& file, const Status& filter_status,
                            std::uint64_t damaged_answers) {
  if (!filter_status) {
    return filter_status.error().in_file(file);
  }
  if (damaged_answers != 0) {
    return Error(
        ErrorCode::kCorruption, file,
        fmt::format("answers that are maybe only because a chunk of its Bloom filter is damaged: {}; "
                    "`bloomery hfile verify` says which chunk",
                    show_count(damaged_answers)));
  }
  return {};
}

Result<nlohmann::ordered_json> describe_blooms(const hfile::OpenFile& file) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  if (file.bloom() && file.bloom_type() != hbase::BloomType::kNone) {
    BLOOMERY_ASSIGN_OR_RETURN(object["bloom"], describe_bloom(file, *file.bloom(), file.bloom_type(),
                                                              hbase::bloom_type_name(file.bloom_type())));
  }
  if (file.delete_family_bloom()) {
    BLOOMERY_ASSIGN_OR_RETURN(
        object["delete_family_bloom"],
        describe_bloom(file, *file.delete_family_bloom(), hbase::BloomType::kRow, "DELETE_FAMILY"));
  }
  if (file.second_bloom()) {  // a query of it is one probe
    BLOOMERY_ASSIGN_OR_RETURN(object["second_bloom"],
                              describe_bloom(file, *file.second_bloom(), hbase::BloomType::kRow, "ROWCOL"));
  }
  return object;
}

}  // namespace bloomery::cli
