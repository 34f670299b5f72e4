// The key file of a keyed filter: its name, and how a verb opens a filter with it.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::cli {

// Returns FILTER.key. --keyed stores the secret of FILTER there, and other verbs look for it there unless
// --key-file names another file.
std::string key_file_of(const std::string& filter);

// Opens a filter by AnyFilter::open(). The secret of a keyed filter is read from `key_file`; if that is
// empty, from key_file_of(name). Errors: also those of HashSecret::load().
Result<AnyFilter> open_filter(const std::string& name, const std::string& key_file, OpenOptions options = {});

}  // namespace bloomery::cli
