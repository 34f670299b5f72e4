#include "table/layout/log_check.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/directory.h"
#include "base/endian.h"
#include "base/message.h"
#include "bloomery/hfile/cell.h"
#include "hfile/protobuf_reader.h"
#include "hfile/recognition.h"

namespace bloomery::table {
namespace {

constexpr const char* kLogSubject = "write-ahead log";
constexpr std::uint64_t kMostLogBytes = std::uint64_t{1} << 30;

// Removes the first message, with its length, from `log`. Returns nothing at the end of the log, and for a
// truncated or empty message.
std::optional<std::string_view> take_message(std::string_view& log) {
  const auto found = hfile::read_delimited(std::as_bytes(std::span(log)), kLogSubject, 0);
  if (!found || found->message.empty()) {
    return std::nullopt;
  }
  const std::string_view message =
      log.substr(found->size_bytes - found->message.size(), found->message.size());
  log.remove_prefix(found->size_bytes);
  return message;
}

// Returns false if the header says that entries are compressed or encrypted.
bool is_readable(std::string_view header) {
  hfile::ProtobufReader reader(std::as_bytes(std::span(header)), kLogSubject, 0);
  for (auto field = reader.next(); field && *field; field = reader.next()) {
    const bool is_compressed = ((*field)->number == 1 || (*field)->number == 6) && (*field)->integer != 0U;
    if (is_compressed || (*field)->number == 2) {
      return false;
    }
  }
  return true;
}

struct LogKey {
  std::string_view region = {};
  std::string_view table = {};
  std::uint64_t sequence = 0;
  std::uint64_t cells = 0;
};

std::optional<LogKey> parse_key(std::string_view message) {
  LogKey key;
  hfile::ProtobufReader reader(std::as_bytes(std::span(message)), kLogSubject, 0);
  for (;;) {
    const auto field = reader.next();
    if (!field) {
      return std::nullopt;
    }
    if (!*field) {
      return key;
    }
    switch ((*field)->number) {
      case 1:
        key.region = (*field)->bytes.value_or(key.region);
        break;
      case 2:
        key.table = (*field)->bytes.value_or(key.table);
        break;
      case 3:
        key.sequence = (*field)->integer.value_or(key.sequence);
        break;
      case 7:
        key.cells = (*field)->integer.value_or(key.cells);
        break;
      default:
        break;
    }
  }
}

// Removes the first cell from `log` and returns its family. Returns nothing if the cell is truncated or its
// key is invalid. Layout: u32 length | u32 key length | u32 value length | key ...
std::optional<std::string_view> take_family(std::string_view& log) {
  const auto load = [&](std::size_t at) {
    return std::size_t{load_big32(reinterpret_cast<const std::byte*>(log.data() + at))};
  };
  if (log.size() < 4 || load(0) > log.size() - 4 || load(0) < 8) {
    return std::nullopt;
  }
  const std::size_t size = load(0);
  const std::size_t key_size = load(4);
  if (key_size > size - 8) {
    return std::nullopt;
  }
  const auto key = parse_flat_key(log.substr(12, key_size));
  log.remove_prefix(4 + size);
  return key ? std::optional(key->family) : std::nullopt;
}

// The greatest sequence ids of families, each computed once.
class Sequences {
 public:
  explicit Sequences(const TableLayout& layout) : layout_(layout) {}

  std::optional<std::int64_t> of(const std::string& region, const std::string& family) {
    const auto found = std::ranges::find(layout_.regions, region, &RegionLayout::name);
    if (found == layout_.regions.end()) {
      return std::nullopt;
    }
    auto& known = known_[{region, family}];
    if (!known) {
      known = greatest_of(*found, family);
    }
    return known;
  }

 private:
  // Bulk-loaded files are left out, since their sequence ids say nothing about edits in logs. Files that
  // cannot be opened are left out too; a scan reports them.
  static std::int64_t greatest_of(const RegionLayout& region, const std::string& family) {
    std::int64_t greatest = -1;
    const auto files = region.families.find(family);
    if (files == region.families.end()) {
      return greatest;
    }
    for (const StoreFilePath& path : files->second) {
      const auto file = hfile::open_hfile(path.path);
      if (!file || path.sequence_id || (*file)->info().find("BULKLOAD_TIMESTAMP")) {
        continue;
      }
      const auto sequence = (*file)->info().int64_of("MAX_SEQ_ID_KEY");
      greatest = std::max(greatest, sequence ? sequence->value_or(-1) : -1);
    }
    return greatest;
  }

  const TableLayout& layout_;
  std::map<std::pair<std::string, std::string>, std::optional<std::int64_t>> known_;
};

void warn_of_log(const std::string& path, TableLayout& layout, Sequences& sequences) {
  const auto bytes = read_small_file(path, kMostLogBytes);
  LogFindings found{.cannot_tell = !bytes};
  if (bytes) {
    found = check_log(*bytes, layout.name, [&](const std::string& region, const std::string& family) {
      return sequences.of(region, family);
    });
  }
  if (found.edits > 0) {
    layout.warnings.push_back(message("the log ", path, " has ", found.edits,
                                      " later cells of this table, which are not in the answer"));
  } else if (found.cannot_tell) {
    layout.warnings.push_back(message("the log ", path,
                                      " cannot be read here and may have later edits of this table, which "
                                      "are not in the answer"));
  }
}

}  // namespace

LogFindings check_log(std::string_view log, const TableName& table, const GreatestSequence& greatest) {
  LogFindings found;
  if (log.empty()) {
    return found;
  }
  if (!log.starts_with("PWAL")) {
    found.cannot_tell = true;
    return found;
  }
  log.remove_prefix(4);
  const auto header = take_message(log);
  if (!header || !is_readable(*header)) {
    found.cannot_tell = header.has_value();
    return found;
  }
  while (const auto message = take_message(log)) {
    const auto key = parse_key(*message);
    if (!key) {
      break;
    }
    for (std::uint64_t i = 0; i < key->cells; ++i) {
      const auto family = take_family(log);
      if (!family) {
        return found;
      }
      if (key->table != table.text() || *family == "METAFAMILY") {
        continue;
      }
      const auto in_files = greatest(std::string(key->region), std::string(*family));
      found.edits += in_files && static_cast<std::int64_t>(key->sequence) > *in_files ? 1U : 0U;
    }
  }
  return found;
}

void warn_of_logs(TableLayout& layout) {
  if (!layout.root) {
    return;
  }
  const auto servers = list_directory(layout.root->logs());
  Sequences sequences(layout);
  for (const DirectoryEntry& server : servers ? *servers : std::vector<DirectoryEntry>()) {
    const std::string folder = message(layout.root->logs(), "/", server.name);
    const auto logs = list_directory(folder);
    for (const DirectoryEntry& log : server.is_directory&& logs ? *logs : std::vector<DirectoryEntry>()) {
      if (!log.is_directory && log.size > 0 && !log.name.ends_with(".meta")) {
        warn_of_log(message(folder, "/", log.name), layout, sequences);
      }
    }
  }
}

}  // namespace bloomery::table
