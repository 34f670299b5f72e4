// Stores, and the writes to their tables. Gets and scans are in table_calls.cc.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/store/store.h"
#include "bloomery/table/family_text.h"
#include "c_api/call.h"
#include "c_api/files/open_table.h"
#include "c_api/handle_pool.h"

namespace bloomery::c_api {
namespace {

using Stores = HandlePool<Store, 0x8100f5708e>;

Result<StoreOptions> store_options(const bloomery_store_options* given) {
  bloomery_store_options read = BLOOMERY_STORE_OPTIONS_INIT;
  BLOOMERY_RETURN_IF_ERROR(read_struct(read, given, "bloomery_store_options", IfNull::kDefault));
  StoreOptions options;
  if (read.flush_bytes != 0) {
    options.flush_bytes = read.flush_bytes;
  }
  if (read.memory_bytes != 0) {
    options.memory_bytes = read.memory_bytes;
  }
  if (read.cache_bytes != 0) {
    options.cache = BlockCache::make(read.cache_bytes);
  }
  options.flushes_at_close = read.leaves_log == 0;
  return options;
}

Result<WriteOptions> write_options(const bloomery_write_options* given) {
  bloomery_write_options read = BLOOMERY_WRITE_OPTIONS_INIT;
  BLOOMERY_RETURN_IF_ERROR(read_struct(read, given, "bloomery_write_options", IfNull::kDefault));
  if (read.durability > BLOOMERY_FSYNC_WAL) {
    return Error::invalid_argument("durability", "expected one of bloomery.h, found another number");
  }
  return WriteOptions{.durability = static_cast<Durability>(read.durability),
                      .waits = read.refuses_to_wait == 0};
}

Result<std::string_view> view_of_bytes(const bloomery_bytes& bytes, const char* name) {
  BLOOMERY_RETURN_IF_ERROR(check_bytes(bytes, name));
  return view_of(bytes.data, bytes.length);
}

// A put into a column. Its texts are the caller's.
Result<Mutation> put_of(const bloomery_bytes& row, const bloomery_bytes& family,
                        const bloomery_bytes& qualifier, const bloomery_bytes& value) {
  Mutation put;
  BLOOMERY_ASSIGN_OR_RETURN(put.row, view_of_bytes(row, "row"));
  BLOOMERY_ASSIGN_OR_RETURN(put.family, view_of_bytes(family, "family"));
  BLOOMERY_ASSIGN_OR_RETURN(put.qualifier, view_of_bytes(qualifier, "qualifier"));
  BLOOMERY_ASSIGN_OR_RETURN(put.value, view_of_bytes(value, "value"));
  return put;
}

Result<CellType> written_type(std::uint8_t number) {
  switch (const auto type = static_cast<CellType>(number)) {
    case CellType::kPut:
    case CellType::kDelete:
    case CellType::kDeleteFamilyVersion:
    case CellType::kDeleteColumn:
    case CellType::kDeleteFamily:
      return type;
    default:
      return Error::invalid_argument("type", "expected one of bloomery.h, found another number");
  }
}

// The size of the first element is that of all, so that programs with another header have their own stride.
Result<std::vector<Mutation>> read_mutations(const bloomery_mutation* given, std::size_t count) {
  std::vector<Mutation> mutations;
  if (count > 0 && given == nullptr) {
    return Error::invalid_argument("bloomery_mutation", "expected mutations, found null");
  }
  const auto* at = reinterpret_cast<const std::byte*>(given);
  for (std::size_t i = 0; i < count; ++i) {
    bloomery_mutation read = BLOOMERY_MUTATION_INIT;
    BLOOMERY_RETURN_IF_ERROR(
        read_struct(read, reinterpret_cast<const bloomery_mutation*>(at), "bloomery_mutation"));
    if (read.size != given->size) {
      return Error::invalid_argument("bloomery_mutation", "expected elements of one size, found another one");
    }
    BLOOMERY_ASSIGN_OR_RETURN(Mutation mutation, put_of(read.row, read.family, read.qualifier, read.value));
    BLOOMERY_ASSIGN_OR_RETURN(mutation.type, written_type(read.type));
    if (read.has_timestamp != 0) {
      mutation.timestamp = read.timestamp;
    }
    mutations.push_back(mutation);
    at += read.size;
  }
  return mutations;
}

Result<Check> read_check(const bloomery_check* given) {
  bloomery_check read = BLOOMERY_CHECK_INIT;
  BLOOMERY_RETURN_IF_ERROR(read_struct(read, given, "bloomery_check"));
  BLOOMERY_ASSIGN_OR_RETURN(const Mutation place, put_of(read.row, read.family, read.qualifier, read.value));
  if (read.is > BLOOMERY_IS_GREATER_OR_EQUAL) {
    return Error::invalid_argument("is", "expected a comparison of bloomery.h, found another number");
  }
  Check check{.row = place.row,
              .family = place.family,
              .qualifier = place.qualifier,
              .is = static_cast<Check::Is>(read.is)};
  if (read.value.data != nullptr) {
    check.value = place.value;
  }
  return check;
}
static_assert(static_cast<int>(Check::Is::kLess) == BLOOMERY_IS_LESS &&
              static_cast<int>(Check::Is::kGreaterOrEqual) == BLOOMERY_IS_GREATER_OR_EQUAL);

// Opens a store by Store::create or Store::open.
template <typename Open>
int open_store(const char* root, const bloomery_store_options* options, bloomery_store** store,
               const Open& open) {
  if (root == nullptr || store == nullptr) {
    return failed_argument("root", "expected a directory and a place for the handle, found null");
  }
  *store = nullptr;
  return guarded([&] {
    const Result<StoreOptions> read = store_options(options);
    if (!read) {
      return failed(read.error());
    }
    Result<Store> opened = open(root, *read);
    return opened ? give_handle<Stores>(std::move(*opened), store) : failed(opened.error());
  });
}

// Checks the handle of a store and the name of a table, then returns act(store).
template <typename Handle, typename Act>
int with_table_of(Handle* store, const char* name, const Act& act) {
  auto* open = Stores::find(store);
  if (open == nullptr) {
    return failed_handle("bloomery_store");
  }
  if (name == nullptr) {
    return failed_argument("name", "expected the name of a table, found null");
  }
  return guarded([&] { return act(*open); });
}

int give_table(Result<StoreTable> table, bloomery_table** out) {
  return table ? give_handle<Tables>(OpenTable(std::move(*table)), out) : failed(table.error());
}

Result<TableSchema> new_schema(const char* name, const char* const* families, std::size_t count) {
  BLOOMERY_ASSIGN_OR_RETURN(TableSchema schema, TableSchema::of_table(name));
  for (std::size_t i = 0; i < count; ++i) {
    if (families == nullptr || families[i] == nullptr) {
      return Error::invalid_argument("families", "expected a text, found null");
    }
    BLOOMERY_RETURN_IF_ERROR(set_family(schema, families[i], FamilyIs::kNew));
  }
  return schema;
}

Result<SplitKeys> read_splits(const bloomery_bytes* splits, std::size_t count) {
  SplitKeys keys;
  for (std::size_t i = 0; i < count; ++i) {
    if (splits == nullptr) {
      return Error::invalid_argument("splits", "expected rows, found null");
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::string_view row, view_of_bytes(splits[i], "splits"));
    if (const Status appended = keys.append(row); !appended) {
      return appended.error().in_file("splits");
    }
  }
  return keys;
}

Result<StoreTable> create_table(Store& store, const Result<TableSchema>& schema,
                                const Result<SplitKeys>& splits) {
  if (!schema || !splits) {
    return schema ? splits.error() : schema.error();
  }
  return store.create_table(*schema, *splits);
}

// Checks the handle, reads the options, then returns act(table, options).
template <typename Act>
int write_to(bloomery_table* table, const bloomery_write_options* options, const Act& act) {
  OpenTable* open = Tables::find(table);
  if (open == nullptr) {
    return failed_handle("bloomery_table");
  }
  auto* written = std::get_if<StoreTable>(open);
  if (written == nullptr) {
    return failed_argument("bloomery_table", "expected a table of a store, found one that is only read");
  }
  return guarded([&] {
    const Result<WriteOptions> read = write_options(options);
    return read ? act(*written, *read) : failed(read.error());
  });
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_store_create(const char* root, const bloomery_store_options* options, bloomery_store** store) {
  return open_store(root, options, store, &Store::create);
}

int bloomery_store_open(const char* root, const bloomery_store_options* options, bloomery_store** store) {
  return open_store(root, options, store, &Store::open);
}

int bloomery_store_close(bloomery_store* store) {
  if (store == nullptr) {
    return BLOOMERY_OK;
  }
  Store* open = Stores::find(store);
  if (open == nullptr) {
    return failed_handle("bloomery_store");
  }
  const int closed = guarded([&] { return result_of(open->close()); });
  Stores::close(store);
  return closed;
}

int bloomery_store_health(const bloomery_store* store) {
  const Store* open = Stores::find(store);
  return open == nullptr ? failed_handle("bloomery_store")
                         : guarded([&] { return result_of(open->health()); });
}

int bloomery_store_create_table(bloomery_store* store, const char* name, const char* const* families,
                                size_t family_count, const bloomery_bytes* splits, size_t split_count,
                                bloomery_table** table) {
  return with_table_of(store, name, [&](Store& open) {
    if (table == nullptr) {
      return failed_argument("table", "expected a place for the handle, found null");
    }
    *table = nullptr;
    return give_table(
        create_table(open, new_schema(name, families, family_count), read_splits(splits, split_count)),
        table);
  });
}

int bloomery_store_table(const bloomery_store* store, const char* name, bloomery_table** table) {
  return with_table_of(store, name, [&](const Store& open) {
    if (table == nullptr) {
      return failed_argument("table", "expected a place for the handle, found null");
    }
    *table = nullptr;
    return give_table(open.table(name), table);
  });
}

int bloomery_store_drop_table(bloomery_store* store, const char* name) {
  return with_table_of(store, name, [&](Store& open) { return result_of(open.drop_table(name)); });
}

int bloomery_table_put(bloomery_table* table, bloomery_bytes row, bloomery_bytes family,
                       bloomery_bytes qualifier, bloomery_bytes value,
                       const bloomery_write_options* options) {
  return write_to(table, options, [&](StoreTable& open, const WriteOptions& how) {
    const Result<Mutation> put = put_of(row, family, qualifier, value);
    return put ? result_of(open.mutate({&*put, 1}, how)) : failed(put.error());
  });
}

int bloomery_table_delete_row(bloomery_table* table, bloomery_bytes row,
                              const bloomery_write_options* options) {
  return write_to(table, options, [&](StoreTable& open, const WriteOptions& how) {
    const Result<std::string_view> view = view_of_bytes(row, "row");
    return view ? result_of(open.delete_row(*view, how)) : failed(view.error());
  });
}

int bloomery_table_mutate(bloomery_table* table, const bloomery_mutation* mutations, size_t count,
                          const bloomery_write_options* options) {
  return write_to(table, options, [&](StoreTable& open, const WriteOptions& how) {
    const Result<std::vector<Mutation>> read = read_mutations(mutations, count);
    return read ? result_of(open.mutate(*read, how)) : failed(read.error());
  });
}

int bloomery_table_increment(bloomery_table* table, bloomery_bytes row, bloomery_bytes family,
                             bloomery_bytes qualifier, int64_t amount, const bloomery_write_options* options,
                             int64_t* sum) {
  return write_to(table, options, [&](StoreTable& open, const WriteOptions& how) {
    const Result<Mutation> place = put_of(row, family, qualifier, {});
    if (!place) {
      return failed(place.error());
    }
    const Result<std::int64_t> grown =
        open.increment(place->row, place->family, place->qualifier, amount, how);
    if (grown && sum != nullptr) {
      *sum = *grown;
    }
    return grown ? static_cast<int>(BLOOMERY_OK) : failed(grown.error());
  });
}

int bloomery_table_append(bloomery_table* table, bloomery_bytes row, bloomery_bytes family,
                          bloomery_bytes qualifier, bloomery_bytes value,
                          const bloomery_write_options* options, void** bytes, size_t* count) {
  return write_to(table, options, [&](StoreTable& open, const WriteOptions& how) {
    if ((bytes == nullptr) != (count == nullptr)) {
      return failed_argument("bytes", "expected a place for pointer and size, found one of them null");
    }
    const Result<Mutation> put = put_of(row, family, qualifier, value);
    if (!put) {
      return failed(put.error());
    }
    const Result<std::string> joined = open.append(put->row, put->family, put->qualifier, put->value, how);
    if (!joined) {
      return failed(joined.error());
    }
    return bytes == nullptr ? static_cast<int>(BLOOMERY_OK) : result_of(give_bytes(*joined, bytes, count));
  });
}

int bloomery_table_check_and_mutate(bloomery_table* table, const bloomery_check* check,
                                    const bloomery_mutation* mutations, size_t count,
                                    const bloomery_write_options* options) {
  return write_to(table, options, [&](StoreTable& open, const WriteOptions& how) {
    const Result<Check> condition = read_check(check);
    if (!condition) {
      return failed(condition.error());
    }
    const Result<std::vector<Mutation>> read = read_mutations(mutations, count);
    if (!read) {
      return failed(read.error());
    }
    const Result<bool> held = open.check_and_mutate(*condition, *read, how);
    return held ? static_cast<int>(*held) : failed(held.error());
  });
}

int bloomery_table_flush(bloomery_table* table) {
  return write_to(table, nullptr,
                  [](StoreTable& open, const WriteOptions&) { return result_of(open.flush()); });
}

}  // extern "C"
