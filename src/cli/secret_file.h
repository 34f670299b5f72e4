// The key file of a keyed filter: which file a verb takes, and how it opens a filter with it.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::cli {

// Returns FILTER.key. There --keyed puts the secret of FILTER, and other verbs look for it unless --key-file
// names another file.
std::string key_file_of(const std::string& filter);

// Opens a filter as AnyFilter::open() does. The secret of a keyed filter is read from `key_file`; if that is
// empty, from key_file_of(name). Errors: also those of HashSecret::load().
Result<AnyFilter> open_filter(const std::string& name, const std::string& key_file, OpenOptions options = {});

}  // namespace bloomery::cli
