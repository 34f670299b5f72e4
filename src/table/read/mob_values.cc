#include "table/read/mob_values.h"

#include <optional>

#include "base/byte_text.h"
#include "base/endian.h"
#include "base/message.h"
#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/tag.h"
#include "hfile/reader_access.h"

namespace bloomery::table {
namespace {

constexpr std::uint8_t kReferenceTag = 5;
constexpr std::uint8_t kTableTag = 6;
constexpr std::size_t kMostOpenFiles = 16;
constexpr const char* kReferenceSubject = "reference to a large value";

std::optional<std::string_view> find_tag(std::string_view tags, std::uint8_t type) {
  while (const auto tag = read_tag(tags)) {
    if (tag->type == type) {
      return tag->bytes;
    }
  }
  return std::nullopt;
}

std::string cell_text(const CellKey& key) {
  return message("row ", escape_bytes(key.row), ", column ", escape_bytes(key.family), ":",
                 escape_bytes(key.qualifier));
}

// Returns the encoded name of a table's MOB region, which has no directory below ROOT/data.
std::string mob_region(const TableName& table) {
  return RegionInfo{.table = table, .start = ".mob"}.encoded_name();
}

}  // namespace

bool MobValues::is_reference(const Cell& cell) {
  return cell.key.type == CellType::kPut && find_tag(cell.tags, kReferenceTag).has_value();
}

Result<hfile::OpenFilePointer> MobValues::open(const TableName& writer, const std::string& family,
                                               const std::string& name) {
  const std::string key = message(writer.text(), "/", family, "/", name);
  if (const auto found = files_.find(key); found != files_.end()) {
    return found->second;
  }
  auto path = root_->find({writer, mob_region(writer), name}, family);
  if (!path && path.error().code() == ErrorCode::kNotFound && writer != table_) {
    path = root_->find({table_, mob_region(table_), name}, family);
  }
  if (!path) {
    return path.error();
  }
  BLOOMERY_ASSIGN_OR_RETURN(hfile::OpenFilePointer file,
                            hfile::open_hfile(*path, {.files = &root_->files()}, memory_));
  if (files_.size() == kMostOpenFiles) {
    files_.clear();
  }
  files_[key] = file;
  return file;
}

Status MobValues::append(const Cell& cell, RowResult& result) {
  const auto table_tag = find_tag(cell.tags, kTableTag);
  if (cell.value.size() <= 4 || cell.value.substr(4).find('/') != std::string_view::npos) {
    return Error::corruption(kReferenceSubject, 0,
                             message("in ", cell_text(cell.key), " a length and the name of a file"),
                             message("'", escape_bytes(cell.value.substr(0, 80)), "'"));
  }
  if (root_ == nullptr) {
    return Error(ErrorCode::kNotFound, kReferenceSubject,
                 message("expected the root directory with the file of the value of ", cell_text(cell.key),
                         ", found files alone"));
  }
  TableName writer = table_;
  if (table_tag) {
    auto named = TableName::parse(*table_tag);
    if (!named) {
      return named.error();
    }
    writer = std::move(*named);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto file,
                            open(writer, std::string(cell.key.family), std::string(cell.value.substr(4))));
  HFileScanner scanner = hfile::ReaderAccess::reader_of(file).scan();
  CellKey key = cell.key;
  key.type = CellType::kPut;
  BLOOMERY_ASSIGN_OR_RETURN(const bool found, scanner.seek(key));
  if (!found || scanner.cell().key != key) {
    return Error(ErrorCode::kNotFound, file->path(),
                 message("expected the value of ", cell_text(cell.key), " of time ", key.timestamp,
                         ", found no such cell"));
  }
  const auto size = load_big32(reinterpret_cast<const std::byte*>(cell.value.data()));
  if (scanner.cell().value.size() != size) {
    return Error::corruption(file->path(), 0,
                             message("a value of ", size, " bytes for ", cell_text(cell.key)),
                             scanner.cell().value.size());
  }
  Cell real = cell;
  real.value = scanner.cell().value;
  result.append(real);
  return {};
}

}  // namespace bloomery::table
