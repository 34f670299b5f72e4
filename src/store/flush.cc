#include "store/flush.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hfile/byte_writer.h"
#include "hfile/protobuf_writer.h"
#include "hfile/writer_access.h"
#include "store/auto_filters.h"
#include "table/layout/family_write_options.h"

namespace bloomery::store {
namespace {

constexpr std::string_view kFlushQualifier = "HBASE::FLUSH";
constexpr std::string_view kCompactionQualifier = "HBASE::COMPACTION";
constexpr std::uint64_t kCommitFlush = 1;

// Appends an entry that is about files, not rows.
Status append_marker(StoreLog& log, const Region& region, std::string_view qualifier, std::string_view value,
                     std::uint64_t sequence, const Environment& environment) {
  const std::int64_t now = environment.clock->now_ms();
  const std::string row = region.info().start.empty() ? std::string(1, '\0') : region.info().start;
  wal::LogEntry entry{.region = region.name(),
                      .table = region.table(),
                      .sequence_id = sequence,
                      .write_time = static_cast<std::uint64_t>(std::max<std::int64_t>(now, 0))};
  entry.cells.push_back({.key = {.row = row,
                                 .family = wal::kMarkerFamily,
                                 .qualifier = qualifier,
                                 .timestamp = now,
                                 .type = CellType::kPut},
                         .value = value});
  return log.append(entry);
}

// Writes the cells of the memstore. Of equal keys the first one is the newest.
Status write_cells(HFileWriter& writer, const Memstore& memstore) {
  const auto cursor = memstore.cursor(std::numeric_limits<std::uint64_t>::max());
  CellKey last;
  for (bool found = cursor->seek_to_first(); found; found = cursor->next()) {
    const Cell& cell = cursor->cell();
    if (cell.key == last) {
      continue;
    }
    last = cell.key;
    BLOOMERY_RETURN_IF_ERROR(writer.append(cell));
  }
  return {};
}

// Writes the frozen memstore of a family, if there is one, to a new file, and returns its path.
Result<table::StoreFilePath> write_file(StoreFiles& store, RegionFamily& family, const FamilySchema& schema,
                                        const StoreOptions& store_options, std::uint64_t sequence,
                                        std::int64_t now_ms) {
  BLOOMERY_ASSIGN_OR_RETURN(HFileWriteOptions options, table::write_options_of(schema));
  if (family.frozen != nullptr && schema.chooses_filters) {
    set_filters(options, family, schema, keys_of(*family.frozen), {}, store_options);
  }
  table::StoreFilePath file{.name = store.new_name()};
  file.path = family.directory + "/" + file.name;
  BLOOMERY_ASSIGN_OR_RETURN(HFileWriter writer,
                            begin_store_file(store.file_system(), file.path, std::move(options),
                                             static_cast<std::int64_t>(sequence), now_ms));
  if (family.frozen != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(write_cells(writer, *family.frozen));
  }
  BLOOMERY_RETURN_IF_ERROR(writer.finish());
  return file;
}

// Adds the file to the family's list, and to its new files.
Status add_file(StoreFiles& store, RegionFamily& family, const table::StoreFilePath& file,
                const StoreOptions& options, std::uint64_t sequence, std::int64_t now_ms) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, store.file_system().facts(file.path));
  auto tracked = family.list->tracked();
  tracked.push_back({.name = file.name, .size_bytes = facts.size_bytes});
  BLOOMERY_RETURN_IF_ERROR(family.list->update(std::move(tracked), now_ms));
  BLOOMERY_ASSIGN_OR_RETURN(const auto opened,
                            table::open_store_file(file, file_options(options), store.file_system()));
  family.new_files = table::with_file(*family.files, opened);
  family.flushed = static_cast<std::int64_t>(sequence);
  return {};
}

}  // namespace

Result<HFileWriter> begin_store_file(FileSystem& files, const std::string& path, HFileWriteOptions options,
                                     std::int64_t sequence, std::int64_t now_ms) {
  options.purpose = HFilePurpose::kStore;
  options.max_sequence_id = sequence;
  options.creation_time = now_ms;
  return hfile::WriterAccess::create_in(files, path, options);
}

HFileOptions file_options(const StoreOptions& options) {
  return {.cache = options.cache,
          .keep_index_blocks = options.pins_indexes,
          .keep_bloom_chunks = options.pins_filters,
          .memory = options.memory};
}

Status write_frozen(StoreFiles& store, Region& region, const TableSchema& schema, const StoreOptions& options,
                    std::uint64_t sequence, Clock& clock) {
  std::vector<std::pair<RegionFamily*, table::StoreFilePath>> written;
  for (RegionFamily& family : region.families()) {
    if (family.frozen != nullptr) {
      BLOOMERY_ASSIGN_OR_RETURN(
          auto file, write_file(store, family, *schema.find(family.name), options, sequence, clock.now_ms()));
      written.emplace_back(&family, std::move(file));
    }
  }
  for (const auto& [family, file] : written) {
    BLOOMERY_RETURN_IF_ERROR(add_file(store, *family, file, options, sequence, clock.now_ms()));
  }
  return {};
}

Status settle_logs(StoreFiles& store, RegionFamily& family, const FamilySchema& schema,
                   const StoreOptions& options, std::uint64_t sequence, std::int64_t now_ms) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto file, write_file(store, family, schema, options, sequence, now_ms));
  return add_file(store, family, file, options, sequence, now_ms);
}

Status append_flush_marker(StoreLog& log, const Region& region, std::uint64_t entry_sequence,
                           std::uint64_t sequence, const Environment& environment) {
  hfile::ByteWriter message;
  hfile::append_integer_field(message, 1, kCommitFlush);
  hfile::append_bytes_field(message, 2, region.table());
  hfile::append_bytes_field(message, 3, region.name());
  hfile::append_integer_field(message, 4, sequence);
  for (const RegionFamily& family : region.families()) {
    if (family.flushed == static_cast<std::int64_t>(sequence)) {
      hfile::ByteWriter of_family;
      hfile::append_bytes_field(of_family, 1, family.name);
      hfile::append_bytes_field(of_family, 2, family.name);
      hfile::append_bytes_field(of_family, 3, family.files->files.back()->name);
      hfile::append_bytes_field(message, 5, of_family.text());
    }
  }
  return append_marker(log, region, kFlushQualifier, message.text(), entry_sequence, environment);
}

Status append_compaction_marker(StoreLog& log, const Region& region, std::uint64_t entry_sequence,
                                std::string_view description, const Environment& environment) {
  return append_marker(log, region, kCompactionQualifier, description, entry_sequence, environment);
}

}  // namespace bloomery::store
