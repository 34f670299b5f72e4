#include "verify/partition_keys.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/endian.h"
#include "base/file.h"
#include "base/message.h"
#include "codec/cassandra/cassandra_probes.h"
#include "codec/cassandra/index_entries.h"
#include "codec/cassandra/index_summary.h"
#include "codec/cassandra/partition_order.h"
#include "codec/cassandra/partition_trie.h"
#include "codec/cassandra/vint.h"
#include "dialects/whole_file.h"
#include "verify/read_progress.h"

namespace bloomery {
namespace {

constexpr std::size_t kPartitionBatch = 64;

// Hashes keys in batches, checks their order and passes them on.
class PartitionBatch {
 public:
  PartitionBatch(std::optional<PartitionOrder> order, const UsePartitionKeys& use)
      : order_(order), use_(use) {}

  // The number of keys that wait. Their views must stay valid while it grows.
  std::size_t waiting() const { return waiting_; }
  std::uint64_t count() const { return count_; }
  const std::string& first_key() const { return first_key_; }
  const std::string& last_key() const { return last_key_; }
  // The place of the first key that is not above the key before it.
  const std::optional<std::uint64_t>& disorder() const { return disorder_; }

  void add(std::string_view key, std::uint64_t place, std::uint64_t position) {
    keys_[waiting_] = key;
    places_[waiting_] = place;
    positions_[waiting_] = position;
    if (++waiting_ == kPartitionBatch) {
      flush();
    }
  }
  void flush() {
    if (waiting_ == 0) {
      return;
    }
    for (std::size_t i = 0; i < waiting_; ++i) {
      hashes_[i] = cassandra_hash(keys_[i]);
    }
    if (order_ && !disorder_) {
      check_order();
    }
    use_({.keys = std::span(keys_).first(waiting_),
          .hashes = std::span(hashes_).first(waiting_),
          .positions = std::span(positions_).first(waiting_)});
    if (count_ == 0) {
      first_key_ = keys_[0];
    }
    last_key_ = keys_[waiting_ - 1];
    count_ += waiting_;
    waiting_ = 0;
  }

 private:
  void check_order() {
    std::string_view last = last_key_;
    for (std::size_t i = 0; i < waiting_; last = keys_[i++]) {
      const Uint128 rank = order_->rank(keys_[i], hashes_[i]);
      const bool is_first = count_ + i == 0;
      if (!is_first && (rank < last_rank_ || (rank == last_rank_ && keys_[i] <= last))) {
        disorder_ = places_[i];
        return;
      }
      last_rank_ = rank;
    }
  }

  std::optional<PartitionOrder> order_;
  const UsePartitionKeys& use_;
  std::array<std::string_view, kPartitionBatch> keys_;
  std::array<std::uint64_t, kPartitionBatch> places_;
  std::array<std::uint64_t, kPartitionBatch> positions_;
  std::array<Hash128, kPartitionBatch> hashes_;
  std::size_t waiting_ = 0;
  std::uint64_t count_ = 0;
  Uint128 last_rank_ = 0;
  std::string first_key_;
  std::string last_key_;
  std::optional<std::uint64_t> disorder_;
};

// The state of a walk over the keys of one sstable.
struct KeyWalk {
  const SSTable& sstable;
  const ProofOptions& options;
  Proof& proof;
  ReadProgress progress;
  PartitionBatch batch;
};

// Maps a component. The bytes of an empty one are empty.
Result<std::shared_ptr<MappedFile>> map_component(const SSTable& sstable, const char* component) {
  return map_whole(sstable.path_of(component));
}

Status check_order_of(const KeyWalk& walk, const char* component) {
  return walk.batch.disorder()
             ? Status(Error::corrupt_field(walk.sstable.path_of(component), *walk.batch.disorder(), "key",
                                           "one above the key before it, in the order of the partitioner",
                                           "another"))
             : Status();
}

Status check_end_key(const std::string& path, const char* which, std::string_view expected,
                     std::string_view found) {
  return expected == found ? Status()
                           : Status(Error::corruption(
                                 path, 0, message("the ", which, " key that the index has"), "another key"));
}

Status check_end_keys(const KeyWalk& walk, const std::string& path, std::string_view first,
                      std::string_view last) {
  BLOOMERY_RETURN_IF_ERROR(check_end_key(path, "first", walk.batch.first_key(), first));
  return check_end_key(path, "last", walk.batch.last_key(), last);
}

Status check_count(const KeyWalk& walk, const char* component) {
  const auto& statistics = walk.sstable.statistics;
  if (!statistics || !statistics->partitions || *statistics->partitions == walk.batch.count()) {
    return {};
  }
  return Error::corruption(walk.sstable.path_of(component), 0,
                           message("the ", *statistics->partitions, " keys that Statistics.db counts"),
                           walk.batch.count());
}

Status check_summary(const KeyWalk& walk) {
  const std::string path = walk.sstable.path_of("Summary.db");
  if (!walk.sstable.layout.has_metadata) {
    return {};  // the layout before ka is another
  }
  const auto mapping = map_component(walk.sstable, "Summary.db");
  if (!mapping) {
    return mapping.error().code() == ErrorCode::kNotFound ? Status() : mapping.error();
  }
  walk.proof.bytes += bytes_of_mapping(**mapping).size();
  BLOOMERY_ASSIGN_OR_RETURN(const IndexSummary summary,
                            in_file(read_index_summary(bytes_of_mapping(**mapping)), path));
  BLOOMERY_RETURN_IF_ERROR(check_end_keys(walk, path, summary.first_key, summary.last_key));
  return (*mapping)->status();
}

// Returns false if the caller stopped the proof.
Result<bool> walk_index(KeyWalk& walk) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto mapping, map_component(walk.sstable, "Index.db"));
  IndexEntries entries(bytes_of_mapping(*mapping), walk.sstable.layout);
  std::uint64_t reported = 0;
  while (entries.next()) {
    walk.batch.add(entries.key(), entries.begin(), entries.position());
    if (walk.batch.waiting() == 0) {
      if (!walk.progress.add(entries.end() - std::exchange(reported, entries.end()))) {
        return false;
      }
    }
  }
  walk.batch.flush();
  walk.proof.bytes += entries.end() - reported;
  BLOOMERY_RETURN_IF_ERROR(mapping->status());
  BLOOMERY_RETURN_IF_ERROR(in_file(entries.status(), walk.sstable.path_of("Index.db")));
  return true;
}

void add_status(const KeyWalk& walk, const Status& status) {
  if (!status) {
    add_sstable_error(walk.proof, status.error());
  }
}

void walk_big(KeyWalk& walk) {
  walk.proof.against = walk.sstable.name.prefix + "Index.db";
  const Result<bool> complete = walk_index(walk);
  add_status(walk, check_order_of(walk, "Index.db"));
  if (!complete) {
    add_sstable_error(walk.proof, complete.error());
  } else if (*complete) {
    add_status(walk, check_count(walk, "Index.db"));
    add_status(walk, check_summary(walk));
    if (!walk.sstable.statistics || !walk.sstable.statistics->partitions) {
      walk.proof.add_unproven(
          "no Statistics.db of a layout that is read counts the keys, so Index.db may lack some");
    }
  }
}

// The files of an sstable in the format bti.
class TrieKeys {
 public:
  static Result<TrieKeys> open(const SSTable& sstable, const FileMemory& memory);

  const PartitionTrie& trie() const { return trie_; }
  // Reads the next key to `key`. Returns false after the last one.
  Result<bool> next(std::string& key);
  // The position of the last key in Data.db. Precondition: next() returned true.
  std::uint64_t position() const { return *last_position_; }
  // Returns the error of a file that was truncated meanwhile.
  Status status() const;

 private:
  TrieKeys(const SSTable& sstable, PartitionTrie trie, PartitionData data)
      : sstable_(sstable), trie_(std::move(trie)), data_(std::move(data)) {}

  Status read_from_data(std::uint64_t position, std::string& key);
  Status read_from_rows(std::uint64_t position, std::string& key);
  Status check_place(const PartitionPlace& place, std::string_view key) const;

  const SSTable& sstable_;
  std::shared_ptr<MappedFile> partitions_;
  std::shared_ptr<MappedFile> rows_;
  PartitionTrie trie_;
  PartitionData data_;
  std::optional<std::uint64_t> last_position_;  // in Data.db
  std::string row_key_;
};

Result<TrieKeys> TrieKeys::open(const SSTable& sstable, const FileMemory& memory) {
  BLOOMERY_ASSIGN_OR_RETURN(auto partitions, map_component(sstable, "Partitions.db"));
  BLOOMERY_ASSIGN_OR_RETURN(auto rows, map_component(sstable, "Rows.db"));
  BLOOMERY_ASSIGN_OR_RETURN(PartitionData data, PartitionData::open(sstable, memory));
  BLOOMERY_ASSIGN_OR_RETURN(PartitionTrie trie, in_file(PartitionTrie::open(bytes_of_mapping(*partitions)),
                                                        sstable.path_of("Partitions.db")));
  TrieKeys keys(sstable, std::move(trie), std::move(data));
  keys.partitions_ = std::move(partitions);
  keys.rows_ = std::move(rows);
  return keys;
}

Status TrieKeys::status() const {
  BLOOMERY_RETURN_IF_ERROR(partitions_->status());
  BLOOMERY_RETURN_IF_ERROR(rows_->status());
  return data_.status();
}

Status TrieKeys::read_from_data(std::uint64_t position, std::string& key) {
  if (last_position_ && position <= *last_position_) {
    return Error::corruption(sstable_.path_of("Partitions.db"), 0,
                             message("a partition after position ", *last_position_, " of Data.db"),
                             position);
  }
  last_position_ = position;
  return data_.read_key(position, key);
}

// An entry of Rows.db: u16 length, the key, vint position in Data.db, and the index of the rows.
Status TrieKeys::read_from_rows(std::uint64_t position, std::string& key) {
  const std::string path = sstable_.path_of("Rows.db");
  const auto rows = bytes_of_mapping(*rows_);
  const auto entry = rows.subspan(std::min<std::uint64_t>(position, rows.size()));
  const std::size_t length = entry.size() < 2 ? 0 : load_big16(entry.data());
  const CassandraVint vint =
      entry.size() < 2 + length ? CassandraVint{} : read_cassandra_vint(entry.subspan(2 + length));
  if (vint.size_bytes == 0) {
    return Error::corruption(path, position, "a complete entry", message(entry.size(), " bytes"));
  }
  row_key_.assign(reinterpret_cast<const char*>(entry.data()) + 2, length);
  BLOOMERY_RETURN_IF_ERROR(read_from_data(vint.value, key));
  return key == row_key_ ? Status()
                         : Status(Error::corrupt_field(path, position, "key", "that of Data.db", "another"));
}

// The prefix is compared as far as the token; the bytes of a key are escaped in it.
Status TrieKeys::check_place(const PartitionPlace& place, std::string_view key) const {
  const Hash128 hash = cassandra_hash(key);
  const auto subject = sstable_.path_of("Partitions.db");
  if (place.hash_byte && *place.hash_byte != (hash.high & 0xff)) {
    return Error::corrupt_field(subject, 0, message("hash byte of the key at ", place.position),
                                std::to_string(hash.high & 0xff), *place.hash_byte);
  }
  const auto order =
      sstable_.statistics ? PartitionOrder::of(sstable_.statistics->partitioner) : std::nullopt;
  if (!order || order->partitioner() != PartitionOrder::Partitioner::kMurmur3) {
    return {};
  }
  std::array<char, 9> spelled = {0x40};
  store_big(reinterpret_cast<std::byte*>(spelled.data()) + 1, PartitionOrder::rank_of_hash(hash));
  const std::string_view known = place.prefix.substr(0, spelled.size());
  return std::string_view(spelled.data(), known.size()) == known
             ? Status()
             : Status(Error::corrupt_field(subject, 0, message("prefix of the key at ", place.position),
                                           "the beginning of its token", "other bytes"));
}

Result<bool> TrieKeys::next(std::string& key) {
  BLOOMERY_ASSIGN_OR_RETURN(const auto place, in_file(trie_.next(), sstable_.path_of("Partitions.db")));
  if (!place) {
    return false;
  }
  BLOOMERY_RETURN_IF_ERROR(place->in_rows ? read_from_rows(place->position, key)
                                          : read_from_data(place->position, key));
  BLOOMERY_RETURN_IF_ERROR(check_place(*place, key));
  return true;
}

// Returns false if the caller stopped the proof.
Result<bool> walk_trie(KeyWalk& walk, TrieKeys& source) {
  std::array<std::string, kPartitionBatch> keys;
  while (true) {
    std::string& key = keys[walk.batch.waiting()];
    const Result<bool> found = source.next(key);
    BLOOMERY_RETURN_IF_ERROR(source.status());
    if (!found || !*found) {
      walk.batch.flush();
      return found ? Result<bool>(true) : found.error();
    }
    const std::size_t bytes = key.size() + 2;
    walk.batch.add(key, walk.batch.count() + walk.batch.waiting(), source.position());
    if (!walk.progress.add(bytes)) {
      return false;
    }
  }
}

Status check_trie_ends(const KeyWalk& walk, const PartitionTrie& trie) {
  const std::string path = walk.sstable.path_of("Partitions.db");
  if (trie.key_count() != walk.batch.count()) {
    return Error::corrupt_field(path, 0, "keys", std::to_string(walk.batch.count()) + " as the trie has",
                                trie.key_count());
  }
  return check_end_keys(walk, path, trie.first_key(), trie.last_key());
}

void walk_bti(KeyWalk& walk) {
  walk.proof.against = walk.sstable.name.prefix + "Partitions.db";
  Result<TrieKeys> source = TrieKeys::open(walk.sstable, walk.options.memory);
  if (!source) {
    add_sstable_error(walk.proof, source.error());
    return;
  }
  const Result<bool> complete = walk_trie(walk, *source);
  add_status(walk, check_order_of(walk, "Partitions.db"));
  if (!complete) {
    add_sstable_error(walk.proof, complete.error());
  } else if (*complete) {
    add_status(walk, check_trie_ends(walk, source->trie()));
    add_status(walk, check_count(walk, "Partitions.db"));
  }
}

}  // namespace

void walk_partition_keys(const SSTable& sstable, const ProofOptions& options, Proof& proof,
                         const UsePartitionKeys& use) {
  const auto order = sstable.statistics ? PartitionOrder::of(sstable.statistics->partitioner) : std::nullopt;
  KeyWalk walk{.sstable = sstable,
               .options = options,
               .proof = proof,
               .progress = ReadProgress(options, proof),
               .batch = PartitionBatch(order, use)};
  if (!order) {
    proof.notes.push_back("The order of the keys is not checked, since their partitioner is not known.");
  }
  if (sstable.is_bti()) {
    walk_bti(walk);
  } else {
    walk_big(walk);
  }
}

}  // namespace bloomery
