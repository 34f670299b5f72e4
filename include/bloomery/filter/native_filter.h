// What filters of every type have in common: plan, counts, exceptions, and the native file they live in.
//
// Not a type to use by itself: BloomFilter and the others are NativeFilters and add what they do with keys.
// A call has one name, one order of arguments and one kind of result in all types that have it. The concepts
// of membership_filter.h say which types have which calls:
//
//   for_capacity(n, fpp, options)  build(keys, fpp, options)  open(path, options)  view(bytes, options)
//   insert  may_contain  test_and_insert  remove  count_at_most, each also as a batch of hashes
//   merge  clear  save  serialize  fill_ratio  current_fpp  estimated_count  over_capacity
//
// Keys. A call that takes a key takes its hash, or a value of any type that append_key() knows:
//
//   strings, bytes   as they are. Where the file says that keys were made otherwise (from hexadecimal
//                    digits, with folded case, of several fields), key_of() makes them of text, and open()
//                    refuses the filter until the caller says that it knows (RecordedKeys::kKnown).
//   integers         by the width of their C++ type: insert(42) and may_contain(42L) are about different
//                    keys. The typed view, filter.of<std::int64_t>(), fixes the width for all calls.
//
// Threads: everything const may run beside inserts; counts may then lag behind. The rest needs the
// filter alone, unless a type says more.
#pragma once

#include <algorithm>
#include <atomic>
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
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"
#include "bloomery/hash/short_key_mix.h"

namespace bloomery {

struct FilterBody;
struct NativeHeader;

// Words that a bitmap of answers to `key_count` keys takes: bit i mod 64 of word i/64 is the answer for key
// i.
constexpr std::size_t answer_words(std::size_t key_count) {
  return (key_count + 63) / 64;
}

class NativeFilter {
 public:
  FilterType type() const;
  // The number of distinct keys it was made for, and the fpp it then has.
  std::uint64_t capacity() const;
  double target_fpp() const;
  // Keys given to insert and test_and_insert, repeats included; less those removed, where a type removes.
  std::uint64_t inserted() const;
  // Of its payload, and of the file that save() writes.
  std::uint64_t byte_size() const;
  std::uint64_t file_bytes() const;
  // False for what view() made of bytes that are the caller's, and for a mapped ribbon, which never changes. Changing
  // such a filter is a programming error, which ends the process with a message.
  bool is_writable() const;
  // It may outgrow its file, so that it is not updated in place but saved over it.
  bool may_grow() const;
  // Its secret is the one it was opened with; see hash_key_id().
  [[gnu::pure]] const HashSpec& hash_spec() const;
  // The id of the secret that its keys are hashed under; 0: none is.
  std::uint64_t hash_key_id() const;
  const KeyTreatment& key_treatment() const;

  // Returns the hash of a key of any type that append_key() knows. Precondition: the hash is not
  // kReadyDigest, and its secret, if it has one, is known.
  template <Key K>
  Hash128 hash(const K& key) const {
    return hash_key(key, hash_spec());
  }

  // Returns the hash of a piece of text as the tools would make it a key of this filter: by the form, case,
  // trimming and number of parts that its file records. All calls that take a key take it.
  //
  //   filter.may_contain(*filter.key_of("DEADBEEF"))
  //   filter.may_contain(*filter.key_of(parts))         a composite key (`-k 1,2`), one string for each part
  //
  // Errors: kInvalidArgument where the text is not of the form, the number of parts is another, or the filter
  // takes ready digests; kUnsupported for canonical URLs, which the command makes (key_form.h).
  Result<Hash128> key_of(std::string_view text) const;
  Result<Hash128> key_of(std::span<const std::string_view> parts) const;
  Result<Hash128> key_of(std::initializer_list<std::string_view> parts) const {
    return key_of(std::span(parts.begin(), parts.size()));
  }

  // Reads all bits once (about 10 GB/s).
  std::uint64_t set_bit_count() const;

  // Free text kept in the file behind the bits. Errors: kInvalidArgument above 16 MiB, or in an update in
  // place.
  const std::string& metadata() const;
  Status set_metadata(std::string text);

  // Exceptions: keys that are known not to be in, and are answered no although the filter matches them. They
  // cost 16 bytes each, and time only where the filter has matched. Told apart by all 128 bits of the hash.
  // Whoever inserts such a key takes its exception back: being in wins.
  //
  // Adds some, whether the filter matches them or not (add_exceptions() in exceptions.h takes those it does).
  // Never of a key that is in: it would be answered no. O(all) at each call. Needs the filter alone. Errors:
  // kInvalidArgument in an update in place, and for ready digests, whose high words are not known.
  Status add_as_exceptions(std::span<const Hash128> hashes);
  std::uint64_t exception_count() const;
  std::vector<Hash128> exceptions() const;  // ascending by (low, high)
  bool is_exception(const Hash128& hash) const { return has_exceptions() && is_live_exception(hash); }
  // Exceptions that inserts have taken back since the filter was made or opened.
  std::uint64_t withdrawn_exceptions() const;

  // Writes the native file: temporary file, fsync, rename, fsync of the directory. After an error the old
  // file is untouched. The same keys, capacity and options give the same bytes.
  Status save(const std::string& path, const SaveTo& to = {}) const;
  // As save(), over the file that was opened with Access::kCopyLocked, again and again: the lock goes on to
  // each new one, so that no other process comes between. Or as a file that is not there yet, which is locked
  // from then on. Errors: also kInvalidArgument when `path` names another file by now.
  Status save_and_hold(const std::string& path);
  // Whether the file that was mapped is still whole; a filter in memory always is. To be asked after answers, where the
  // process survives files that are cut under it (survive_cut_files()): those of before may be a wrong no. Errors:
  // kCorruption.
  Status file_status() const;
  // The same bytes, appended to `out`.
  void serialize(std::string& out) const;
  // Ends an update in place (Access::kUpdateInPlace): writes the bits back, then the header that vouches for
  // them. The file is marked dirty from its opening until then, so that a crash between is seen and not
  // believed.
  Status finish_update();

 protected:
  NativeFilter(NativeFilter&&) noexcept;
  NativeFilter& operator=(NativeFilter&&) noexcept;
  ~NativeFilter();
  explicit NativeFilter(std::unique_ptr<FilterBody> body);

  // Makes a body of `payload_bytes` zeros for a new filter. Errors: check_options(), kInvalidArgument,
  // kCapacity.
  static Result<std::unique_ptr<FilterBody>> new_body(FilterType type, std::uint64_t payload_bytes,
                                                      std::uint64_t capacity, double fpp,
                                                      const FilterOptions& options);
  // `check` is what the type finds wrong with the header fields that only it has.
  using HeaderCheck = Status (*)(const NativeHeader& header);
  static Result<std::unique_ptr<FilterBody>> open_body(const std::string& path, const OpenOptions& options,
                                                       HeaderCheck check = nullptr);
  static Result<std::unique_ptr<FilterBody>> view_body(std::span<const std::byte> bytes,
                                                       const OpenOptions& options,
                                                       HeaderCheck check = nullptr);
  // Of types that may outgrow their file. Errors: kInvalidArgument for Access::kUpdateInPlace.
  static Status check_not_in_place(FilterType type, const OpenOptions& options);
  // Errors: unless the body is of this type, has this payload, and lies aligned in memory.
  static Status check_body(const FilterBody& body, FilterType type, std::uint64_t payload_bytes);

  // Ends the process with a message where the caller broke a rule that would otherwise cost keys or memory.
  static void require(bool kept, const char* rule) {
    if (!kept) [[unlikely]] {
      end_with(rule);
    }
  }
  // To be called before anything changes.
  void require_writable() const {
    require(is_writable(),
            "a filter that view() opened over the caller's bytes is read-only and cannot be changed");
  }
  // Forgets every key; exceptions stay.
  void clear();
  // Takes `exceptions` for those of both and counts the keys of `other`, whose payload is then to be merged
  // into ours. Errors: kInvalidArgument, naming all that differs between the plans, or when exceptions would
  // change in an update in place; nothing is changed then.
  Status merge_plan(const NativeFilter& other, std::vector<Hash128> exceptions);
  // The same, and ORs the bits of `other` into ours.
  Status merge_bits(const NativeFilter& other, std::vector<Hash128> exceptions);
  // The exceptions that the other filter denies too; the rest may be among its keys.
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
  // Whether a query for an integer is its inline hash and a look at the bits: short_hash() is then the low word of
  // hash(), and there are no exceptions.
  bool asks_inline() const { return at_hand_.asks_inline; }
  template <std::integral K>
  BLOOMERY_FORCE_INLINE std::uint64_t short_hash(K key) const {
    return short_key_mix::low_word(little_endian_value(key), sizeof(K), at_hand_.short_key_base);
  }
  bool has_exceptions() const { return at_hand_.has_exceptions; }
  // To be called when the body has got other exceptions.
  void exceptions_changed();
  // Bits in the body's storage may be changed without atomic operations, and that is all that an insert has to do: they
  // are writable, in memory that neither another thread nor another process can touch, and there are no exceptions.
  bool inserts_alone() const { return at_hand_.plain_inserts && process_has_one_thread(); }
  // Counts one inserted key where inserts_alone(); count_inserted() does otherwise.
  void count_inserted_alone() {
    at_hand_.inserted->store(at_hand_.inserted->load(std::memory_order_relaxed) + 1,
                             std::memory_order_relaxed);
  }
  // What inserts and queries do about exceptions, once their bits are set or read.
  bool withdraw_exception(const Hash128& hash);
  void withdraw_exceptions(std::span<const Hash128> hashes);
  void clear_exceptions(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  void count_inserted(std::uint64_t keys);
  // Never below 0.
  void count_removed(std::uint64_t keys);
  FilterBody& body() const { return *body_; }
  std::uint64_t* words() const;

 private:
  friend struct NativeAccess;  // what other parts of the library need of a filter, and no user

  [[noreturn]] static void end_with(const char* rule);

  // What calls for one key need of the body, without a step through it.
  struct AtHand {
    std::atomic<std::uint64_t>* inserted;  // in the body
    std::uint64_t short_key_base;          // of HashId::kMix8Xxh3
    bool has_exceptions;                   // or had some, which were withdrawn
    bool asks_inline;                      // the hash is HashId::kMix8Xxh3, and there are no exceptions
    bool plain_inserts;                    // inserts_alone(), if this process has one thread
  };
  static AtHand at_hand_of(FilterBody& body);
  [[gnu::pure]] bool is_live_exception(const Hash128& hash) const;

  std::unique_ptr<FilterBody> body_;
  AtHand at_hand_;
};

}  // namespace bloomery
