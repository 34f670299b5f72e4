// What filters of every type have in common: plan, counts, and the native file they live in.
//
// Not a type to use by itself: BloomFilter and the others are NativeFilters and add what they do with keys.
// Threads: everything const here may run beside inserts; counts may then lag behind. The rest needs the
// filter alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

struct FilterBody;

// Words that a bitmap of answers to `key_count` keys takes: bit i mod 64 of word i/64 is the answer for key
// i.
constexpr std::size_t answer_words(std::size_t key_count) {
  return (key_count + 63) / 64;
}

class NativeFilter {
 public:
  NativeFilter(NativeFilter&&) noexcept;
  NativeFilter& operator=(NativeFilter&&) noexcept;
  ~NativeFilter();

  FilterType type() const;
  // The number of distinct keys it was made for, and the fpp it then has.
  std::uint64_t capacity() const;
  double target_fpp() const;
  // Keys given to insert and test_and_insert, repeats included.
  std::uint64_t inserted() const;
  std::uint64_t byte_size() const;
  bool is_writable() const;
  // Its secret is the one it was opened with; see hash_key_id().
  const HashSpec& hash_spec() const;
  // The id of the secret that its keys are hashed under; 0: none is.
  std::uint64_t hash_key_id() const;
  const KeyTreatment& key_treatment() const;

  // Returns the hash of a key of any type that append_key() knows. Precondition: the hash is not
  // kReadyDigest, and its secret, if it has one, is known.
  template <Key K>
  Hash128 hash(const K& key) const {
    return hash_key(key, hash_spec());
  }

  // Reads all bits once (about 10 GB/s).
  std::uint64_t set_bit_count() const;

  // Free text kept in the file behind the bits. Errors: kInvalidArgument above 16 MiB, or in an update in
  // place.
  const std::string& metadata() const;
  Status set_metadata(std::string text);

  // Forgets every key. Precondition: is_writable().
  void clear();

  // Writes the native file: temporary file, fsync, rename, fsync of the directory. After an error the old
  // file is untouched. The same keys, capacity and options give the same bytes.
  Status save(const std::string& path, const SaveTo& to = {}) const;
  // The same bytes, appended to `out`.
  void serialize(std::string& out) const;
  // Ends an update in place (Access::kUpdateInPlace): writes the bits back, then the header that vouches for
  // them. The file is marked dirty from its opening until then, so that a crash between is seen and not
  // believed.
  Status finish_update();

 protected:
  explicit NativeFilter(std::unique_ptr<FilterBody> body);

  // Makes a body of `payload_bytes` zeros for a new filter. Errors: kInvalidArgument, kCapacity.
  static Result<std::unique_ptr<FilterBody>> new_body(FilterType type, std::uint64_t payload_bytes,
                                                      std::uint64_t capacity, double fpp,
                                                      const FilterOptions& options);
  static Result<std::unique_ptr<FilterBody>> open_body(const std::string& path, const OpenOptions& options);
  static Result<std::unique_ptr<FilterBody>> view_body(std::span<const std::byte> bytes,
                                                       const OpenOptions& options);
  // Errors: unless the body is of this type, has this payload, and lies aligned in memory.
  static Status check_body(const FilterBody& body, FilterType type, std::uint64_t payload_bytes);

  // ORs the bits of `other` into ours. Errors: kInvalidArgument, naming all that differs between the plans.
  Status merge_bits(const NativeFilter& other);
  void count_inserted(std::uint64_t keys);
  FilterBody& body() const { return *body_; }
  std::uint64_t* words() const;

 private:
  std::unique_ptr<FilterBody> body_;
};

}  // namespace bloomery
