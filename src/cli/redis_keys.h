// Filters that are keys of a Redis or Valkey server: `query --redis URL KEY`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/batch_keys.h"
#include "cli/key_filter.h"
#include "cli/key_options.h"

namespace bloomery::cli {

// Connects to the server and opens the filters `names`, whose items will be taken from `batch`. They share one connection,
// or one for each server of a cluster. If the URL has no password, that of the environment variable REDISCLI_AUTH is used,
// as redis-cli does. Errors: those of parse_url(), Client::connect() and FilterKey::open(). It is kInvalidArgument if the
// key options ask for a block list or for keys of several fields.
Result<std::vector<std::unique_ptr<KeyFilter>>> open_redis_keys(const std::string& url,
                                                                const std::vector<std::string>& names,
                                                                const KeyOptions& keys, BatchKeys& batch);

}  // namespace bloomery::cli
