#include "table/layout/table_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/message.h"
#include "table/layout/disk_calls.h"
#include "table/layout/hbase_messages_writer.h"
#include "table/layout/legal_names.h"
#include "table/layout/table_descriptor.h"

namespace bloomery::table {
namespace {

TableName name_of(const TableSchema& schema) {
  return {schema.name_space, schema.name};
}

std::string live_directory(const std::string& root, const TableName& table) {
  return message(root, "/data/", table.name_space, "/", table.name);
}

std::string staged_directory(const std::string& root, const TableName& table) {
  return message(root, "/.tmp/data/", table.name_space, "/", table.name);
}

std::string staged_copy(const std::string& root, const TableName& table, const std::string& mark) {
  return message(staged_directory(root, table), "+", mark);
}

Error no_table(const TableName& table) {
  return Error(ErrorCode::kNotFound, table.text(), "expected a table, found none");
}

Status expect_table(FileSystem& files, const std::string& root, const TableName& table) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, live_directory(root, table)));
  return is_there ? Status() : Status(no_table(table));
}

// Removes what an earlier call left in .tmp of this table, and makes the directory for what comes.
Status clear_staging(FileSystem& files, const std::string& root, const TableName& table) {
  const std::string staged = staged_directory(root, table);
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, root, message(".tmp/data/", table.name_space)));
  BLOOMERY_RETURN_IF_ERROR(remove_tree(files, staged + "~"));
  BLOOMERY_RETURN_IF_ERROR(remove_tree(files, staged));
  return files.sync_directory_of(staged);
}

Status write_region(FileSystem& files, const std::string& table, const TableSchema& schema,
                    const RegionInfo& region) {
  const std::string name = region.encoded_name();
  const std::string directory = message(table, "/", name);
  BLOOMERY_RETURN_IF_ERROR(make_directory(files, directory));
  BLOOMERY_RETURN_IF_ERROR(write_new_file(files, directory + "/.regioninfo", write_region_info_file(region)));
  for (const FamilySchema& family : schema.families) {
    BLOOMERY_RETURN_IF_ERROR(make_directory(files, message(directory, "/", family.name)));
  }
  return sync_directory(files, directory);
}

// Writes a complete table to a directory of .tmp.
Status write_table(FileSystem& files, const std::string& staged, const TableSchema& schema,
                   const SplitKeys& splits, std::uint64_t id, const RegionFill& fill) {
  const TableName table = name_of(schema);
  BLOOMERY_RETURN_IF_ERROR(make_directory(files, staged));
  BLOOMERY_RETURN_IF_ERROR(write_descriptor(files, staged, schema));
  for (std::size_t i = 0; i < splits.region_count(); ++i) {
    const bool is_last = i + 1 == splits.region_count();
    const RegionInfo region{.table = table,
                            .id = id,
                            .start = std::string(i == 0 ? std::string_view() : splits.start_of(i)),
                            .end = std::string(is_last ? std::string_view() : splits.start_of(i + 1))};
    BLOOMERY_RETURN_IF_ERROR(write_region(files, staged, schema, region));
    if (fill) {
      BLOOMERY_RETURN_IF_ERROR(fill(i, message(staged, "/", region.encoded_name())));
    }
  }
  return sync_directory(files, staged);
}

Status stage_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                   const SplitKeys& splits, std::uint64_t id) {
  BLOOMERY_RETURN_IF_ERROR(clear_staging(files, root, name_of(schema)));
  return write_table(files, staged_directory(root, name_of(schema)), schema, splits, id, nullptr);
}

// Gives a staged table the place of the one of its name.
Status replace_table(FileSystem& files, const std::string& root, const TableName& table,
                     const std::string& staged) {
  const std::string live = live_directory(root, table);
  const std::string old = staged_directory(root, table) + "~";
  BLOOMERY_RETURN_IF_ERROR(move_directory(files, live, old));
  BLOOMERY_RETURN_IF_ERROR(move_directory(files, staged, live));
  (void)remove_tree(files, old);
  return {};
}

// Errors: kNotFound without the namespace; kInvalidArgument with EEXIST if the table exists.
Status expect_no_table(FileSystem& files, const std::string& root, const TableName& table) {
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_namespace,
                            exists_in(files, message(root, "/data/", table.name_space)));
  if (!has_namespace) {
    return Error(ErrorCode::kNotFound, table.name_space, "expected a namespace, found none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, live_directory(root, table)));
  return is_there
             ? Status(Error::invalid_argument(table.text(), "expected a new table, found one of this name")
                          .with_errno(EEXIST))
             : Status();
}

// Ends what a crash interrupted in one namespace of .tmp.
Status finish_namespace(FileSystem& files, const std::string& root, const std::string& name_space) {
  const std::string folder = message(root, "/.tmp/data/", name_space);
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, folder));
  for (const DirectoryEntry& entry : entries) {
    if (!entry.name.ends_with('~')) {
      continue;
    }
    const TableName table{name_space, entry.name.substr(0, entry.name.size() - 1)};
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_live, exists_in(files, live_directory(root, table)));
    const std::string staged = staged_directory(root, table);
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_staged, exists_in(files, staged));
    if (!is_live) {
      BLOOMERY_RETURN_IF_ERROR(
          move_directory(files, is_staged ? staged : staged + "~", live_directory(root, table)));
    }
  }
  if (!entries.empty()) {  // a table must not lose both of its names
    BLOOMERY_RETURN_IF_ERROR(
        files.sync_directory_of(live_directory(root, {name_space, entries.front().name})));
  }
  return remove_tree(files, folder);
}

bool has_family(const TableSchema& schema, const std::string& name) {
  return schema.find(name) != nullptr;
}

// Makes the directories of families that the table did not have. A leftover of an earlier family of the name
// is removed first: its files must not come back.
Status add_family_directories(FileSystem& files, const std::string& region, const TableSchema& old,
                              const TableSchema& schema) {
  for (const FamilySchema& family : schema.families) {
    if (!has_family(old, family.name)) {
      BLOOMERY_RETURN_IF_ERROR(remove_tree(files, message(region, "/", family.name)));
      BLOOMERY_RETURN_IF_ERROR(make_directories(files, region, family.name));
    }
  }
  return {};
}

Status remove_family_directories(FileSystem& files, const std::string& region, const TableSchema& old,
                                 const TableSchema& schema) {
  for (const FamilySchema& family : old.families) {
    if (!has_family(schema, family.name)) {
      BLOOMERY_RETURN_IF_ERROR(remove_tree(files, message(region, "/", family.name)));
    }
  }
  return {};
}

}  // namespace

Status make_root_directories(FileSystem& files, const std::string& root) {
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, root, "data/default"));
  return make_directories(files, root, ".tmp/data");
}

Status finish_interrupted(FileSystem& files, const std::string& root) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto name_spaces, list_if_there(files, root + "/.tmp/data"));
  for (const DirectoryEntry& name_space : name_spaces) {
    BLOOMERY_RETURN_IF_ERROR(finish_namespace(files, root, name_space.name));
  }
  return {};
}

Status create_namespace(FileSystem& files, const std::string& root, const std::string& name) {
  BLOOMERY_RETURN_IF_ERROR(check_namespace_name(name));
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, message(root, "/data/", name)));
  if (is_there) {
    return Error::invalid_argument(name, "expected a new namespace, found one of this name")
        .with_errno(EEXIST);
  }
  return make_directories(files, root, "data/" + name);
}

Result<std::vector<std::string>> list_namespaces(FileSystem& files, const std::string& root) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto entries, list_if_there(files, root + "/data"));
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : entries) {
    if (entry.is_directory && !entry.name.starts_with('.')) {
      names.push_back(entry.name);
    }
  }
  return names;
}

Status drop_namespace(FileSystem& files, const std::string& root, const std::string& name) {
  BLOOMERY_RETURN_IF_ERROR(check_namespace_name(name));
  const std::string path = message(root, "/data/", name);
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, exists_in(files, path));
  if (!is_there) {
    return Error(ErrorCode::kNotFound, name, "expected a namespace, found none");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto tables, list_if_there(files, path));
  if (!tables.empty() || name == "default") {
    return Error::invalid_argument(
        name, tables.empty() ? "the namespace default cannot be dropped"
                             : "expected a namespace without tables, found " + tables.front().name);
  }
  BLOOMERY_RETURN_IF_ERROR(remove_tree(files, path));
  return files.sync_directory_of(path);
}

Status create_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                    const SplitKeys& splits, std::uint64_t region_id) {
  BLOOMERY_RETURN_IF_ERROR(schema.check());
  const TableName table = name_of(schema);
  BLOOMERY_RETURN_IF_ERROR(expect_no_table(files, root, table));
  BLOOMERY_RETURN_IF_ERROR(stage_table(files, root, schema, splits, region_id));
  return move_directory(files, staged_directory(root, table), live_directory(root, table));
}

Status stage_copy(FileSystem& files, const std::string& root, const TableSchema& schema,
                  const SplitKeys& splits, std::uint64_t region_id, const std::string& mark,
                  const RegionFill& fill) {
  BLOOMERY_RETURN_IF_ERROR(schema.check());
  const TableName table = name_of(schema);
  const std::string staged = staged_copy(root, table, mark);
  BLOOMERY_RETURN_IF_ERROR(make_directories(files, root, message(".tmp/data/", table.name_space)));
  const Status written = write_table(files, staged, schema, splits, region_id, fill);
  if (!written) {
    (void)remove_tree(files, staged);
    return written;
  }
  return files.sync_directory_of(staged);
}

Status publish_copy(FileSystem& files, const std::string& root, const TableName& table,
                    const std::string& mark) {
  BLOOMERY_RETURN_IF_ERROR(expect_no_table(files, root, table));
  return move_directory(files, staged_copy(root, table, mark), live_directory(root, table));
}

Status replace_by_copy(FileSystem& files, const std::string& root, const TableName& table,
                       const std::string& mark) {
  BLOOMERY_RETURN_IF_ERROR(expect_table(files, root, table));
  BLOOMERY_RETURN_IF_ERROR(clear_staging(files, root, table));
  return replace_table(files, root, table, staged_copy(root, table, mark));
}

void drop_copy(FileSystem& files, const std::string& root, const TableName& table, const std::string& mark) {
  (void)remove_tree(files, staged_copy(root, table, mark));
}

Status drop_table(FileSystem& files, const std::string& root, const TableName& table) {
  BLOOMERY_RETURN_IF_ERROR(check_table_name(table));
  BLOOMERY_RETURN_IF_ERROR(expect_table(files, root, table));
  BLOOMERY_RETURN_IF_ERROR(clear_staging(files, root, table));
  const std::string staged = staged_directory(root, table);
  BLOOMERY_RETURN_IF_ERROR(move_directory(files, live_directory(root, table), staged));
  (void)remove_tree(files, staged);  // the table is dropped; finish_interrupted() removes what is left
  return {};
}

Status truncate_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                      const SplitKeys& splits, std::uint64_t region_id) {
  BLOOMERY_RETURN_IF_ERROR(schema.check());
  const TableName table = name_of(schema);
  BLOOMERY_RETURN_IF_ERROR(expect_table(files, root, table));
  BLOOMERY_RETURN_IF_ERROR(stage_table(files, root, schema, splits, region_id));
  return replace_table(files, root, table, staged_directory(root, table));
}

Status alter_table(FileSystem& files, const std::string& root, const TableSchema& schema,
                   const std::vector<std::string>& regions) {
  BLOOMERY_RETURN_IF_ERROR(schema.check());
  const std::string live = live_directory(root, name_of(schema));
  BLOOMERY_RETURN_IF_ERROR(expect_table(files, root, name_of(schema)));
  BLOOMERY_ASSIGN_OR_RETURN(const TableSchema old, read_descriptor(files, live));
  for (const std::string& region : regions) {
    BLOOMERY_RETURN_IF_ERROR(add_family_directories(files, message(live, "/", region), old, schema));
  }
  BLOOMERY_RETURN_IF_ERROR(write_descriptor(files, live, schema));
  for (const std::string& region : regions) {
    BLOOMERY_RETURN_IF_ERROR(remove_family_directories(files, message(live, "/", region), old, schema));
  }
  return {};
}

}  // namespace bloomery::table
