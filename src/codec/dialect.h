// One row of the list of dialects: a description, functions that recognise, open and build, and everything
// else in which systems differ. Each folder of a system below this one provides such a row. Other code reads
// the row and compares no names.
//
// To add a dialect:
//
//   1. Write src/codec/<system>/<system>_dialect.cc with a function `Dialect <system>_dialect()`, and declare
//      the function at the end of this header.
//   2. Add its sources to src/codec/CMakeLists.txt.
//   3. Add a line to the list in src/dialects/dialects.cc.
//
// A system's folder may include base, hash, compress, filter and the files directly in codec. It includes no
// other system's folder.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/memory_budget.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_description.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"

namespace bloomery {

// Decides about bytes that no writer of the dialect makes. Most of these formats have no checksum, so such
// bytes are damage or another kind of file, and would answer no to keys that were inserted.
enum class Doubt { kRefuse, kAccept };

// A file, or bytes in memory, that a dialect recognises or opens.
struct DialectSource {
  std::span<const std::byte> bytes;
  // The path of the file. Some formats need it to find other files in the same directory. Empty for bytes in
  // memory.
  std::string path;
  // Keeps `bytes` alive. A filter that reads them after it is opened holds it (DialectFilter::hold()).
  // Null when the caller keeps the bytes alive.
  std::shared_ptr<const void> owner;
  // The budget that is charged for everything that a filter keeps of the file. Null if there is no limit.
  std::shared_ptr<MemoryBudget> memory = {};
  MissingFilters missing = MissingFilters::kRefuse;
  // kAccept if the option contains the word `forced`.
  Doubt doubt = Doubt::kRefuse;

  // Returns kCorruption for bytes that no writer makes, unless doubt is accepted. `detail` names the expected
  // and the found value.
  Status doubted(std::string subject, const std::string& detail) const {
    return doubt == Doubt::kAccept ? Status()
                                   : Error(ErrorCode::kCorruption, std::move(subject),
                                           detail + " (the option `forced` opens it all the same)");
  }

  // Checks that the filter ends at the end of the file, at `end`. A second filter may follow it, and the
  // first one would answer no to the second one's keys: `is_filter` says that the following bytes are one.
  // Errors: kUnsupported for a second filter, kCorruption for other bytes; neither if doubt is accepted.
  Status check_is_alone(const char* subject, std::uint64_t end, bool is_filter) const {
    const std::uint64_t behind = bytes.size() - end;
    if (behind == 0 || doubt == Doubt::kAccept) {
      return {};
    }
    const std::string found = std::to_string(behind) + " bytes behind the filter";
    return is_filter
               ? Error::unsupported(subject, end,
                                    "expected one filter, found " + found +
                                        ", which are another one: give each a file of its own (the option "
                                        "`forced` asks the first one alone)")
               : doubted(subject, "expected the end at byte " + std::to_string(end) + ", found " + found);
  }

  // Charges `bytes_kept` to the budget for as long as the returned pointer lives. A filter keeps that pointer
  // with DialectFilter::hold(). Errors: kCapacity, which names `part`.
  Result<std::shared_ptr<const void>> charged(const char* part, std::uint64_t bytes_kept) const {
    auto share = std::make_shared<MemoryShare>(memory);
    BLOOMERY_RETURN_IF_ERROR(share->add(part, bytes_kept));
    return std::shared_ptr<const void>(std::move(share));
  }
};

// The kind of a directory that holds files of a system.
enum class DialectDirectory {
  kNone,
  kDatabase,  // a manifest, tables and logs (bloomery/dialects/database.h)
  kSSTables,  // sstables, each with its filter in a file (bloomery/dialects/cassandra_directory.h)
};

// The two sources of the type of a filter's keys, in the system's notation.
struct KeyTypeSources {
  std::string_view given;               // by the user; empty if there is none
  std::optional<std::string> recorded;  // by DialectFilter::recorded_key_type()
  std::string option;                   // the subject of errors about `given`
};

// The first bytes of files of one kind, and the name of the kind.
struct FormatMagic {
  std::string_view bytes;
  std::string_view kind;
};

// A row of the list.
struct Dialect {
  DialectDescription description;
  // Reads only the bytes that identify the dialect: a header, a footer, an array of offsets. Never fails.
  RecognisedDialect (*recognise)(std::span<const std::byte> file);
  // `option` is the text after the colon of the name, or empty. This function trusts nothing in the file.
  Result<std::unique_ptr<DialectFilter>> (*open)(const DialectSource& source, std::string_view option);
  // Null if filters of this dialect can only be read.
  Result<std::unique_ptr<DialectBuilder>> (*build)(const DialectPlan& plan, std::string_view option);

  // --- Files. By default a system has no such thing.
  DialectDirectory directory = DialectDirectory::kNone;
  // That of the dialect's files. Other dialects do not open them.
  FormatMagic magic = {};
  // Files with this magic hold more than filters.
  bool holds_data = false;
  // Any bytes open as a filter.
  bool opens_any_bytes = false;
  // Options under which bytes are opened that recognise() does not tell from others.
  std::span<const std::string_view> raw_options = {};
  // The option `TABLE,prefix=` of tables whose filters may be of prefixes. The extractor's name follows it.
  std::string_view prefix_option = {};
  // Returns true for a table with filters of its columns. The option then names a column, so it does not end
  // with `forced`. Null if there are no such tables.
  bool (*has_columns)(std::span<const std::byte> file) = nullptr;
  // Returns the name that opens the file, with its option, if the path tells it; otherwise an empty text.
  std::string (*name_by_path)(std::string_view path) = [](std::string_view) { return std::string(); };
  // Returns a digest of all bits that filters of the file have, and of what leads to them. Null for XXH3-128
  // of the whole file. Errors: those of open.
  Result<Hash128> (*filter_digest)(std::span<const std::byte> file) = nullptr;
  // Checks that a new filter may have this path. Errors: kInvalidArgument.
  Status (*check_new_path)(const std::string& path, std::string_view option) =
      [](const std::string&, std::string_view) { return Status(); };
  // Checks that a file can be saved over after keys were inserted. Errors: kInvalidArgument.
  Status (*check_update)(const std::string& path) = [](const std::string&) { return Status(); };

  // --- Keys. By default text becomes keys by the usual key form, and any other form is accepted.
  // Returns the key form that the option records.
  std::optional<KeyForm> (*recorded_form)(std::string_view option) = [](std::string_view) {
    return std::optional<KeyForm>();
  };
  // Checks a key form against the option. Errors: kInvalidArgument, which names the expected form.
  Status (*check_form)(std::string_view option, KeyForm form) = [](std::string_view, KeyForm) {
    return Status();
  };
  // Returns the type of the keys, for a system whose keys have a type that the filter does not state. At
  // least one source must be there, and two must agree. Errors: kInvalidArgument, kUnsupported. Null if keys
  // have no such type.
  Result<std::shared_ptr<const KeyType>> (*key_type)(const KeyTypeSources& sources) = nullptr;
};

// The rows, each in <system>/<system>_dialect.cc. That of HFiles is in dialects/hfile_dialect.cc.
Dialect bits_and_blooms_dialect();
Dialect cassandra_dialect();
Dialect dcso_dialect();
Dialect fuse16_dialect();
Dialect fuse8_dialect();
Dialect guava_dialect();
Dialect leveldb_dialect();
Dialect parquet_dialect();
Dialect redisbloom_dialect();
Dialect rocksdb_dialect();
Dialect simple_java_dialect();
Dialect spark_dialect();

}  // namespace bloomery
