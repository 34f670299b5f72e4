// Filters in keys of a Redis or Valkey server (`query --redis URL KEY`), and the server's URL.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "cli/key_options.h"
#include "connect/redis/url.h"
#include "query/batch_keys.h"
#include "query/key_filter.h"

namespace bloomery::cli {

// Parses a URL. Without a password in it and without the file of one, the environment variable REDISCLI_AUTH
// is used, as by redis-cli. USER:@ names a user whose password is there.
// Errors: those of parse_url().
Result<redis::Url> url_with_password(const std::string& text);

// Connects to the server, parsing `url` by url_with_password(), and opens the filters `names`, which get
// their items from `batch`. They share one connection, or one per server of a cluster. Errors:
// kInvalidArgument if the key options name a block list or keys of several fields, and those of parse_url(),
// Client::connect() and FilterKey::open().
Result<std::vector<std::unique_ptr<KeyFilter>>> open_redis_keys(const std::string& url,
                                                                const std::vector<std::string>& names,
                                                                const KeyOptions& keys, BatchKeys& batch);

}  // namespace bloomery::cli
