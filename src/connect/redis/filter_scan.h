// Finds the keys of a server or a cluster that are filters.
//
// Every primary is scanned with SCAN, and the type of each key is asked in the same pipeline. One pass finds
// all six types, while SCAN's option TYPE would need a pass for each. A key that exists during the whole scan
// is found; one that is created, renamed or moved to another server of a cluster meanwhile may not be.
//
// Source: the documentation of SCAN, "Scan guarantees".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/redis/client.h"

namespace bloomery::redis {

struct FoundFilter {
  std::string key;
  std::string type;  // one of the types in filter_key.h
};

// Returns the filters in the order of their keys. `goes_on` is called between two steps; if it returns false,
// the scan ends with kIo and EINTR. Errors: connection errors (Client::run()); kCorruption for replies of
// another shape.
Result<std::vector<FoundFilter>> scan_filters(Client& client, const std::function<bool()>& goes_on);

}  // namespace bloomery::redis
