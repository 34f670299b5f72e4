// Filters that are keys of a Redis or Valkey server: `query --redis URL KEY`, and how a command line names the server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/batch_keys.h"
#include "cli/key_filter.h"
#include "cli/key_options.h"
#include "connect/redis/url.h"

namespace bloomery::cli {

// Reads a URL. If it has no password, that of the environment variable REDISCLI_AUTH is taken, as redis-cli does. Errors: those
// of parse_url().
Result<redis::Url> url_with_password(const std::string& text);

// Connects to the server, which url_with_password() reads, and opens the filters `names`, whose items will be taken from `batch`. They share one connection,
// or one for each server of a cluster. Errors: those of parse_url(), Client::connect() and FilterKey::open(). It is
// kInvalidArgument if the key options ask for a block list or for keys of several fields.
Result<std::vector<std::unique_ptr<KeyFilter>>> open_redis_keys(const std::string& url,
                                                                const std::vector<std::string>& names,
                                                                const KeyOptions& keys, BatchKeys& batch);

}  // namespace bloomery::cli
