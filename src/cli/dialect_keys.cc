#include "cli/dialect_keys.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "bloomery/dialects/cassandra_directory.h"
#include "cli/recorded_funnel.h"
#include "codec/cassandra/key_text.h"
#include "codec/cassandra/key_type.h"
#include "codec/cassandra/sstable_name.h"

namespace bloomery::cli {
namespace {

class PartitionKey final : public KeyType {
 public:
  explicit PartitionKey(CassandraKeyType type) : type_(std::move(type)), name_(describe(type_)) {}

  const std::string& name() const override { return name_; }
  std::size_t parts() const override { return type_.columns.size(); }
  Status append(KeyWriter& writer, std::span<const std::string_view> texts) const override {
    return append_cassandra_key(writer, type_, texts);
  }
  // Keys given as bytes use raw_keys() and never this type.
  bool takes(KeyForm) const override { return false; }
  Status check(std::span<const std::byte>) const override { return {}; }

 private:
  CassandraKeyType type_;
  std::string name_;
};

// Uses the bytes of the keys unchanged.
Result<DialectKeyMaking> raw_keys(const KeyOptions& keys) {
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key("--key-form besides"));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect("cassandra"));
  if (treatment.form != KeyForm::kHex && treatment.form != KeyForm::kText) {
    return Error::invalid_argument(
        "--key-form", message("expected hex or text, for the bytes of Cassandra's keys, found ",
                              key_form_name(treatment.form), " (--cassandra-key names their types)"));
  }
  return DialectKeyMaking{.treatment = treatment};
}

Result<CassandraKeyType> type_of(const KeyOptions& keys, const std::optional<std::string>& recorded) {
  if (keys.cassandra_key().empty() && !recorded) {
    return Error::invalid_argument("cassandra",
                                   "expected the types of the partition key (--cassandra-key int), or "
                                   "--key-form hex for their bytes: no "
                                   "Statistics.db that can be read records them");
  }
  if (keys.cassandra_key().empty()) {
    return in_file(parse_cassandra_key_type(*recorded), "Statistics.db");
  }
  Result<CassandraKeyType> parsed = parse_cassandra_key_type(keys.cassandra_key());
  if (!parsed) {
    return Error::invalid_argument("--cassandra-key", parsed.error().detail());
  }
  CassandraKeyType given = std::move(*parsed);
  if (!recorded) {
    return given;
  }
  const Result<CassandraKeyType> known = parse_cassandra_key_type(*recorded);
  if (!known || *known != given) {
    return Error::invalid_argument("--cassandra-key", "expected " + (known ? describe(*known) : *recorded) +
                                                          " as Statistics.db records it, found " +
                                                          describe(given));
  }
  return given;
}

}  // namespace

bool is_cassandra(const std::string& dialect) {
  return dialect.substr(0, dialect.find(':')) == "cassandra";
}

Status check_output_of_dialect(const std::string& path, const std::string& dialect) {
  const std::size_t colon = dialect.find(':');
  if (!is_cassandra(dialect) || colon == std::string::npos) {
    return {};
  }
  return check_sstable_version(path, std::string_view(dialect).substr(colon + 1));
}

Result<DialectKeyMaking> keys_of_cassandra(const KeyOptions& keys,
                                           const std::optional<std::string>& recorded) {
  if (keys.names_a_form()) {
    return raw_keys(keys);
  }
  BLOOMERY_ASSIGN_OR_RETURN(CassandraKeyType type, type_of(keys, recorded));
  const KeyTreatment treatment = keys.treatment_for_new();
  if (treatment.ignore_case) {
    return Error::invalid_argument("-i",
                                   "expected without it, since Cassandra's keys keep the case of letters");
  }
  if (treatment.parts != type.columns.size()) {
    return Error::invalid_argument(
        "-k", message("expected ", type.columns.size(), type.columns.size() == 1 ? " field" : " fields, one",
                      " for each column of the partition key (", describe(type), "), found ",
                      treatment.parts == kVariableParts ? "any number" : std::to_string(treatment.parts)));
  }
  return DialectKeyMaking{.treatment = treatment,
                          .type = std::make_shared<const PartitionKey>(std::move(type))};
}

Result<DialectKeyMaking> keys_of_filter(const KeyOptions& keys, const DialectFilter& filter,
                                        const std::string& path) {
  if (is_cassandra(filter.dialect())) {
    std::optional<std::string> recorded;
    if (!keys.names_a_form()) {
      BLOOMERY_ASSIGN_OR_RETURN(recorded, cassandra_key_type_beside(path));
    }
    return keys_of_cassandra(keys, recorded);
  }
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key(filter.dialect()));
  DialectKeyMaking making{.treatment = {}, .type = filter.key_type()};
  BLOOMERY_ASSIGN_OR_RETURN(making.treatment,
                            keys.treatment_for_dialect(filter.dialect(), making.type.get()));
  if (const std::string maker = filter.keys_made_by(); !maker.empty() && !keys.names_a_form()) {
    return Error::invalid_argument(
        path,
        message(
            "expected --key-form, since the keys are made by ", maker,
            ", a rule of the program that wrote the filter: hex gives their bytes, text those of the line"));
  }
  const bool is_text_column = filter.dialect().starts_with("parquet:") && making.type == nullptr;
  if (is_text_column && making.treatment.ignore_case) {
    return Error::invalid_argument(
        "-i", "expected without it, since the text of a column keeps the case of its letters");
  }
  BLOOMERY_RETURN_IF_ERROR(in_file(check_recorded_funnel(filter.dialect(), making.treatment.form), path));
  return making;
}

Result<DialectKeyMaking> keys_of_new_filter(const KeyOptions& keys, const std::string& dialect) {
  if (is_cassandra(dialect)) {
    return keys_of_cassandra(keys, std::nullopt);
  }
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key(dialect));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect(dialect));
  BLOOMERY_RETURN_IF_ERROR(check_recorded_funnel(dialect, treatment.form));
  return DialectKeyMaking{.treatment = treatment};
}

Result<DialectKeyMaking> keys_of_database(const KeyOptions& keys) {
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key("a database of LevelDB or RocksDB"));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect("leveldb"));
  return DialectKeyMaking{.treatment = treatment};
}

}  // namespace bloomery::cli
