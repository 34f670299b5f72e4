// Filters of other systems.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/dialects/dialects.h"
#include "c_api/call.h"
#include "c_api/handle_pool.h"
#include "c_api/key_pieces.h"

namespace bloomery::c_api {
namespace {

struct OpenDialect {
  std::unique_ptr<DialectFilter> filter;
  std::string name = {};  // bloomery_dialect_facts() returns a pointer to it
};
using Dialects = HandlePool<OpenDialect, 0x8100fd1a1ec7>;

int give_dialect(Result<std::unique_ptr<DialectFilter>> filter, bloomery_dialect** out) {
  if (!filter) {
    return failed(filter.error());
  }
  void* handle = Dialects::open({.filter = std::move(*filter)});
  if (handle == nullptr) {
    return failed(BLOOMERY_CAPACITY, "memory", "expected room for a handle, found none");
  }
  *out = static_cast<bloomery_dialect*>(handle);
  return BLOOMERY_OK;
}

// Opens a handle for the filter that open(memory, missing) returns.
template <typename Open>
int open_dialect_with(const bloomery_dialect_options* options, bloomery_dialect** dialect, const Open& open) {
  if (dialect == nullptr) {
    return failed_argument("dialect", "expected a place for the handle, found null");
  }
  *dialect = nullptr;
  return guarded([&] {
    bloomery_dialect_options read = BLOOMERY_DIALECT_OPTIONS_INIT;
    if (const Status status = read_struct(read, options, "bloomery_dialect_options", IfNull::kDefault);
        !status) {
      return failed(status.error());
    }
    return give_dialect(open(FileMemory{read.memory_bytes},
                             read.accepts_missing != 0 ? MissingFilters::kAnyKey : MissingFilters::kRefuse),
                        dialect);
  });
}

// Runs `act` on an open dialect, which may be const.
template <typename Handle, typename Act>
int with_dialect(Handle* dialect, const Act& act) {
  auto* open = Dialects::find(dialect);
  return open == nullptr ? failed_handle("bloomery_dialect") : guarded([&] { return act(*open); });
}

std::string_view name_of(const char* name) {
  return name == nullptr ? std::string_view() : std::string_view(name);
}

Result<std::unique_ptr<DialectFilter>> built(const char* name, const DialectPlan& plan,
                                             const bloomery_keys* keys) {
  BLOOMERY_ASSIGN_OR_RETURN(const bloomery_keys checked, checked_keys(keys));
  BLOOMERY_ASSIGN_OR_RETURN(const auto builder, build_dialect(name_of(name), plan));
  Status added;
  for_each_piece(checked, [&](std::size_t, std::span<const std::string_view> views) {
    if (added) {
      added = builder->add(views);
    }
  });
  if (!added) {
    return added.error();
  }
  return builder->finish();
}

// Copies the dialects' names, since a C string needs a final zero byte.
const std::vector<std::string>& dialect_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const DialectDescription& description : dialects()) {
      all.emplace_back(description.name);
    }
    return all;
  }();
  return names;
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

const char* bloomery_dialect_name(size_t index) {
  const char* name = nullptr;
  guarded([&] {
    name = index < dialect_names().size() ? dialect_names()[index].c_str() : nullptr;
    return static_cast<int>(BLOOMERY_OK);
  });
  return name;
}

int bloomery_dialect_open(const char* path, const char* name, const bloomery_dialect_options* options,
                          bloomery_dialect** dialect) {
  if (path == nullptr) {
    return failed_argument("path", "expected the name of a file, found null");
  }
  return open_dialect_with(options, dialect, [&](const FileMemory& memory, MissingFilters missing) {
    return open_dialect(path, name_of(name), memory, missing);
  });
}

int bloomery_dialect_view(const void* bytes, size_t bytes_count, const char* name,
                          const bloomery_dialect_options* options, bloomery_dialect** dialect) {
  if (!is_key(bytes, bytes_count)) {
    return failed_argument("bytes", "expected the bytes of a filter, found null");
  }
  return open_dialect_with(options, dialect, [&](const FileMemory& memory, MissingFilters missing) {
    return view_dialect(std::as_bytes(std::span(view_of(bytes, bytes_count))), name_of(name), memory,
                        missing);
  });
}

int bloomery_dialect_build(const char* name, uint64_t capacity, double fpp, double bits_per_key,
                           const bloomery_keys* keys, bloomery_dialect** dialect) {
  return open_dialect_with(nullptr, dialect, [&](const FileMemory&, MissingFilters) {
    DialectPlan plan = {.capacity = capacity, .fpp = {}, .bits_per_key = {}};
    if (fpp != 0) {
      plan.fpp = fpp;
    }
    if (bits_per_key != 0) {
      plan.bits_per_key = bits_per_key;
    }
    return built(name, plan, keys);
  });
}

int bloomery_dialect_may_contain(const bloomery_dialect* dialect, const void* key, size_t length) {
  return with_dialect(dialect, [&](const OpenDialect& open) {
    if (!is_key(key, length)) {
      return failed_argument("key", "expected bytes, found null");
    }
    return open.filter->may_contain(view_of(key, length)) ? 1 : 0;
  });
}

int bloomery_dialect_may_contain_batch(const bloomery_dialect* dialect, const bloomery_keys* keys,
                                       uint64_t* answers, size_t words) {
  return with_dialect(dialect, [&](const OpenDialect& open) {
    const Result<bloomery_keys> checked = checked_keys(keys);
    if (!checked) {
      return failed(checked.error());
    }
    if (checked->count > 0 && (answers == nullptr || words < answer_words(checked->count))) {
      return failed_argument("answers", "expected room for " + std::to_string(answer_words(checked->count)) +
                                            " words, found less");
    }
    const std::span<std::uint64_t> all(answers, words);
    for_each_piece(*checked, [&](std::size_t first, std::span<const std::string_view> views) {
      open.filter->may_contain_batch(views, all.subspan(first / 64));
    });
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_dialect_insert(bloomery_dialect* dialect, const void* key, size_t length) {
  return with_dialect(dialect, [&](OpenDialect& open) {
    if (!is_key(key, length)) {
      return failed_argument("key", "expected bytes, found null");
    }
    const Result<bool> inserted = open.filter->insert(view_of(key, length));
    return inserted ? (*inserted ? 1 : 0) : failed(inserted.error());
  });
}

int bloomery_dialect_insert_batch(bloomery_dialect* dialect, const bloomery_keys* keys, uint64_t* changed) {
  return with_dialect(dialect, [&](OpenDialect& open) {
    const Result<bloomery_keys> checked = checked_keys(keys);
    if (!checked) {
      return failed(checked.error());
    }
    std::uint64_t count = 0;
    Status inserted;
    for_each_piece(*checked, [&](std::size_t, std::span<const std::string_view> views) {
      if (inserted) {
        const Result<std::uint64_t> piece = open.filter->insert_batch(views);
        inserted = piece ? Status() : Status(piece.error());
        count += piece ? *piece : 0;
      }
    });
    if (changed != nullptr) {
      *changed = count;
    }
    return result_of(inserted);
  });
}

int bloomery_dialect_merge(bloomery_dialect* dialect, const bloomery_dialect* other) {
  return with_dialect(dialect, [&](OpenDialect& open) {
    const OpenDialect* with = Dialects::find(other);
    if (with == nullptr) {
      return failed_handle("bloomery_dialect");
    }
    return with == &open ? failed_argument("other", "expected another filter, found the same one")
                         : result_of(open.filter->merge(*with->filter));
  });
}

int bloomery_dialect_save(const bloomery_dialect* dialect, const char* path, int replace) {
  return with_dialect(dialect, [&](const OpenDialect& open) {
    return path == nullptr ? failed_argument("path", "expected the name of a file, found null")
                           : result_of(open.filter->save(path, {.replace = replace != 0}));
  });
}

int bloomery_dialect_bytes(const bloomery_dialect* dialect, void** bytes, size_t* bytes_count) {
  return with_dialect(dialect, [&](const OpenDialect& open) {
    std::string file;
    const Status written = open.filter->append_to(file);
    return written ? result_of(give_bytes(file, bytes, bytes_count)) : failed(written.error());
  });
}

int bloomery_dialect_verify(const bloomery_dialect* dialect) {
  return with_dialect(dialect, [](const OpenDialect& open) { return result_of(open.filter->file_status()); });
}

int bloomery_dialect_facts(bloomery_dialect* dialect, bloomery_dialect_description* facts) {
  return with_dialect(dialect, [&](OpenDialect& open) {
    const DialectFacts found = open.filter->facts();
    open.name = open.filter->dialect();
    bloomery_dialect_description description = {};
    description.name = open.name.c_str();
    description.bits = found.bits;
    description.set_bits = found.set_bits;
    description.inserted = found.inserted.value_or(std::numeric_limits<std::uint64_t>::max());
    description.current_fpp = open.filter->current_fpp();
    description.hash_count = found.hash_count;
    description.is_static = open.filter->is_static() ? 1 : 0;
    return result_of(write_struct(facts, description, "bloomery_dialect_description"));
  });
}

int bloomery_dialect_close(bloomery_dialect* dialect) {
  return dialect == nullptr || Dialects::close(dialect) ? static_cast<int>(BLOOMERY_OK)
                                                        : failed_handle("bloomery_dialect");
}

}  // extern "C"
