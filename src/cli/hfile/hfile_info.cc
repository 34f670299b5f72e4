// bloomery hfile info: shows the metadata of an HFile, and the fill of its Bloom filters.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/byte_text.h"
#include "base/endian.h"
#include "base/file.h"
#include "base/memory_budget.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/table/verify.h"
#include "cli/exit_status.h"
#include "cli/file_memory_option.h"
#include "cli/hfile/hfile_paths.h"
#include "cli/hfile/reports.h"
#include "cli/inspected_files.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "hfile/block_walk.h"
#include "hfile/key_text.h"
#include "hfile/reader_access.h"
#include "hfile/recognition.h"
#include "hfile/time_span.h"

namespace bloomery::cli {
namespace {

constexpr const char* kHFileInfoDescription =
    R"(Show what an HFile says of itself: trailer, file info, blocks, keys, and how full its Bloom filters are.

  bloomery hfile info store.hfile
  bloomery hfile info root/data/default/users | grep -E '^(file|cells) '      # of each HFile in a directory and below it
  bloomery hfile info --json store.hfile | jq .bloom.current_fpp
  bloomery hfile info --blocks store.hfile | grep bloom_chunk      # where its chunks are

Headers of blocks are read and Bloom chunks, not the cells: `bloomery hfile verify` looks at every byte.)";

struct HFileInfoOptions {
  std::vector<std::string> files;
  bool json = false;
  bool blocks = false;
  FileMemoryOption memory;
};

// Formats a value of the file info as a number, boolean or key if the name has such values, otherwise as
// escaped bytes.
std::string show_info_value(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 2> kKeys = {"hfile.LASTKEY", "hfile.KEY_OF_BIGGEST_CELL"};
  constexpr std::array<std::string_view, 11> kNumbers = {
      "hfile.AVG_KEY_LEN",   "hfile.AVG_VALUE_LEN", "hfile.CREATE_TIME_TS", "hfile.MAX_TAGS_LEN",
      "KEY_VALUE_VERSION",   "MAX_MEMSTORE_TS_KEY", "MAX_SEQ_ID_KEY",       "EARLIEST_PUT_TS",
      "DELETE_FAMILY_COUNT", "BLOOM_FILTER_PARAM",  "BULKLOAD_TIMESTAMP"};
  constexpr std::array<std::string_view, 5> kBooleans = {"hfile.TAGS_COMPRESSED", "MAJOR_COMPACTION_KEY",
                                                         "EXCLUDE_FROM_MINOR_COMPACTION", "SKIP_RESET_SEQ_ID",
                                                         "HISTORICAL"};
  const auto* const at = reinterpret_cast<const std::byte*>(value.data());
  if (std::ranges::find(kKeys, name) != kKeys.end()) {
    if (const auto key = parse_flat_key(value)) {
      return hfile::show_key(*key);
    }
  }
  if (std::ranges::find(kBooleans, name) != kBooleans.end() && value.size() == 1) {
    return value.front() == '\0' ? "false" : "true";  // as HBase reads the byte
  }
  const bool is_number = std::ranges::find(kNumbers, name) != kNumbers.end() ||
                         name == "hfile.LEN_OF_BIGGEST_CELL" || name == "MOB_CELLS_COUNT";
  if (is_number && value.size() == 4) {
    return std::to_string(static_cast<std::int32_t>(load_big32(at)));
  }
  if (is_number && value.size() == 8) {
    return std::to_string(static_cast<std::int64_t>(load_big64(at)));
  }
  const auto times = name == "TIMERANGE" ? hfile::parse_time_span(value) : std::nullopt;
  return times ? fmt::format("{} to {}", times->oldest, times->newest) : escape_bytes(value);
}

Json show_key(const std::optional<FlatKey>& key) {
  return key ? Json(hfile::show_key(key->key())) : Json(nullptr);
}

Json describe_trailer(const HFileFacts& facts) {
  return {{"type", "hfile"},
          {"version", fmt::format("{}.{}", facts.major_version, facts.minor_version)},
          {"file_bytes", facts.file_bytes},
          {"cells", facts.entry_count},
          {"compression", facts.compression},
          {"encoding", facts.encoding},
          {"has_tags", facts.has_tags},
          {"has_mvcc", facts.has_mvcc},
          {"comparator", facts.comparator},
          {"index_levels", facts.index_levels},
          {"root_index_entries", facts.root_index_count},
          {"index_bytes", facts.data_index_bytes},
          {"uncompressed_bytes", facts.uncompressed_bytes},
          {"meta_blocks", facts.meta_block_count},
          {"load_on_open_offset", facts.load_on_open_offset},
          {"file_info_offset", facts.file_info_offset},
          {"first_data_block_offset",
           facts.first_data_block_offset ? Json(*facts.first_data_block_offset) : Json(nullptr)},
          {"last_data_block_offset",
           facts.last_data_block_offset ? Json(*facts.last_data_block_offset) : Json(nullptr)}};
}

struct KindTotals {
  std::uint64_t count = 0;
  std::uint64_t on_disk_bytes = 0;
  std::uint64_t payload_bytes = 0;
};

// An upper bound of one listed block's memory: a JSON object with four names and values, in an array that is
// copied when it grows.
constexpr std::uint64_t kShownBlockBytes = 1024;

// Adds the number and bytes of blocks of each kind; with `each` also every block, in file order.
Status describe_blocks(const hfile::OpenFile& open, bool each, Json& object) {
  BLOOMERY_ASSIGN_OR_RETURN(File file, FileSystem::real().open(open.path(), OpenFor::kReading));
  std::array<KindTotals, hfile::kBlockKinds> totals = {};
  Json blocks = Json::array();
  MemoryShare memory(open.memory());
  const Status walked = hfile::walk_block_headers(
      file, open.trailer().offset, [&](const hfile::BlockHeader& header, std::uint64_t offset) -> Status {
        KindTotals& kind = totals[static_cast<std::size_t>(header.kind)];
        ++kind.count;
        kind.on_disk_bytes += header.on_disk_bytes;
        kind.payload_bytes += header.uncompressed_bytes;
        if (each) {
          BLOOMERY_RETURN_IF_ERROR(memory.add("list of blocks", kShownBlockBytes));
          blocks.push_back({{"kind", hfile::block_kind_key(header.kind)},
                            {"offset", offset},
                            {"on_disk_bytes", header.on_disk_bytes},
                            {"payload_bytes", header.uncompressed_bytes}});
        }
        return {};
      });
  if (!walked) {
    return walked.error().in_file(open.path());
  }
  Json kinds = Json::object();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    if (totals[i].count != 0) {
      kinds[hfile::block_kind_key(static_cast<hfile::BlockKind>(i))] = {
          {"count", totals[i].count},
          {"on_disk_bytes", totals[i].on_disk_bytes},
          {"payload_bytes", totals[i].payload_bytes}};
    }
  }
  object["blocks"] = kinds;
  if (each) {
    object["block"] = blocks;
  }
  return {};
}

Status describe_keys(const hfile::OpenFilePointer& file, Json& object) {
  const HFileReader reader = hfile::ReaderAccess::reader_of(file);
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<FlatKey> middle, reader.mid_key());
  object["first_key"] = show_key(reader.first_key());
  object["middle_key"] = show_key(middle);
  object["last_key"] = show_key(reader.last_key());
  return {};
}

std::string show_value(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_object()) {
    return value.is_null() ? "none" : value.dump();
  }
  std::string text;
  for (const auto& [name, part] : value.items()) {
    fmt::format_to(std::back_inserter(text), "{}{} {}", text.empty() ? "" : ", ", name, show_value(part));
  }
  return text;
}

// Prints one line per value, or per member of a nested value.
void print_hfile_text(const Json& object) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_array()) {
      for (const Json& element : value) {
        fmt::print("{:<24} {}\n", name, printable_text(show_value(element)));
      }
    } else if (name == "blocks" || name == "file_info") {
      for (const auto& [part, inner] : value.items()) {
        fmt::print("{:<24} {}: {}\n", name, printable_text(part), printable_text(show_value(inner)));
      }
    } else {
      fmt::print("{:<24} {}\n", name, printable_text(show_value(value)));
    }
  }
}

// Returns the first damage that was found while the file was described.
Status first_error(const hfile::OpenFile& file, const Result<Json>& blooms, const Status& blocks) {
  if (!file.filter_status()) {
    return file.filter_status().error().in_file(file.path());
  }
  return blooms ? blocks : Status(blooms.error());
}

// Shows what is readable of a damaged file, and then reports the damage. With `named`, the path comes first.
Status show_hfile(const HFileInfoOptions& options, const std::string& path, bool named) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.memory.parse());
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::OpenFilePointer file, hfile::open_hfile(path, {}, memory));
  Json object = Json::object();
  if (named) {
    object["file"] = path;
  }
  object.update(describe_trailer(file->facts()));
  BLOOMERY_RETURN_IF_ERROR(describe_keys(file, object));
  object["bloom_type"] = file->facts().bloom_type;
  const Result<Json> blooms = describe_blooms(*file);
  if (blooms) {
    object.update(*blooms);
  }
  const Status blocks = describe_blocks(*file, options.blocks, object);
  Json file_info = Json::object();
  for (const auto& [name, value] : file->facts().file_info) {
    file_info[escape_bytes(name)] = show_info_value(name, value);
  }
  object["file_info"] = file_info;
  if (options.json) {
    fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_hfile_text(object);
  }
  return first_error(*file, blooms, blocks);
}

int hfile_info(const HFileInfoOptions& options) {
  const Result<HFilePaths> found = find_hfiles(options.files);
  if (!found) {
    return report("hfile info", found.error());
  }
  int status = kDone;
  for (std::size_t i = 0; i < found->files.size(); ++i) {
    if (i > 0 && !options.json) {
      fmt::print("\n");
    }
    Status shown = found->files[i].check();
    if (shown) {
      shown = show_hfile(options, found->files[i].path, found->needs_names());
    }
    status = graver(status, shown ? kDone : report("hfile info", shown.error()));
  }
  tell_of_passed_over("hfile info", *found);
  return status;
}

}  // namespace

Result<Json> summarize_hfile(const std::string& path, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const VerifiedHFile verified, verify_hfile(path, memory));
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::OpenFilePointer file, hfile::open_hfile(path, {}, memory));
  Json object = {{"type", "hfile"}, {"bloom_type", file->facts().bloom_type}};
  const Result<Json> blooms = describe_blooms(*file);  // an error if a chunk of the filter is damaged
  if (blooms && blooms->contains("bloom")) {
    const Json& bloom = (*blooms)["bloom"];
    object.update(Json({{"hash", bloom["hash"]},
                        {"capacity", bloom["max_keys"]},
                        {"inserted", bloom["keys"]},
                        {"current_fpp", bloom["current_fpp"]},
                        {"fill_ratio", bloom["fill_ratio"]},
                        {"bits", bloom["byte_size"].get<std::uint64_t>() * 8},
                        {"hash_count", bloom["hash_count"]},
                        {"bits_per_key", bloom["bits_per_key"]},
                        {"byte_size", bloom["byte_size"]}}));
    if (bloom.contains("note")) {
      object["note"] = bloom["note"];
    }
  }
  object["cells"] = file->facts().entry_count;
  object["file_bytes"] = file->facts().file_bytes;
  object["integrity"] = verified.is_whole() ? "ok" : "damaged: " + verified.findings.front().to_string();
  object["more"] = "bloomery hfile info, verify";
  return object;
}

void add_hfile_info_verb(CLI::App& hfile, int& exit_status) {
  CLI::App* const verb = hfile.add_subcommand("info", kHFileInfoDescription);
  const auto options = std::make_shared<HFileInfoOptions>();
  verb->add_option("FILE", options->files, "HFiles, or directories with HFiles in them or below")->required();
  verb->add_flag("--json", options->json, "one JSON object a file");
  verb->add_flag("--blocks", options->blocks, "every block too: kind, offset, bytes");
  options->memory.add_to(*verb);
  verb->callback([options, &exit_status] { exit_status = hfile_info(*options); });
}

}  // namespace bloomery::cli
