// How text becomes the keys of a filter of another system: a key form, or for Cassandra the CQL types of its partition
// key.
//
// The types come from --cassandra-key or from the Statistics.db beside the filter. If both are there, they must agree.
// --key-form hex or text gives the bytes of the key as they are, whatever its types.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "cli/key_options.h"
#include "keys/key_encoder.h"

namespace bloomery::cli {

struct DialectKeyMaking {
  KeyTreatment treatment;
  std::shared_ptr<const KeyEncoder> encoder = nullptr;  // null: the treatment makes the keys
};

// `path` is the filter, or empty for one that is yet to be made. Errors: kInvalidArgument if options contradict each
// other, the filter or the dialect, or if nothing says the types of Cassandra's keys; those of reading Statistics.db.
Result<DialectKeyMaking> keys_of_dialect(const KeyOptions& keys, const std::string& dialect,
                                         const std::string& path);

// The same for Cassandra, where the caller knows what is recorded: the class of the key's type.
Result<DialectKeyMaking> keys_of_cassandra(const KeyOptions& keys,
                                           const std::optional<std::string>& recorded);

bool is_cassandra(const std::string& dialect);

}  // namespace bloomery::cli
