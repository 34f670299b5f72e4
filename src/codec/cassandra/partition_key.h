// The type of Cassandra's partition keys, which the user gives or a Statistics.db records, as a KeyType.
#pragma once

#include <memory>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_type.h"
#include "codec/dialect.h"

namespace bloomery {

// Returns the type of the source that is there; two must agree. It accepts no key form, since keys that are
// given as bytes need no type. Errors: those of parse_cassandra_key_type(); kInvalidArgument if the sources
// differ. Precondition: at least one source is there.
Result<std::shared_ptr<const KeyType>> cassandra_partition_key(const KeyTypeSources& sources);

}  // namespace bloomery
