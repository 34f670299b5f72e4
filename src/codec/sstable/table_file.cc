#include "codec/sstable/table_file.h"

#include "codec/sstable/block_entries.h"

namespace bloomery::sstable {

Result<std::optional<std::span<const std::byte>>> find_value(std::span<const std::byte> contents,
                                                             std::uint64_t offset, std::string_view key) {
  BLOOMERY_ASSIGN_OR_RETURN(BlockEntries entries, BlockEntries::open(contents, offset));
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, entries.next());
    if (!more) {
      return std::optional<std::span<const std::byte>>();
    }
    if (entries.key() == key) {
      return std::optional(entries.value());
    }
  }
}

Result<TableFile> TableFile::open(std::span<const std::byte> file, std::shared_ptr<MemoryBudget> memory) {
  BLOOMERY_ASSIGN_OR_RETURN(const Footer footer, read_footer(file));
  BLOOMERY_ASSIGN_OR_RETURN(
      Block metaindex, read_block(file, footer, footer.metaindex, "metaindex block", MemoryShare(memory)));
  TableFile table(file, footer, std::move(metaindex), std::move(memory));
  if (footer.base_checksum != 0) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto index, table.find_meta("rocksdb.index"));
    if (!index) {
      return Error::corruption("metaindex block", footer.metaindex.offset, "rocksdb.index", "none");
    }
    table.footer_.index = *index;
  }
  return table;
}

std::string TableFile::integrity() const {
  return footer_.checksum == ChecksumKind::kNone
             ? "none"
             : std::string(checksum_name(footer_.checksum)) + " of every block that was read";
}

Result<std::optional<BlockHandle>> TableFile::find_meta(std::string_view name) const {
  const std::uint64_t offset = footer_.metaindex.offset;
  BLOOMERY_ASSIGN_OR_RETURN(auto value, find_value(metaindex_.contents(), offset, name));
  if (!value) {
    return std::optional<BlockHandle>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BlockHandle handle, read_block_handle(*value, offset));
  return std::optional(handle);
}

Result<std::optional<BlockHandle>> TableFile::find_meta_named_like(std::string_view name) const {
  const std::uint64_t offset = footer_.metaindex.offset;
  BLOOMERY_ASSIGN_OR_RETURN(BlockEntries entries, BlockEntries::open(metaindex_.contents(), offset));
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, entries.next());
    if (!more) {
      return std::optional<BlockHandle>();
    }
    const std::string_view key = entries.key();
    if (key == name || (key.starts_with(name) && key[name.size()] == '.')) {
      auto value = entries.value();
      BLOOMERY_ASSIGN_OR_RETURN(const BlockHandle handle, read_block_handle(value, offset));
      return std::optional(handle);
    }
  }
}

Status TableFile::visit_meta(
    const std::function<void(std::string_view name, const BlockHandle& handle)>& visit) const {
  const std::uint64_t offset = footer_.metaindex.offset;
  BLOOMERY_ASSIGN_OR_RETURN(BlockEntries entries, BlockEntries::open(metaindex_.contents(), offset));
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, entries.next());
    if (!more) {
      return {};
    }
    auto value = entries.value();
    BLOOMERY_ASSIGN_OR_RETURN(const BlockHandle handle, read_block_handle(value, offset));
    visit(entries.key(), handle);
  }
}

Result<std::string> TableFile::meta_names(std::string_view prefix) const {
  BLOOMERY_ASSIGN_OR_RETURN(BlockEntries entries,
                            BlockEntries::open(metaindex_.contents(), footer_.metaindex.offset));
  constexpr std::size_t kEnough = 200;  // characters in a message
  std::string names;
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, entries.next());
    if (!more || names.size() > kEnough) {
      return names.substr(0, kEnough);
    }
    if (entries.key().starts_with(prefix)) {
      names += (names.empty() ? "" : ", ") + std::string(entries.key());
    }
  }
}

Result<bool> TableFile::is_rocksdb() const {
  if (footer_.magic == TableMagic::kRocksDb) {
    return true;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto properties, find_meta("rocksdb.properties"));
  return properties.has_value();
}

}  // namespace bloomery::sstable
