// A filter of Cassandra in memory. Its file is described in cassandra_dialect.cc.
//
// A key's hash is also its token under Murmur3Partitioner. So a caller that needs both hashes the key once,
// and queries the filter with the hash.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/codec/dialect_filter.h"
#include "bloomery/hash/hash128.h"
#include "codec/cassandra/cassandra_kernel.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/statistics.h"
#include "codec/dialect.h"
#include "codec/word_bits.h"

namespace bloomery {

struct CassandraHeader {
  static constexpr std::size_t kBytes = 8;

  std::uint32_t hash_count;
  std::uint32_t words;

  std::uint64_t bits() const { return std::uint64_t{words} * 64; }
};

// Errors: kCorruption, also for a file of another size than its words have.
Result<CassandraHeader> read_cassandra_header(std::span<const std::byte> file);

class CassandraFilter final : public DialectFilter {
 public:
  CassandraFilter(const CassandraHeader& header, CassandraLayout layout, WordBits bits,
                  std::optional<SSTableStatistics> statistics);

  // `option` is the version, or empty if the file's name has it. Errors: kInvalidArgument if neither is
  // given or both contradict each other; those of Dialect::open.
  static Result<std::unique_ptr<CassandraFilter>> open(const DialectSource& source, std::string_view option);
  // Returns a filter without keys.
  static Result<std::unique_ptr<CassandraFilter>> empty(const CassandraHeader& header,
                                                        CassandraLayout layout);

  std::string dialect() const override;
  DialectFacts facts() const override;
  const CassandraHeader& header() const { return header_; }
  const CassandraLayout& layout() const { return layout_; }
  const std::optional<SSTableStatistics>& statistics() const { return statistics_; }

  bool may_contain(std::string_view key) const override { return kernel_.may_contain(bits_, scheme_, key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    kernel_.may_contain_batch(bits_, scheme_, keys, answers);
  }
  // Answers for up to 64 keys whose hashes are known (cassandra_hash()). Bit i is the answer for key i.
  std::uint64_t may_contain_hashes(std::span<const Hash128> hashes) const;
  Result<bool> insert(std::string_view key) override { return kernel_.insert(bits_, scheme_, key); }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    return kernel_.insert_batch(bits_, scheme_, keys);
  }

  Status check_path(const std::string& path) const override {
    return check_sstable_version(path, layout_.version);
  }
  std::optional<std::string> recorded_key_type() const override {
    return statistics_ ? statistics_->key_type : std::nullopt;
  }
  Status merge(const DialectFilter& other) override;
  double current_fpp() const override;
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  CassandraHeader header_;
  CassandraLayout layout_;
  CassandraProbes scheme_;
  const CassandraKernel& kernel_ = chosen_cassandra_kernel();
  WordBits bits_;
  std::optional<SSTableStatistics> statistics_;
};

// Returns the layout of the version in the option or in the file's own name. The two must agree.
Result<CassandraLayout> cassandra_layout_of(std::string_view option, const std::optional<SSTableName>& name);

}  // namespace bloomery
