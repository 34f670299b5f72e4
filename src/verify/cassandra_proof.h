// Proves a Filter.db of Cassandra by the keys of its sstable (partition_keys.h), or makes it again.
//
// Checked besides the keys: the digest of Data.db; that every component that TOC.txt lists is there. A filter
// without its sstable is unproven, and so is one whose name says that it was being written.
//
// Not here: the logs of transactions, by which an sstable may be obsolete (dialects/cassandra_directory.cc).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "verify/proof.h"

namespace bloomery {

// Returns true for the name of a Filter.db.
bool is_cassandra_filter(const std::string& path, std::span<const std::byte>);
// Returns true for the Data.db of an sstable without a Filter.db.
bool is_bare_sstable(const std::string& path, std::span<const std::byte>);
// Says that there is nothing to prove.
Proof prove_bare_sstable(const std::string& path, const ProofOptions&);

// `path` names a Filter.db in the folder of its sstable.
Proof prove_cassandra_filter(const std::string& path, const ProofOptions& options = {});

// Writes a new Filter.db with all keys of the sstable to `output`. The new filter has the size of the old
// one. Its hash count belongs to the fpp in Statistics.db. Without that file, the hash count is the old one.
// If the old filter is undamaged, the new one is a copy.
//
// Errors: those of the files, and kUnsupported, if not all keys can be read. kCorruption if no filter has the
// size of the old one. Also the errors of DialectFilter::save().
Status repair_cassandra_filter(const std::string& filter_path, const std::string& output,
                               const ProofOptions& options = {}, const SaveTo& to = {});

}  // namespace bloomery
