// The dialect of Cassandra's Filter.db, the Bloom filter of the partition keys of one sstable.
//
//   0          4          8                      8 + 8 W
//   +----------+----------+----------------------+
//   | k (i32)  | W (i32)  | W words of 64 bits   |    big-endian
//   +----------+----------+----------------------+
//
// The version of the sstable decides the order of the bits in a word and of the two halves of the hash. Only
// the file name contains it. So the dialect's name has the version, cassandra:nb, or the file keeps its own
// name, nb-7-big-Filter.db.
//
// If the directory contains the sstable's Statistics.db, its fpp must match the hash count.
//
// Keys are the bytes of partition keys; key_text.h converts them from text. Source:
// docs/formats/cassandra.md.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/message.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/key_type.h"
#include "codec/cassandra/cassandra_filter.h"
#include "codec/cassandra/cassandra_sizing.h"
#include "codec/cassandra/key_text.h"
#include "codec/cassandra/key_type.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/plan.h"

namespace bloomery {
namespace {

// The type of Cassandra's partition keys, which the user gives or a Statistics.db records, as a KeyType.
class PartitionKey final : public KeyType {
 public:
  explicit PartitionKey(CassandraKeyType type) : type_(std::move(type)), name_(describe(type_)) {}

  const std::string& name() const override { return name_; }
  std::size_t parts() const override { return type_.columns.size(); }
  Status append(KeyWriter& writer, std::span<const std::string_view> texts) const override {
    return append_cassandra_key(writer, type_, texts);
  }
  bool takes(KeyForm) const override { return false; }
  Status check(std::span<const std::byte>) const override { return {}; }

 private:
  CassandraKeyType type_;
  std::string name_;
};

Result<CassandraKeyType> agreed_type(const KeyTypeSources& sources) {
  if (sources.given.empty()) {
    return in_file(parse_cassandra_key_type(*sources.recorded), "Statistics.db");
  }
  Result<CassandraKeyType> given = parse_cassandra_key_type(sources.given);
  if (!given) {
    return Error::invalid_argument(sources.option, given.error().detail());
  }
  if (!sources.recorded) {
    return given;
  }
  const Result<CassandraKeyType> known = parse_cassandra_key_type(*sources.recorded);
  if (!known || *known != *given) {
    return Error::invalid_argument(sources.option,
                                   "expected " + (known ? describe(*known) : *sources.recorded) +
                                       " as Statistics.db records it, found " + describe(*given));
  }
  return given;
}

// Returns the type of the source that is there; two must agree. It accepts no key form, since keys that are
// given as bytes need no type. Errors: those of parse_cassandra_key_type(); kInvalidArgument if the sources
// differ. Precondition: at least one source is there.
Result<std::shared_ptr<const KeyType>> cassandra_partition_key(const KeyTypeSources& sources) {
  BLOOMERY_ASSIGN_OR_RETURN(CassandraKeyType type, agreed_type(sources));
  std::shared_ptr<const KeyType> key = std::make_shared<const PartitionKey>(std::move(type));
  return key;
}

constexpr const char* kName = "cassandra";

RecognisedDialect recognise_cassandra(std::span<const std::byte> file) {
  return {.name = kName, .recognition = read_cassandra_header(file) ? Recognition::kMaybe : Recognition::kNo};
}

Result<std::unique_ptr<DialectFilter>> open_cassandra(const DialectSource& source, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter, CassandraFilter::open(source, option));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_cassandra(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(CassandraLayout layout, cassandra_layout_of(option, std::nullopt));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraShape shape, cassandra_shape(plan.capacity, fpp));
  const CassandraHeader header{.hash_count = shape.hash_count, .words = shape.words};
  BLOOMERY_ASSIGN_OR_RETURN(auto filter, CassandraFilter::empty(header, std::move(layout)));
  return inserting_builder(std::move(filter));
}

// Returns the version in the name of a filter file, even if the file is damaged: opening it reports that.
std::string cassandra_name_by_path(std::string_view path) {
  const std::optional<SSTableName> name = sstable_name_of(path);
  return name && name->component == "Filter.db" && cassandra_layout(name->version)
             ? kName + (":" + name->version)
             : std::string();
}

Status check_new_cassandra_path(const std::string& path, std::string_view option) {
  return option.empty() ? Status() : check_sstable_version(path, option);
}

Status check_form_of_cassandra(std::string_view, KeyForm form) {
  return form == KeyForm::kHex || form == KeyForm::kText
             ? Status()
             : Error::invalid_argument(
                   "key form", message("expected hex or text, for the bytes of Cassandra's keys, found ",
                                       key_form_name(form)));
}

}  // namespace

Dialect cassandra_dialect() {
  return {.description = {.name = kName,
                          .options = "VERSION of the sstable: ia to nc, oa, da",
                          .summary = "Cassandra's Filter.db",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_cassandra,
          .open = open_cassandra,
          .build = build_cassandra,
          .directory = DialectDirectory::kSSTables,
          .name_by_path = cassandra_name_by_path,
          .check_new_path = check_new_cassandra_path,
          .check_form = check_form_of_cassandra,
          .key_type = cassandra_partition_key};
}

}  // namespace bloomery
