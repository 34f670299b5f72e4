#include "cli/dialect_keys.h"

#include <utility>

#include "base/message.h"
#include "dialects/key_rule.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFormOption = "--key-form";

// Uses the bytes of the keys unchanged, whatever their types.
Result<DialectKeyMaking> raw_keys(const KeyOptions& keys, const KeyRule& rule) {
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key("--key-form besides"));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect(rule));
  if (const Status suits = rule.check_form(treatment.form, kFormOption); !suits) {
    return Error::invalid_argument(kFormOption,
                                   suits.error().detail() + " (--cassandra-key names their types)");
  }
  return DialectKeyMaking{.treatment = treatment};
}

// Makes keys of the types that --cassandra-key or the file names, or of bytes if a key form is given.
Result<DialectKeyMaking> typed_keys(const KeyOptions& keys, const KeyRule& rule,
                                    const std::optional<std::string>& recorded) {
  if (keys.names_a_form()) {
    return raw_keys(keys, rule);
  }
  if (keys.cassandra_key().empty() && !recorded) {
    return Error::invalid_argument("cassandra",
                                   "expected the types of the partition key (--cassandra-key int), or "
                                   "--key-form hex for their bytes: no "
                                   "Statistics.db that can be read records them");
  }
  BLOOMERY_ASSIGN_OR_RETURN(
      std::shared_ptr<const KeyType> type,
      rule.type_by({.given = keys.cassandra_key(), .recorded = recorded, .option = "--cassandra-key"}));
  const KeyTreatment treatment = keys.treatment_for_new();
  if (treatment.ignore_case) {
    return Error::invalid_argument("-i",
                                   "expected without it, since Cassandra's keys keep the case of letters");
  }
  if (treatment.parts != type->parts()) {
    return Error::invalid_argument(
        "-k", message("expected ", type->parts(), type->parts() == 1 ? " field" : " fields, one",
                      " for each column of the partition key (", type->name(), "), found ",
                      treatment.parts == kVariableParts ? "any number" : std::to_string(treatment.parts)));
  }
  return DialectKeyMaking{.treatment = treatment, .type = std::move(type)};
}

// `path` is the filter's file; empty for a new filter.
Result<DialectKeyMaking> keys_by_rule(const KeyOptions& keys, const KeyRule& rule,
                                      const std::optional<std::string>& recorded, const std::string& path) {
  if (rule.needs_types()) {
    return typed_keys(keys, rule, recorded);
  }
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key(rule.dialect()));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect(rule));
  if (!rule.maker().empty() && !keys.names_a_form()) {
    return Error::invalid_argument(
        path,
        message(
            "expected --key-form, since the keys are made by ", rule.maker(),
            ", a rule of the program that wrote the filter: hex gives their bytes, text those of the line"));
  }
  if (rule.is_text_column() && !path.empty() && treatment.ignore_case) {
    return Error::invalid_argument(
        "-i", "expected without it, since the text of a column keeps the case of its letters");
  }
  const Status suits = rule.check_form(treatment.form, kFormOption);
  BLOOMERY_RETURN_IF_ERROR(path.empty() ? suits : in_file(suits, path));
  return DialectKeyMaking{.treatment = treatment, .type = rule.type()};
}

}  // namespace

Result<DialectKeyMaking> keys_of_cassandra(const KeyOptions& keys,
                                           const std::optional<std::string>& recorded) {
  return typed_keys(keys, KeyRule("cassandra"), recorded);
}

Result<DialectKeyMaking> keys_of_filter(const KeyOptions& keys, const DialectFilter& filter,
                                        const std::string& path) {
  return keys_by_rule(keys, KeyRule(filter), filter.recorded_key_type(), path);
}

Result<DialectKeyMaking> keys_of_new_filter(const KeyOptions& keys, const std::string& dialect) {
  return keys_by_rule(keys, KeyRule(dialect), std::nullopt, {});
}

Result<DialectKeyMaking> keys_of_database(const KeyOptions& keys) {
  BLOOMERY_RETURN_IF_ERROR(keys.check_no_cassandra_key("a database of LevelDB or RocksDB"));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, keys.treatment_for_dialect(KeyRule("leveldb")));
  return DialectKeyMaking{.treatment = treatment};
}

}  // namespace bloomery::cli
