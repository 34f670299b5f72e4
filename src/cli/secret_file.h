// The key file of a keyed filter: which one a verb takes, and opening a filter with it.
#pragma once

#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::cli {

// FILTER.key, where --keyed puts the secret of FILTER and other verbs look for it unless --key-file names
// another.
std::string key_file_of(const std::string& filter);

// As AnyFilter::open(); a keyed filter's secret is read from `key_file`, or, where that is empty, from
// key_file_of(name). Errors: also those of HashSecret::load().
Result<AnyFilter> open_filter(const std::string& name, const std::string& key_file, OpenOptions options = {});

}  // namespace bloomery::cli
