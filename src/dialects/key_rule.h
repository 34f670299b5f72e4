// How text becomes keys of a filter of another system, by what its name and its file state.
//
//   system      what is stated
//   Guava       the key form, if Java serialised the filter: its funnel
//   Parquet     the type of a column
//   Cassandra   the types of the partition key, by the caller or by Statistics.db (Dialect::key_type)
//   all others  nothing: text has the system's usual form
//
// A caller may name another form. check_form() and check_type() refuse one whose keys the filter cannot have,
// since a wrong form would cause false negatives. The caller decides what it does if nothing is stated.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_type.h"
#include "codec/dialect.h"

namespace bloomery {

class KeyRule {
 public:
  explicit KeyRule(const DialectFilter& filter);
  // For a filter that does not exist yet. `dialect` is NAME[:OPTION].
  explicit KeyRule(std::string dialect) : dialect_(std::move(dialect)) {}

  const std::string& dialect() const { return dialect_; }
  // Returns the type of the filter's keys; null if there is none.
  const std::shared_ptr<const KeyType>& type() const { return type_; }
  // Returns DialectFilter::keys_made_by().
  const std::string& maker() const { return maker_; }
  // Returns true if keys have types that the filter does not state.
  bool needs_types() const;
  // Returns true if keys are the text of a column.
  bool is_text_column() const;

  KeyForm usual_form() const;
  // Returns the form that the name records, such as that of Guava's `java=long`.
  std::optional<KeyForm> recorded_form() const;

  // Calls Dialect::key_type(). Precondition: needs_types().
  Result<std::shared_ptr<const KeyType>> type_by(const KeyTypeSources& sources) const;

  // Check a key form against the name, and against the type. Errors: kInvalidArgument with the subject
  // `option`, which is what the caller calls the form.
  Status check_form(KeyForm form, const std::string& option) const;
  Status check_type(KeyForm form, const std::string& option) const;

 private:
  std::string dialect_;
  std::shared_ptr<const KeyType> type_;
  std::string maker_;
};

}  // namespace bloomery
