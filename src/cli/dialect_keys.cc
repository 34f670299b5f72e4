#include "cli/dialect_keys.h"

#include <span>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "bloomery/dialects/cassandra_directory.h"
#include "codec/cassandra/key_text.h"
#include "codec/cassandra/key_type.h"

namespace bloomery::cli {
namespace {

class CassandraKeyEncoder final : public KeyEncoder {
 public:
  explicit CassandraKeyEncoder(CassandraKeyType type) : type_(std::move(type)), name_(describe(type_)) {}

  Status append(KeyWriter& writer, std::span<const std::string_view> parts) const override {
    return append_cassandra_key(writer, type_, parts);
  }
  std::string_view name() const override { return name_; }

 private:
  CassandraKeyType type_;
  std::string name_;
};

// The bytes of the keys are given as they are.
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
    return Error::invalid_argument(
        "cassandra",
        "expected the types of the partition key, which no Statistics.db beside the "
        "filter records: --cassandra-key int, or --key-form hex for their bytes");
  }
  if (keys.cassandra_key().empty()) {
    return in_file(parse_cassandra_key_type(*recorded), "Statistics.db");
  }
  BLOOMERY_ASSIGN_OR_RETURN(CassandraKeyType given,
                            in_file(parse_cassandra_key_type(keys.cassandra_key()), "--cassandra-key"));
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
                          .encoder = std::make_shared<CassandraKeyEncoder>(std::move(type))};
}

Result<DialectKeyMaking> keys_of_dialect(const KeyOptions& keys, const std::string& dialect,
                                         const std::string& path) {
  if (is_cassandra(dialect)) {
    std::optional<std::string> recorded;
    if (!path.empty() && !keys.names_a_form()) {
      BLOOMERY_ASSIGN_OR_RETURN(recorded, cassandra_key_type_beside(path));
    }
    return keys_of_cassandra(keys, recorded);
  }
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key(dialect));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect(dialect));
  return DialectKeyMaking{.treatment = treatment};
}

}  // namespace bloomery::cli
