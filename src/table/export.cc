#include "bloomery/table/export.h"

#include <cstddef>
#include <cstdint>

#include "base/byte_text.h"
#include "base/message.h"
#include "bloomery/table/bulk_load_directory.h"
#include "table/layout/disk_calls.h"
#include "table/layout/family_write_options.h"
#include "table/layout/legal_names.h"
#include "table/layout/snapshot_directory.h"
#include "table/read/compacted_cells.h"
#include "table/table_access.h"

namespace bloomery {
namespace table {
namespace {

Status check_exportable(const FamilySchema& family) {
  if (family.has_mob || family.has_new_version_behavior) {
    return Error(ErrorCode::kUnsupported, "family",
                 message("expected none with ", family.has_mob ? "IS_MOB" : "NEW_VERSION_BEHAVIOR",
                         ", found ", escape_bytes(family.name)));
  }
  return {};
}

// Writes a family of a region.
Status export_store(const TableSource& source, std::size_t region, const FamilySchema& family,
                    BulkLoadWriter& writer) {
  StorePointer store;
  std::uint64_t read_point = 0;
  for (bool has_changed = true; has_changed;) {
    const std::uint64_t version = source.version(region);
    BLOOMERY_ASSIGN_OR_RETURN(store, source.store(region, family.name));
    read_point = source.read_point();
    has_changed = source.version(region) != version;
  }
  CompactedCells cells(store->files, family, true, source.now());
  BLOOMERY_RETURN_IF_ERROR(cells.start(read_point));
  while (!cells.is_at_end()) {
    if (cells.is_kept()) {
      Cell cell = cells.cell();
      cell.mvcc = 0;  // the loaded file has one for all of its cells
      BLOOMERY_RETURN_IF_ERROR(writer.append(cell));
    }
    BLOOMERY_RETURN_IF_ERROR(cells.next());
  }
  return {};
}

Status export_family(const TableSource& source, const FamilySchema& family, const SplitKeys& splits,
                     BulkLoadDirectory& directory, BulkLoadCounts& counts) {
  BulkLoadPlan plan{.splits = splits};
  BLOOMERY_ASSIGN_OR_RETURN(plan.file, write_options_of(family));
  plan.file.purpose = HFilePurpose::kBulkLoad;
  BulkLoadWriter writer(directory, plan);
  for (std::size_t i = 0; i < source.layout().regions.size(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(export_store(source, i, family, writer));
  }
  BLOOMERY_RETURN_IF_ERROR(writer.finish());
  counts += writer.counts();
  return {};
}

}  // namespace
}  // namespace table

Result<BulkLoadCounts> export_bulk_load(const Table& table, const std::string& directory,
                                        const SplitKeys& splits) {
  const table::TableSource& source = table::TableAccess::source_of(table);
  for (const FamilySchema& family : source.layout().schema.families) {
    BLOOMERY_RETURN_IF_ERROR(table::check_exportable(family));
  }
  BLOOMERY_ASSIGN_OR_RETURN(BulkLoadDirectory made, BulkLoadDirectory::create(directory));
  BulkLoadCounts counts;
  for (const FamilySchema& family : source.layout().schema.families) {
    BLOOMERY_RETURN_IF_ERROR(table::export_family(source, family, splits, made, counts));
  }
  BLOOMERY_RETURN_IF_ERROR(made.commit());
  return counts;
}

Status export_snapshot(const std::string& root, const std::string& snapshot, const std::string& directory,
                       bool copies) {
  BLOOMERY_RETURN_IF_ERROR(table::check_snapshot_name(snapshot));
  const table::RootDirectory from(root);
  if (!table::exists(from.files(), from.snapshot(snapshot))) {
    return table::none_at(from.snapshot(snapshot), "snapshot", from.snapshots());
  }
  BLOOMERY_ASSIGN_OR_RETURN(const table::Snapshot read, table::read_snapshot(from, snapshot));
  BLOOMERY_RETURN_IF_ERROR(table::make_directory(from.files(), directory));
  return table::write_snapshot(from, table::RootDirectory(directory), read, copies);
}

}  // namespace bloomery
