#include "cli/read_counters_file.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>
#include <utility>

#include "base/byte_text.h"
#include "cli/json.h"

namespace bloomery::cli {
namespace {

// A family needs 400 bytes and a file 600, so this suffices for a table of 100,000 files.
constexpr std::size_t kLargestFile = 64 << 20;

Json describe_filter_counters(const FilterCounters& filter) {
  return {{"checks", filter.checks},
          {"negatives", filter.negatives},
          {"true_positives", filter.true_positives},
          {"false_positives", filter.false_positives}};
}

Json describe_block_counters(const HFileCounters& blocks) {
  return {{"data", blocks.data_blocks},   {"index", blocks.index_blocks}, {"bloom", blocks.bloom_chunks},
          {"other", blocks.other_blocks}, {"bytes", blocks.bytes_read},   {"from_cache", blocks.cache_hits}};
}

Error not_ours(const std::string& found) {
  return Error::invalid_argument("--counters",
                                 "expected a file of `table get --counters-to`, found " + found);
}

// Reads the member `name` of `object`, which must be an unsigned number.
Status read_count(const Json& object, const char* name, std::uint64_t& count) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number_unsigned()) {
    return not_ours(std::string("no number \"") + name + "\"");
  }
  count = member->get<std::uint64_t>();
  return {};
}

// Returns the member `name` of `object`, which must be an object.
Result<const Json*> read_object(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_object()) {
    return not_ours(std::string("no object \"") + name + "\"");
  }
  return &*member;
}

Result<FamilyReads> read_family(const Json& object) {
  FamilyReads reads;
  BLOOMERY_ASSIGN_OR_RETURN(const Json* const gets, read_object(object, "gets"));
  BLOOMERY_RETURN_IF_ERROR(read_count(*gets, "columns", reads.gets.column_gets));
  BLOOMERY_RETURN_IF_ERROR(read_count(*gets, "rows", reads.gets.row_gets));
  BLOOMERY_ASSIGN_OR_RETURN(const Json* const absent, read_object(object, "found_nothing"));
  BLOOMERY_RETURN_IF_ERROR(read_count(*absent, "columns", reads.gets.absent_column_gets));
  BLOOMERY_RETURN_IF_ERROR(read_count(*absent, "rows", reads.gets.absent_row_gets));
  BLOOMERY_ASSIGN_OR_RETURN(const Json* const filter, read_object(object, "filter"));
  BLOOMERY_RETURN_IF_ERROR(read_count(*filter, "checks", reads.filter.checks));
  BLOOMERY_RETURN_IF_ERROR(read_count(*filter, "negatives", reads.filter.negatives));
  BLOOMERY_RETURN_IF_ERROR(read_count(*filter, "true_positives", reads.filter.true_positives));
  BLOOMERY_RETURN_IF_ERROR(read_count(*filter, "false_positives", reads.filter.false_positives));
  BLOOMERY_ASSIGN_OR_RETURN(const Json* const blocks, read_object(object, "blocks"));
  BLOOMERY_RETURN_IF_ERROR(read_count(*blocks, "data", reads.blocks.data_blocks));
  BLOOMERY_RETURN_IF_ERROR(read_count(*blocks, "from_cache", reads.blocks.cache_hits));
  const std::uint64_t sum = reads.gets.column_gets + reads.gets.row_gets;
  if (sum < reads.gets.row_gets || reads.gets.absent_column_gets > reads.gets.column_gets ||
      reads.gets.absent_row_gets > reads.gets.row_gets) {
    return not_ours("more gets that found nothing than gets");
  }
  return reads;
}

Result<std::string> whole_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error::io(path, "open", errno);
  }
  std::string text;
  std::array<char, 65536> piece;
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile) {
      return not_ours("one of more than 64 MiB");
    }
  }
  if (file.bad()) {
    return Error::io(path, "read", errno);
  }
  return text;
}

}  // namespace

std::map<std::string, FamilyReads> reads_by_family(const TableReadCounters& counters) {
  std::map<std::string, FamilyReads> families;
  for (const FamilyReadCounters& family : counters.families) {
    families[family.family].gets = family;
  }
  for (const FileReadCounters& file : counters.files) {
    if (const auto family = families.find(file.family); family != families.end()) {
      family->second.filter += file.filter;
      family->second.blocks += file.blocks;
    }
  }
  return families;
}

std::string read_counters_json(const TableReadCounters& counters) {
  Json families = Json::array();
  for (const auto& [name, reads] : reads_by_family(counters)) {
    families.push_back({{"family", escape_bytes(name)},
                        {"gets", {{"columns", reads.gets.column_gets}, {"rows", reads.gets.row_gets}}},
                        {"found_nothing",
                         {{"columns", reads.gets.absent_column_gets}, {"rows", reads.gets.absent_row_gets}}},
                        {"filter", describe_filter_counters(reads.filter)},
                        {"blocks", describe_block_counters(reads.blocks)}});
  }
  Json files = Json::array();
  for (const FileReadCounters& file : counters.files) {
    files.push_back({{"region", file.region},
                     {"family", escape_bytes(file.family)},
                     {"file", file.path},
                     {"filter", describe_filter_counters(file.filter)},
                     {"blocks", describe_block_counters(file.blocks)}});
  }
  const Json object = {{"family", families}, {"file", files}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::map<std::string, FamilyReads>> load_read_counters(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string text, whole_text(path));
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object() || !object.contains("family") || !object["family"].is_array()) {
    return not_ours("no JSON object with an array \"family\" in " + path);
  }
  std::map<std::string, FamilyReads> families;
  for (const Json& entry : object["family"]) {
    if (!entry.is_object() || !entry.contains("family") || !entry["family"].is_string()) {
      return not_ours("a family without a name");
    }
    const std::string name = unescape_bytes(entry["family"].get<std::string>());
    BLOOMERY_ASSIGN_OR_RETURN(families[name], read_family(entry));
    families[name].gets.family = name;
  }
  return families;
}

}  // namespace bloomery::cli
