// The base of all filter types: plan, counts, exceptions, and the native file.
//
// NativeFilter is only used as a base class. BloomFilter and the other types derive from it and add the
// operations on keys. A call has the same name, argument order and kind of result in all types that have
// it. The concepts in membership_filter.h say which types have which calls:
//
//   make        for_capacity(n, fpp, options), build(keys, fpp, options)
//   open        open(path, options), view(bytes, options)
//   one key     insert, may_contain, test_and_insert, remove, count_at_most; each also as a batch of hashes
//   all         merge, clear, save, serialize
//   measure     fill_ratio, current_fpp, estimated_count, over_capacity
//
// A call accepts a key as its hash, or as a value of any type that append_key() knows:
//
//   strings, bytes   are hashed as they are. The file may record that keys were made otherwise: from
//                    hexadecimal digits, with folded case, of several fields. Then key_of() turns text
//                    into keys, and open() refuses the filter unless the options say kKnown
//                    (RecordedKeys).
//   integers         are hashed with the width of their C++ type: insert(42) and may_contain(42L) concern
//                    different keys. The typed view, filter.of<std::int64_t>(), fixes the width for all
//                    calls.
//
// Threads: const calls may run concurrently with inserts; counts may then lag behind. Any other call must
// run alone, unless a type allows more.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/force_inline.h"
#include "bloomery/base/one_thread.h"
#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/typed_view.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"
#include "bloomery/hash/low_words.h"
#include "bloomery/hash/short_key_mix.h"

namespace bloomery {

struct FilterBody;
struct NativeHeader;

// Returns the number of words of an answer bitmap for `key_count` keys. Bit i mod 64 of word i/64 is the
// answer for key i.
constexpr std::size_t answer_words(std::size_t key_count) {
  return (key_count + 63) / 64;
}

class NativeFilter {
 public:
  FilterType type() const;
  // Return the number of distinct keys that the filter was made for, and its fpp with them.
  std::uint64_t capacity() const;
  double target_fpp() const;
  // Returns the number of keys passed to insert and test_and_insert, repeats included, minus the removed
  // ones.
  std::uint64_t inserted() const;
  // Return the bytes of the payload, and of the file that save() writes.
  std::uint64_t byte_size() const;
  std::uint64_t file_bytes() const;
  // Returns true if the filter may be changed. It is false if view() opened the caller's bytes without a
  // copy, and for a mapped ribbon, which never changes. Changing such a filter is a programming error,
  // which ends the process with a message.
  bool is_writable() const;
  // Returns true if the filter may outgrow its file. Such a filter is not updated in place but saved over
  // its file.
  bool may_grow() const;
  // Returns the hash function of the filter. Its secret is the one that the filter was opened with; see
  // hash_key_id().
  [[gnu::pure]] const HashSpec& hash_spec() const;
  // Returns the id of the secret under which the keys are hashed, or 0 if there is none.
  std::uint64_t hash_key_id() const;
  const KeyTreatment& key_treatment() const;

  // Returns the hash of a key of any type that append_key() knows. Preconditions: the hash is not
  // kReadyDigest, and its secret, if any, is known.
  template <Key K>
  Hash128 hash(const K& key) const {
    return hash_key(key, hash_spec());
  }

  // Returns true if batches of this filter read the low words of integers' hashes alone (hash_low()).
  bool reads_low_words() const { return at_hand_.low_is_enough; }
  // Hashes integers with the width of their type. Preconditions: reads_low_words(), and there is room for as
  // many hashes.
  template <IntegerKey K>
  void hash_low(std::span<const K> keys, std::span<Hash64> hashes) const {
    const std::uint64_t base = at_hand_.short_key_base;
    if constexpr (std::same_as<K, std::uint64_t> && std::endian::native == std::endian::little) {
      short_key_mix::low_words(keys, base, hashes);
    } else {
      std::ranges::transform(keys, hashes.begin(), [base](K key) {
        return Hash64{short_key_mix::low_word(little_endian_value(key), sizeof(K), base)};
      });
    }
  }

  // Returns the hash of a text. The text becomes a key as in the tools: by the form, case, trimming and
  // number of parts that the file records. All calls that accept a key accept this hash.
  //
  // Example:
  //    auto filter = AnyFilter::open("digests.bloom", {.recorded_keys = RecordedKeys::kKnown});
  //    const bool maybe = filter->may_contain(*filter->key_of("DEADBEEF"));
  //
  // A composite key (`-k 1,2`) has one string for each part: key_of({"a", "b"}).
  //
  // Errors: kInvalidArgument if the text is not of the form, the number of parts differs, or the filter's
  // keys are ready digests. Also kUnsupported for canonical URLs, which only the command makes
  // (key_form.h).
  Result<Hash128> key_of(std::string_view text) const;
  Result<Hash128> key_of(std::span<const std::string_view> parts) const;
  Result<Hash128> key_of(std::initializer_list<std::string_view> parts) const {
    return key_of(std::span(parts.begin(), parts.size()));
  }

  // Returns the number of set bits. Reads all bits once (about 10 GB/s).
  std::uint64_t set_bit_count() const;

  // Free text that the file stores after the bits. Errors: kInvalidArgument above 16 MiB, or during an
  // update in place.
  const std::string& metadata() const;
  Status set_metadata(std::string text);

  // Exceptions are keys that are known to be absent. The filter answers no to them although its bits match.
  // An exception costs 16 bytes, and time only if the bits have matched. All 128 bits of the hash
  // distinguish exceptions. Inserting such a key withdraws its exception: a member is never denied.
  //
  // Adds exceptions, whether the filter matches them or not; add_exceptions() in exceptions.h adds only
  // those that it matches. Never add a member, because queries for it would answer no. Each call costs
  // O(all exceptions) and must run alone. Errors: kInvalidArgument during an update in place, and for ready
  // digests, whose high words are unknown.
  Status add_as_exceptions(std::span<const Hash128> hashes);
  std::uint64_t exception_count() const;
  std::vector<Hash128> exceptions() const;  // ascending by (low, high)
  bool is_exception(const Hash128& hash) const { return has_exceptions() && is_live_exception(hash); }
  // Returns how many exceptions were withdrawn by inserts since the filter was made or opened.
  std::uint64_t withdrawn_exceptions() const;

  // Returns true if another process was updating the file in place when the filter was opened from it. Such
  // a filter answers maybe to every key that was in before and is not removed. It cannot be saved, or
  // merged into another one, because it may hold only some bits of a key that was inserted or removed
  // meanwhile.
  bool opened_during_update() const;

  // Writes the native file: temporary file, fsync, rename, fsync of the directory. After an error the old
  // file is untouched. The same keys, capacity and options produce the same bytes. Errors: also kIo, with
  // EWOULDBLOCK if others have updated the mapped file since it was opened, with ESTALE if `path` has
  // changed since it was read or saved.
  Status save(const std::string& path, const SaveTo& to = {}) const;
  // Saves over the file that was opened with Access::kCopyLocked, any number of times. The lock moves to
  // each new file, so that no other process can intervene. If there is no file yet, save_and_hold() creates
  // it and holds its lock from then on. Errors: also kInvalidArgument if `path` names another file by now.
  Status save_and_hold(const std::string& path);
  // Returns Ok if the mapped file is still complete; a filter in memory always is. A program that uses
  // survive_cut_files() must call this after the queries whose answers it relies on. Earlier answers may be
  // false negatives. Errors: kCorruption.
  Status file_status() const;
  // Appends the bytes that save() writes to `out`.
  void serialize(std::string& out) const;
  // Ends an update in place (Access::kUpdateInPlace): writes the bits back, then the header that certifies
  // them. The file is marked dirty from its opening until then, so that the next open detects a crash in
  // between.
  Status finish_update();

 protected:
  NativeFilter(NativeFilter&&) noexcept;
  NativeFilter& operator=(NativeFilter&&) noexcept;
  ~NativeFilter();
  explicit NativeFilter(std::unique_ptr<FilterBody> body);

  // Makes a body of `payload_bytes` zeros for a new filter. Errors: kInvalidArgument for options that the
  // type does not have, or for another bad argument; kCapacity.
  static Result<std::unique_ptr<FilterBody>> new_body(FilterType type, std::uint64_t payload_bytes,
                                                      std::uint64_t capacity, double fpp,
                                                      const FilterOptions& options);
  // Checks the header fields that only one type has.
  using HeaderCheck = Status (*)(const NativeHeader& header);
  static Result<std::unique_ptr<FilterBody>> open_body(const std::string& path, const OpenOptions& options,
                                                       HeaderCheck check = nullptr);
  static Result<std::unique_ptr<FilterBody>> view_body(std::span<const std::byte> bytes,
                                                       const OpenOptions& options,
                                                       HeaderCheck check = nullptr);
  // Serves types that may outgrow their file. Errors: kInvalidArgument for Access::kUpdateInPlace.
  static Status check_not_in_place(FilterType type, const OpenOptions& options);
  // Returns an error unless the body is of this type, has this payload, and is aligned in memory.
  static Status check_body(const FilterBody& body, FilterType type, std::uint64_t payload_bytes);

  // Ends the process with a message if the caller broke a rule, because going on would lose keys or corrupt
  // memory.
  static void require(bool kept, const char* rule) {
    if (!kept) [[unlikely]] {
      end_with(rule);
    }
  }
  // Every batch call calls this first. An answer buffer that is too short would overwrite other memory of
  // the caller.
  static void require_room(std::span<const std::uint64_t> answers, std::size_t keys) {
    require(answers.size() >= answer_words(keys),
            "a batch of keys needs a bit of `answers` for each of them");
  }
  // Every call that changes the filter calls this first.
  void require_writable() const {
    require(is_writable(),
            "a filter that view() opened over the caller's bytes is read-only and cannot be changed");
  }
  // Every batch of low words calls this first.
  void require_no_exceptions() const {
    require(!has_exceptions(), "a filter with exceptions needs whole hashes, not their low words");
  }
  // Removes every key; exceptions stay.
  void clear();
  // Replaces the exceptions by `exceptions` (computed from both filters) and adds the key count of `other`.
  // The caller then merges the other payload. After an error nothing has changed. Errors: kInvalidArgument,
  // naming all differences between the plans, or if exceptions would change during an update in place.
  Status merge_plan(const NativeFilter& other, std::vector<Hash128> exceptions);
  // Merges the plan, then ORs the bits of `other` into this filter's. Errors: kInvalidArgument of
  // merge_plan().
  Status merge_bits(const NativeFilter& other, std::vector<Hash128> exceptions);
  // Returns the exceptions of each filter that the other one denies too; the others may be among its keys.
  template <typename Filter>
  static std::vector<Hash128> common_exceptions(const Filter& a, const Filter& b) {
    std::vector<Hash128> common;
    const auto keep = [&common](const std::vector<Hash128>& hashes, const Filter& other) {
      std::ranges::copy_if(hashes, std::back_inserter(common),
                           [&](const Hash128& hash) { return !other.may_contain(hash); });
    };
    keep(a.exceptions(), b);
    keep(b.exceptions(), a);
    return common;
  }
  // Returns true if a query for an integer needs only its inline hash and the bits. This is so if there are
  // no exceptions and short_hash() is the low word of hash().
  bool asks_inline() const { return at_hand_.asks_inline; }
  template <std::integral K>
  BLOOMERY_FORCE_INLINE std::uint64_t short_hash(K key) const {
    return short_key_mix::low_word(little_endian_value(key), sizeof(K), at_hand_.short_key_base);
  }
  bool has_exceptions() const { return at_hand_.has_exceptions; }
  // The type calls this after the exceptions of the body have changed.
  void exceptions_changed();
  // Returns true if an insert may set bits without atomic operations and has no other work. The bits are
  // then writable, no other thread or process can access their memory, and there are no exceptions.
  bool inserts_alone() const { return at_hand_.plain_inserts && process_has_one_thread(); }
  // Returns true if, in addition, an integer needs only its inline hash.
  bool inserts_integers_alone() const { return at_hand_.plain_integer_inserts && process_has_one_thread(); }
  // Counts one inserted key. Precondition: inserts_alone(). Otherwise call count_inserted().
  void count_inserted_alone() { ++*at_hand_.inserted; }
  // Inserts and queries call these for exceptions, after they have set or read their bits.
  bool withdraw_exception(const Hash128& hash);
  void withdraw_exceptions(std::span<const Hash128> hashes);
  void clear_exceptions(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void count_inserted(std::uint64_t keys);
  // Lowers the count of keys, but never below 0.
  void count_removed(std::uint64_t keys);
  FilterBody& body() const { return *body_; }
  std::uint64_t* words() const;

 private:
  friend struct NativeAccess;  // for the library, not for users

  [[noreturn]] static void end_with(const char* rule);

  // Copies of the fields of the body that calls for one key need, so that they need not read the body.
  struct AtHand {
    std::uint64_t* inserted;       // points into the body
    std::uint64_t short_key_base;  // short_key_mix::base() of the seed
    bool has_exceptions;           // has exceptions, or had some that were withdrawn
    bool asks_inline;              // the hash is HashId::kMix8Xxh3, and there are no exceptions
    bool low_is_enough;            // asks_inline, and a batch reads no high words
    bool plain_inserts;            // inserts_alone() if this process has one thread
    bool plain_integer_inserts;    // plain_inserts and asks_inline
  };
  static AtHand at_hand_of(FilterBody& body);
  [[gnu::pure, gnu::cold]] bool is_live_exception(Hash128 hash) const;

  std::unique_ptr<FilterBody> body_;
  AtHand at_hand_;
};

}  // namespace bloomery
