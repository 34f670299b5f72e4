// The key file of a keyed filter: its default name, and opening a filter with it.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::cli {

// Returns "FILTER.key", where --keyed stores the secret of FILTER, and where other verbs look for it unless
// --key-file names another file.
std::string key_file_of(const std::string& filter);

// Opens a filter by AnyFilter::open(). Reads the secret of a keyed filter from `key_file`, or, if that is
// empty, from key_file_of(name). Errors: also those of HashSecret::load().
Result<AnyFilter> open_filter(const std::string& name, const std::string& key_file, OpenOptions options = {});

}  // namespace bloomery::cli
