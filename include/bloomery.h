// Bloomery for C and for every language that calls C: filters, filters of other systems, files and tables of
// HBase.
//
// Example:
//    bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
//    options.capacity = 1000000;
//    options.fpp = 0.001;
//    bloomery_filter *filter = NULL;
//    if (bloomery_filter_make(&options, &filter) < 0) {
//      fprintf(stderr, "%s\n", bloomery_last_error()->message);
//    }
//    bloomery_filter_insert(filter, "a key", 5);
//    int maybe = bloomery_filter_may_contain(filter, "a key", 5);  // 1: maybe; 0: certainly no; < 0: error
//    bloomery_filter_close(filter);
//
// Two libraries export these calls. bloomery (pkg-config bloomery) has everything up to the line "Files of
// other systems". bloomery-files (pkg-config bloomery-files) has the rest and links the libraries that such
// files need.
//
// Results. A call returns BLOOMERY_OK (0), or its documented answer, which is 0 or above. A negative number
// is an error; bloomery_last_error() then says what was expected, what was found and where. An error is
// never an answer: test for `< 0` before you read 0 as *no*.
//
// Handles are opaque. The close call of its type closes each handle once; closing a null handle is allowed.
// A call with a closed handle, or one of another type, returns BLOOMERY_BAD_HANDLE. This check helps to
// find mistakes and is no guarantee: after a thousand more handles of the type, the memory serves another
// one.
//
// Option structs and fact structs begin with their size, so that they can grow. Initialize them with the
// INIT macro of the struct.
//
// Keys are bytes; a null pointer is allowed for 0 bytes. An integer key is its little-endian bytes (the
// _int64 calls do that). The _text calls turn the text of a line into a key by the filter's own rule.
//
// Threads: a handle may be shared as its filter type allows (docs/library.md). With `blocked` and `bloom`
// filters, inserts and queries may run concurrently. The last error is kept per thread.
//
// The interface is stable: docs/c.md, section "What stays". No call throws, ends the process, or writes to
// a stream.
#ifndef BLOOMERY_H
#define BLOOMERY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BLOOMERY_API __attribute__((visibility("default")))
#else
#define BLOOMERY_API
#endif

// The version of this interface. It grows with each addition. A library serves programs that were compiled
// with the same number or a smaller one.
#define BLOOMERY_ABI_VERSION 3

BLOOMERY_API int bloomery_abi_version(void);
// Returns the version of the project, for example "0.1.0".
BLOOMERY_API const char* bloomery_version(void);

// ---- Errors ----

// These numbers never change.
enum {
  BLOOMERY_OK = 0,
  BLOOMERY_CORRUPTION = -1,        // bytes that no writer of the format produces
  BLOOMERY_UNSUPPORTED = -2,       // well-formed, but unknown to this build
  BLOOMERY_INVALID_ARGUMENT = -3,  // a value that no call can serve
  BLOOMERY_NOT_FOUND = -4,         // a file or a table that does not exist
  BLOOMERY_IO = -5,                // the operating system refused; see errno_value
  BLOOMERY_CAPACITY = -6,          // more keys or memory than allowed or available
  BLOOMERY_FULL = -7,              // the filter refused keys and does not hold them
  BLOOMERY_BAD_HANDLE = -8,        // a null or closed handle, or one of another type
  BLOOMERY_INTERNAL = -9           // a defect of the library
};

#define BLOOMERY_NO_OFFSET UINT64_MAX

typedef struct bloomery_error {
  size_t size;          // the size of this struct in the library
  int32_t code;         // BLOOMERY_OK if no call of this thread has failed
  int32_t errno_value;  // the errno of a failed system call, otherwise 0
  const char* message;  // a sentence: the file, the byte offset, what was expected and what was found
  const char* subject;  // the file, or the section of a format or the argument
  uint64_t offset;      // the byte in the subject, or BLOOMERY_NO_OFFSET
} bloomery_error;

// Returns the error of this thread's last failed call; never null. Successful calls leave it unchanged. The
// pointer is valid until the thread's next failed call.
BLOOMERY_API const bloomery_error* bloomery_last_error(void);
// Returns "corruption", "full" and so on, or "unknown".
BLOOMERY_API const char* bloomery_error_name(int code);
// For libraries built on this one: sets the last error and returns `code`. Null strings are empty.
BLOOMERY_API int bloomery_set_error(int code, const char* message, const char* subject, uint64_t offset,
                                    int errno_value);

// ---- Memory ----

// Provides the memory of the tables of native filters and of the buffers that calls return. Handles, other
// memory of a call (texts, lists), filters of other systems and file mappings do not use it.
typedef struct bloomery_allocator {
  size_t size;  // sizeof(bloomery_allocator)
  // Returns memory of at least `bytes` at a multiple of `alignment` (a power of 2, at most 4096), or null.
  void* (*allocate)(size_t bytes, size_t alignment, void* context);
  void (*release)(void* memory, size_t bytes, void* context);
  void* context;
} bloomery_allocator;

// Uses the allocator for all memory from now on; null restores the library's own. Memory is released by the
// allocator that allocated it, which must live that long. The two functions of the allocator may be called
// from any thread. Call this before other threads use the library.
BLOOMERY_API int bloomery_set_allocator(const bloomery_allocator* allocator);
// Allocates memory in the way that the library does for buffers that it returns. Release every returned
// buffer by one bloomery_free(); null is allowed.
BLOOMERY_API void* bloomery_allocate(size_t bytes);
BLOOMERY_API void bloomery_free(void* memory);

// ---- Hashes and keys ----

typedef struct bloomery_hash {
  uint64_t low;
  uint64_t high;
} bloomery_hash;

// The numbers of types, settings, windows, forms and hashes are the numbers of the native file and never
// change.
enum {
  BLOOMERY_BLOOM = 1,
  BLOOMERY_BLOCKED = 2,
  BLOOMERY_RIBBON = 3,
  BLOOMERY_COUNTING = 4,
  BLOOMERY_QUOTIENT = 5,
  BLOOMERY_SCALABLE = 6,
  BLOOMERY_WINDOWED = 7,
  BLOOMERY_EXACT = 8,
  BLOOMERY_FUSE = 9
};
enum { BLOOMERY_FAST = 64, BLOOMERY_DENSE = 8 };
enum { BLOOMERY_WINDOW_NONE = 0, BLOOMERY_WINDOW_KEYS = 1, BLOOMERY_WINDOW_NANOSECONDS = 2 };
enum {
  BLOOMERY_KEYS_TEXT = 0,
  BLOOMERY_KEYS_HEX = 1,
  BLOOMERY_KEYS_INT32 = 2,
  BLOOMERY_KEYS_INT64 = 3,
  BLOOMERY_KEYS_UTF16 = 4,
  BLOOMERY_KEYS_URL = 5,
  BLOOMERY_KEYS_CIDR = 6,
  BLOOMERY_KEYS_DOMAIN_SUFFIX = 7,
  BLOOMERY_KEYS_URL_PREFIX = 8,
  BLOOMERY_KEYS_TIMESTAMPTZ = 9
};
enum {
  BLOOMERY_HASH_READY = 0,
  BLOOMERY_HASH_XXH3 = 1,
  BLOOMERY_HASH_SIPHASH = 2,
  BLOOMERY_HASH_MIX8_XXH3 = 3
};

#define BLOOMERY_SECRET_BYTES 16
#define BLOOMERY_VARIABLE_PARTS 0xffffu

// The rule that turns the text of a line into a key, as a filter records it.
typedef struct bloomery_key_rule {
  size_t size;     // sizeof(bloomery_key_rule)
  uint16_t form;   // BLOOMERY_KEYS_...
  uint16_t parts;  // 1, the parts of a composite key, or BLOOMERY_VARIABLE_PARTS
  uint8_t trim;    // 0 or 1, like all flags below
  uint8_t ignore_case;
  uint8_t sort_query;     // for URLs
  uint8_t drop_tracking;  // for URLs
} bloomery_key_rule;

// Sets the secret to 16 random bytes from the operating system.
BLOOMERY_API int bloomery_secret_generate(uint8_t secret[BLOOMERY_SECRET_BYTES]);
BLOOMERY_API int bloomery_secret_load(const char* path, uint8_t secret[BLOOMERY_SECRET_BYTES]);
// Writes a new file with mode 0600. The file must not exist.
BLOOMERY_API int bloomery_secret_save_new(const char* path, const uint8_t secret[BLOOMERY_SECRET_BYTES]);

// Makes the bytes of a key from a text by a form: for filters of other systems, and to see what a key is.
// Release `*bytes` by bloomery_free(). The forms url and url-prefix are not supported.
BLOOMERY_API int bloomery_key_of_text(int form, const char* text, size_t length, void** bytes,
                                      size_t* bytes_count);

// ---- Filters: make, open, save ----

typedef struct bloomery_filter bloomery_filter;

typedef struct bloomery_filter_options {
  size_t size;        // sizeof(bloomery_filter_options)
  uint64_t capacity;  // distinct keys; in the first layer if scalable, in one window if windowed
  // Exactly one of fpp and bits_per_key, or bytes. With bytes, the filter uses at most that many, and
  // either capacity or fpp is set: the library chooses the best value for the other.
  double fpp;
  double bits_per_key;
  uint64_t bytes;
  uint64_t exact_below;       // above 0: an exact set for at most this many keys
  uint32_t type;              // BLOOMERY_BLOOM ...; 0: BLOOMERY_BLOCKED
  uint32_t setting;           // BLOOMERY_FAST (0 is the same), BLOOMERY_DENSE
  uint32_t growth_doublings;  // for a quotient filter
  uint32_t window_kind;
  uint64_t window_length;
  uint32_t window_generations;  // 0: 4
  uint32_t threads;             // to build a ribbon; 0: all
  uint32_t hash;                // 0 or BLOOMERY_HASH_MIX8_XXH3; or BLOOMERY_HASH_XXH3, as in the command
  uint64_t seed;
  const uint8_t* secret;   // 16 bytes: the keys are hashed under it; or null
  bloomery_key_rule keys;  // its size may be 0: keys are bytes
  // Above 0: all keys are given as ready hashes with well-mixed low words; the library hashes none.
  uint8_t ready_hashes;
} bloomery_filter_options;
#define BLOOMERY_FILTER_OPTIONS_INIT                                                                        \
  {                                                                                                         \
    sizeof(bloomery_filter_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, {0, 0, 0, 0, 0, 0, 0}, \
        0                                                                                                   \
  }

// Says how a file is loaded, and what is verified.
enum {
  BLOOMERY_MAP = 0,   // mapped; changes stay in memory
  BLOOMERY_COPY = 1,  // read into memory
  BLOOMERY_UPDATE_IN_PLACE =
      2,  // mapped and locked; inserts change the file; see bloomery_filter_finish_update()
  BLOOMERY_MAP_LOCKED = 3,
  BLOOMERY_COPY_LOCKED = 4
};

typedef struct bloomery_open_options {
  size_t size;             // sizeof(bloomery_open_options)
  uint32_t access;         // BLOOMERY_MAP ...
  uint8_t trusts_payload;  // 1: verifies only the header; with a damaged payload any answer is possible
  // 1: opens a filter whose keys were made from text by a rule (bloomery_filter_keys()). Query it with the
  // _text calls, or with the bytes that the rule makes. With 0 such a filter is refused, because other
  // bytes would produce false negatives.
  uint8_t knows_key_rule;
  uint8_t refuses_updates;  // 1: refuses a file that another process is updating in place
  uint8_t accepts_dirty;    // 1: opens a file whose update was interrupted
  uint8_t without_secret;   // 1: opens a keyed filter without its secret, to inspect, merge or copy it
  const uint8_t* secret;    // 16 bytes, or null
} bloomery_open_options;
#define BLOOMERY_OPEN_OPTIONS_INIT \
  { sizeof(bloomery_open_options), 0, 0, 0, 0, 0, 0, NULL }

// Makes an empty filter. A ribbon or a fuse filter is built by bloomery_ribbon_begin() instead.
BLOOMERY_API int bloomery_filter_make(const bloomery_filter_options* options, bloomery_filter** filter);
// Opens a file of any filter type. Null options mean the INIT values.
BLOOMERY_API int bloomery_filter_open(const char* path, const bloomery_open_options* options,
                                      bloomery_filter** filter);
// Opens bytes in memory. With BLOOMERY_MAP, bytes aligned to 8 bytes are not copied: they must outlive the
// filter, which is read-only. With BLOOMERY_COPY they may be released.
BLOOMERY_API int bloomery_filter_view(const void* bytes, size_t bytes_count,
                                      const bloomery_open_options* options, bloomery_filter** filter);
// Writes a temporary file, syncs and renames it. With `replace` 0 an existing file is an error. Otherwise
// it is replaced, unless the filter was read from or saved to that file and the file has changed since.
BLOOMERY_API int bloomery_filter_save(const bloomery_filter* filter, const char* path, int replace);
// Ends an update in place. The filter only accepts queries afterwards.
BLOOMERY_API int bloomery_filter_finish_update(bloomery_filter* filter);
// Returns the bytes that save would write to a file. Release them by bloomery_free().
BLOOMERY_API int bloomery_filter_bytes(const bloomery_filter* filter, void** bytes, size_t* bytes_count);
BLOOMERY_API int bloomery_filter_close(bloomery_filter* filter);

// ---- Filters: one key ----

// Inserts a key. Returns BLOOMERY_OK if the filter now holds it, and BLOOMERY_FULL if the filter refused
// it.
BLOOMERY_API int bloomery_filter_insert(bloomery_filter* filter, const void* key, size_t length);
BLOOMERY_API int bloomery_filter_may_contain(const bloomery_filter* filter, const void* key, size_t length);
// Inserts a key. Returns 1 if it was certainly new, and 0 if it may have been in the filter already.
BLOOMERY_API int bloomery_filter_test_and_insert(bloomery_filter* filter, const void* key, size_t length);
// Removes one insertion of a key. Returns 1, or 0 if the key is certainly absent. Removing a key that was
// never inserted may remove another one.
BLOOMERY_API int bloomery_filter_remove(bloomery_filter* filter, const void* key, size_t length);
// Returns 1 and sets `*count` to an upper bound of the key's count; returns 0 if any count is possible.
BLOOMERY_API int bloomery_filter_count_at_most(const bloomery_filter* filter, const void* key, size_t length,
                                               uint64_t* count);

BLOOMERY_API int bloomery_filter_insert_int64(bloomery_filter* filter, int64_t key);
BLOOMERY_API int bloomery_filter_may_contain_int64(const bloomery_filter* filter, int64_t key);
BLOOMERY_API int bloomery_filter_test_and_insert_int64(bloomery_filter* filter, int64_t key);
BLOOMERY_API int bloomery_filter_remove_int64(bloomery_filter* filter, int64_t key);

BLOOMERY_API int bloomery_filter_insert_hash(bloomery_filter* filter, bloomery_hash hash);
BLOOMERY_API int bloomery_filter_may_contain_hash(const bloomery_filter* filter, bloomery_hash hash);
BLOOMERY_API int bloomery_filter_test_and_insert_hash(bloomery_filter* filter, bloomery_hash hash);
BLOOMERY_API int bloomery_filter_remove_hash(bloomery_filter* filter, bloomery_hash hash);
BLOOMERY_API int bloomery_filter_count_at_most_hash(const bloomery_filter* filter, bloomery_hash hash,
                                                    uint64_t* count);

// Keys as text, as the command reads them from a line: the filter's rule makes the key. A composite key has
// several texts, all others have one. A block list (cidr, domain-suffix) is queried for all entries that
// cover the text. URLs need bloomery_text_hashes().
BLOOMERY_API int bloomery_filter_insert_text(bloomery_filter* filter, const char* const* texts,
                                             const size_t* lengths, size_t parts);
BLOOMERY_API int bloomery_filter_may_contain_text(const bloomery_filter* filter, const char* const* texts,
                                                  const size_t* lengths, size_t parts);

// Computes the hash of a key, for the _hash calls. Filters with the same hash function, seed and secret
// share it.
BLOOMERY_API int bloomery_filter_hash(const bloomery_filter* filter, const void* key, size_t length,
                                      bloomery_hash* hash);
BLOOMERY_API int bloomery_filter_hash_text(const bloomery_filter* filter, const char* const* texts,
                                           const size_t* lengths, size_t parts, bloomery_hash* hash);

// ---- Filters: batches ----

// A batch of keys. Key i has lengths[i] bytes at data + offsets[i]. Without lengths it ends at offsets[i +
// 1]: there are count + 1 ascending offsets, as in Arrow. Without offsets the keys are contiguous, each of
// `width` bytes.
typedef struct bloomery_keys {
  size_t size;  // sizeof(bloomery_keys)
  const void* data;
  const uint64_t* offsets;  // or null
  const uint64_t* lengths;  // or null
  uint64_t width;
  size_t count;
} bloomery_keys;
#define BLOOMERY_KEYS_INIT \
  { sizeof(bloomery_keys), NULL, NULL, NULL, 0, 0 }

// Answers are a bitmap: the answer for key i is bit i % 64 of word i / 64. `words` is the length of
// `answers`, at least BLOOMERY_ANSWER_WORDS(count).
#define BLOOMERY_ANSWER_WORDS(count) (((size_t)(count) + 63) / 64)

// A batch that inserts returns BLOOMERY_FULL if keys were refused. It sets `*refused` to their number
// unless `refused` is null.
BLOOMERY_API int bloomery_filter_insert_batch(bloomery_filter* filter, const bloomery_keys* keys,
                                              uint64_t* refused);
BLOOMERY_API int bloomery_filter_may_contain_batch(const bloomery_filter* filter, const bloomery_keys* keys,
                                                   uint64_t* answers, size_t words);
// Answers 1 for a new key and also for a refused one.
BLOOMERY_API int bloomery_filter_test_and_insert_batch(bloomery_filter* filter, const bloomery_keys* keys,
                                                       uint64_t* answers, size_t words, uint64_t* refused);
// Answers 1 for a removed key, and 0 for one that is certainly absent.
BLOOMERY_API int bloomery_filter_remove_batch(bloomery_filter* filter, const bloomery_keys* keys,
                                              uint64_t* answers, size_t words);
// Sets hashes[i] for each key; `room` is the length of `hashes`.
BLOOMERY_API int bloomery_filter_hash_batch(const bloomery_filter* filter, const bloomery_keys* keys,
                                            bloomery_hash* hashes, size_t room);

BLOOMERY_API int bloomery_filter_insert_hashes(bloomery_filter* filter, const bloomery_hash* hashes,
                                               size_t count, uint64_t* refused);
BLOOMERY_API int bloomery_filter_may_contain_hashes(const bloomery_filter* filter,
                                                    const bloomery_hash* hashes, size_t count,
                                                    uint64_t* answers, size_t words);
BLOOMERY_API int bloomery_filter_test_and_insert_hashes(bloomery_filter* filter, const bloomery_hash* hashes,
                                                        size_t count, uint64_t* answers, size_t words,
                                                        uint64_t* refused);
BLOOMERY_API int bloomery_filter_remove_hashes(bloomery_filter* filter, const bloomery_hash* hashes,
                                               size_t count, uint64_t* answers, size_t words);

// ---- Filters: merge, clear, exceptions, facts ----

// Adds the keys of `other`, which must have the same plan and be another handle.
BLOOMERY_API int bloomery_filter_merge(bloomery_filter* filter, const bloomery_filter* other);
// Removes every key; exceptions stay.
BLOOMERY_API int bloomery_filter_clear(bloomery_filter* filter);
// Adds those of the keys that the filter matches as exceptions: a query for them answers no. None of them
// may be a member. Sets `*added`, unless it is null, to the number that matched.
BLOOMERY_API int bloomery_filter_add_exceptions(bloomery_filter* filter, const bloomery_hash* hashes,
                                                size_t count, uint64_t* added);
// Returns the exceptions in ascending order. Release them by bloomery_free().
BLOOMERY_API int bloomery_filter_exceptions(const bloomery_filter* filter, bloomery_hash** hashes,
                                            size_t* count);
// For windowed filters by time: clears the generations that have expired by now.
BLOOMERY_API int bloomery_filter_advance(bloomery_filter* filter);
// Free text in the file, at most 16 MiB. The returned pointer is valid until the metadata is set or the
// filter is closed.
BLOOMERY_API int bloomery_filter_metadata(const bloomery_filter* filter, const char** text, size_t* length);
BLOOMERY_API int bloomery_filter_set_metadata(bloomery_filter* filter, const char* text, size_t length);
// Verifies what opening deferred: returns BLOOMERY_OK, or the damage. Call it after queries, too, if
// bloomery_survive_cut_files() is in use.
BLOOMERY_API int bloomery_filter_verify(const bloomery_filter* filter);
// From now on the process survives if another program truncates a mapped file; bloomery_filter_verify()
// reports it.
BLOOMERY_API int bloomery_survive_cut_files(void);

typedef struct bloomery_facts {
  size_t size;  // sizeof(bloomery_facts), set by the caller
  uint64_t capacity;
  double target_fpp;
  uint64_t inserted;
  uint64_t byte_size;   // the size of the payload in memory
  uint64_t file_bytes;  // the size of the file
  uint64_t bits;
  uint64_t exceptions;
  uint64_t seed;
  uint64_t secret_id;  // identifies the secret; 0 without one
  uint32_t type;
  uint32_t setting;  // for blocked filters
  uint32_t hash_count;
  uint32_t hash;  // BLOOMERY_HASH_...
  uint8_t is_static;
  uint8_t can_remove;
  uint8_t is_writable;
  uint8_t updates_in_place;
} bloomery_facts;

// Sets as many facts as facts->size has room for. Costs constant time.
BLOOMERY_API int bloomery_filter_facts(const bloomery_filter* filter, bloomery_facts* facts);
BLOOMERY_API int bloomery_filter_keys(const bloomery_filter* filter, bloomery_key_rule* rule);

typedef struct bloomery_estimates {
  size_t size;  // sizeof(bloomery_estimates), set by the caller
  double fill_ratio;
  double current_fpp;
  double estimated_count;
  uint8_t over_capacity;
} bloomery_estimates;

// Reads all bits a few times (about 10 GB/s).
BLOOMERY_API int bloomery_filter_estimates(const bloomery_filter* filter, bloomery_estimates* estimates);

// ---- Ribbons and fuse filters: built from any number of keys in bounded memory ----

typedef struct bloomery_ribbon bloomery_ribbon;

typedef struct bloomery_ribbon_options {
  size_t size;  // sizeof(bloomery_ribbon_options)
  double fpp;
  uint64_t capacity;            // distinct keys; 0: they are counted
  uint64_t memory_bytes;        // at least 64 MiB, for a fuse filter 128 MiB; 0: 1 GiB
  const char* spool_directory;  // for unnamed spill files if memory is too small; null: "."
  uint64_t seed;
  const uint8_t* secret;  // 16 bytes or null
  bloomery_key_rule keys;
  uint32_t threads;  // 0: all
  uint32_t hash;     // the values of bloomery_filter_options
  uint32_t type;     // BLOOMERY_RIBBON (0 is the same), BLOOMERY_FUSE
  uint32_t setting;  // of a fuse filter: BLOOMERY_FAST (0 is the same), BLOOMERY_DENSE
} bloomery_ribbon_options;
#define BLOOMERY_RIBBON_OPTIONS_INIT \
  { sizeof(bloomery_ribbon_options), 0, 0, 0, NULL, 0, NULL, {0, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0 }

// Receives the number of finished shards and of all shards. A result other than 0 stops the build.
typedef int (*bloomery_progress)(uint32_t done, uint32_t total, void* context);

// Calls: begin (add* finish | add* save) close. After an error, only close.
BLOOMERY_API int bloomery_ribbon_begin(const bloomery_ribbon_options* options, bloomery_ribbon** ribbon);
BLOOMERY_API int bloomery_ribbon_add(bloomery_ribbon* ribbon, const bloomery_keys* keys);
BLOOMERY_API int bloomery_ribbon_add_hashes(bloomery_ribbon* ribbon, const bloomery_hash* hashes,
                                            size_t count);
BLOOMERY_API int bloomery_ribbon_finish(bloomery_ribbon* ribbon, bloomery_progress progress, void* context,
                                        bloomery_filter** filter);
BLOOMERY_API int bloomery_ribbon_save(bloomery_ribbon* ribbon, const char* path, int replace,
                                      bloomery_progress progress, void* context);
BLOOMERY_API int bloomery_ribbon_close(bloomery_ribbon* ribbon);

// ---- Leased files: filters that a feeder keeps current ----
//
// `bloomery feed postgres --file users.leased` keeps a filter of a table's keys up to date (docs/guard.md).
// Its *no* counts only while the feeder renews a lease.
//
// Example:
//    bloomery_leased* users = NULL;
//    if (bloomery_leased_open("users.leased", NULL, &users) < 0) {
//      fprintf(stderr, "%s\n", bloomery_last_error()->message);
//    }
//    if (bloomery_leased_answer(users, "eve", 3) != BLOOMERY_ANSWER_NO) {
//      ...  // query the database, also after an error
//    }
//
// Threads: all calls except close may run concurrently. The first query after a rebuild opens the new
// filter.

typedef struct bloomery_leased bloomery_leased;

// The answers. Only BLOOMERY_ANSWER_NO says that the key is absent.
enum {
  BLOOMERY_ANSWER_NO = 0,       // there was no such row at least the feeder's bound ago
  BLOOMERY_ANSWER_MAYBE = 1,    // the filter may have the key
  BLOOMERY_ANSWER_NO_LEASE = 2  // maybe: the lease is over, or the filter is not complete or damaged
};

typedef struct bloomery_leased_options {
  size_t size;            // sizeof(bloomery_leased_options)
  const uint8_t* secret;  // 16 bytes; null: read from the file PATH.key, if it exists
} bloomery_leased_options;
#define BLOOMERY_LEASED_OPTIONS_INIT \
  { sizeof(bloomery_leased_options), NULL }

// Opens a leased file. It may have no filter yet. Null options mean the INIT values. A missing secret, or a
// file PATH.key that others may read, is BLOOMERY_INVALID_ARGUMENT.
BLOOMERY_API int bloomery_leased_open(const char* path, const bloomery_leased_options* options,
                                      bloomery_leased** leased);
// Returns the answer for the text of a key. The file's rule makes the key from it. A text that is no key by
// the rule is an error.
BLOOMERY_API int bloomery_leased_answer(const bloomery_leased* leased, const char* text, size_t length);
// The same for a composite key, which has several texts.
BLOOMERY_API int bloomery_leased_answer_parts(const bloomery_leased* leased, const char* const* texts,
                                              const size_t* lengths, size_t parts);
// Sets answers[i] for each text; `room` is the length of `answers`. After an error the texts from the wrong
// one on have the answer BLOOMERY_ANSWER_MAYBE.
BLOOMERY_API int bloomery_leased_answer_batch(const bloomery_leased* leased, const bloomery_keys* texts,
                                              uint8_t* answers, size_t room);

typedef struct bloomery_lease_state {
  size_t size;            // sizeof(bloomery_lease_state), set by the caller
  uint64_t remaining_ns;  // until the lease expires; 0: it is over
  // While the lease is valid: the filter has every row committed before this time of CLOCK_BOOTTIME.
  uint64_t complete_at_ns;
  uint64_t generation;  // of the filter that answers; 0: none was complete yet
  uint64_t position;    // how far the source was followed: in PostgreSQL's log, an LSN
  uint8_t holds;        // 1: a *no* counts
} bloomery_lease_state;

BLOOMERY_API int bloomery_leased_state(const bloomery_leased* leased, bloomery_lease_state* state);
BLOOMERY_API int bloomery_leased_close(bloomery_leased* leased);

// ---- A guard: the filter of a leased file, a cache, and one load a key ----
//
// It answers for a key by the filter, by a bounded cache of rows, or by a bounded cache of keys without a
// row. Else it loads the key, once for all threads that wait for it, and only so many keys at once. In doubt
// about the filter it asks the database (docs/guard.md).
//
// Example:
//    int load(void* db, const void* key, size_t length, bloomery_row* row) {
//      ...  // SELECT; a row: bloomery_row_set(row, bytes, bytes_length); return BLOOMERY_OK
//    }
//    bloomery_guard* users = NULL;
//    if (bloomery_guard_open("users.leased", NULL, &users) < 0) {
//      fprintf(stderr, "%s\n", bloomery_last_error()->message);
//    }
//    void* bytes = NULL;
//    size_t count = 0;
//    int found = bloomery_guard_read(users, "eve", 3, load, db, &bytes, &count);  // 1, 0, or an error
//    bloomery_free(bytes);
//
// Threads: all calls except close may run concurrently. A child of fork() may not use a guard of its parent.

typedef struct bloomery_guard bloomery_guard;
typedef struct bloomery_guard_write bloomery_guard_write;
typedef struct bloomery_row bloomery_row;

enum {
  BLOOMERY_GUARD_ENFORCE = 0,  // a *no* is answered without the database
  BLOOMERY_GUARD_SHADOW = 1,   // a *no* is counted, and the database is still queried
  BLOOMERY_GUARD_OFF = 2       // neither the filter nor the cache of keys without a row is used
};

typedef struct bloomery_guard_options {
  size_t size;                // sizeof(bloomery_guard_options)
  const uint8_t* secret;      // 16 bytes; null: read from the file PATH.key, if it exists
  uint64_t cache_bytes;       // of rows
  uint64_t absent_bytes;      // of keys without a row that passed the filter; 0: they are not kept
  uint64_t keep_ms;           // how long a row is cached; a change by another program is not seen as long
  uint64_t keep_absent_ms;    // how long a key without a row is cached; at most bound_ms
  uint64_t load_deadline_ms;  // how long a reader waits for another one's load or for its turn to load
  uint64_t bound_ms;          // how far the filter may lag before it is not believed
  uint32_t loads_at_once;
  uint32_t mode;
} bloomery_guard_options;
#define BLOOMERY_GUARD_OPTIONS_INIT                                                                     \
  {                                                                                                     \
    sizeof(bloomery_guard_options), NULL, 67108864 /* 64 MiB */, 4194304 /* 4 MiB */, 60000, 500, 2000, \
        1000, 64, BLOOMERY_GUARD_ENFORCE                                                                \
  }

// Opens a guard of a leased file, which may have no filter yet. Null options mean the INIT values.
BLOOMERY_API int bloomery_guard_open(const char* path, const bloomery_guard_options* options,
                                     bloomery_guard** guard);

// Loads a key from the database, in the thread that reads. If there is a row, it calls bloomery_row_set()
// once and returns BLOOMERY_OK; without a row only the latter. Any other result means that the load has
// failed: nothing is cached, and every reader that waits gets BLOOMERY_IO.
typedef int (*bloomery_load)(void* context, const void* key, size_t length, bloomery_row* row);
// Copies the bytes of the row. To be called by a bloomery_load only.
BLOOMERY_API int bloomery_row_set(bloomery_row* row, const void* bytes, size_t length);

// Returns 1 and the row, which bloomery_free() frees, or 0 if there is none. `load` may read other keys of
// the guard, but not this one. After an error *row is null.
BLOOMERY_API int bloomery_guard_read(bloomery_guard* guard, const void* key, size_t length,
                                     bloomery_load load, void* context, void** row, size_t* row_length);

// Begins to write a row before its transaction commits: its key passes from now on. With `erases` other than
// 0 the transaction deletes the row. End the write after the transaction, whether it committed or not.
BLOOMERY_API int bloomery_guard_write_begin(bloomery_guard* guard, const void* key, size_t length, int erases,
                                            bloomery_guard_write** write);
// Ends the write and closes its handle. Once it returns, readers of this guard see the committed row.
BLOOMERY_API int bloomery_guard_write_end(bloomery_guard_write* write);

BLOOMERY_API int bloomery_guard_set_mode(bloomery_guard* guard, uint32_t mode);
// Writes the counters as a text for Prometheus, which ends with a zero byte and is freed by bloomery_free().
// `labels` are put into each line: table="users". They may be null.
BLOOMERY_API int bloomery_guard_metrics(const bloomery_guard* guard, const char* labels, char** text);
// Ends the guard. Its open writes stay valid until they are ended.
BLOOMERY_API int bloomery_guard_close(bloomery_guard* guard);

// ---- Files of other systems (the library bloomery-files) ----

// Makes the hashes of a text for a filter of any key form, URLs included.
//
//   BLOOMERY_TO_ASK      to query: the text may be in if any hash may be in; a block list has several
//   BLOOMERY_TO_INSERT   all of the hashes are inserted, in order; for a block list a level key is among them
//   BLOOMERY_TO_NAME     the one hash of an entry, to remove it
//
// The filter must outlive the hasher. One thread at a time. The hashes are valid until the next call. Make
// a new hasher after an insertion into a block list, because new entries may have added levels.
typedef struct bloomery_text_hasher bloomery_text_hasher;
enum { BLOOMERY_TO_ASK = 0, BLOOMERY_TO_INSERT = 1, BLOOMERY_TO_NAME = 2 };
BLOOMERY_API int bloomery_text_hasher_open(const bloomery_filter* filter, int purpose,
                                           bloomery_text_hasher** hasher);
BLOOMERY_API int bloomery_text_hashes(bloomery_text_hasher* hasher, const char* const* texts,
                                      const size_t* lengths, size_t parts, const bloomery_hash** hashes,
                                      size_t* count);
BLOOMERY_API int bloomery_text_hasher_close(bloomery_text_hasher* hasher);

// A filter in another system's format (docs/dialects.md): "guava", "rocksdb", "parquet" ...
typedef struct bloomery_dialect bloomery_dialect;

typedef struct bloomery_dialect_options {
  size_t size;              // sizeof(bloomery_dialect_options)
  uint64_t memory_bytes;    // limit of memory per file; 0: the larger of 256 MiB and 4 times its bytes
  uint8_t accepts_missing;  // 1: data without a filter may hold any key; 0: it is an error
} bloomery_dialect_options;
#define BLOOMERY_DIALECT_OPTIONS_INIT \
  { sizeof(bloomery_dialect_options), 0, 0 }

// Returns the name of dialect number `index`, from 0 on, or null after the last one.
BLOOMERY_API const char* bloomery_dialect_name(size_t index);
// With a null name the bytes must identify the dialect for certain. Null options mean the INIT values.
BLOOMERY_API int bloomery_dialect_open(const char* path, const char* name,
                                       const bloomery_dialect_options* options, bloomery_dialect** dialect);
// The bytes must outlive the handle.
BLOOMERY_API int bloomery_dialect_view(const void* bytes, size_t bytes_count, const char* name,
                                       const bloomery_dialect_options* options, bloomery_dialect** dialect);
// Makes a filter of these keys. Exactly one of fpp and bits_per_key is above 0.
BLOOMERY_API int bloomery_dialect_build(const char* name, uint64_t capacity, double fpp, double bits_per_key,
                                        const bloomery_keys* keys, bloomery_dialect** dialect);
BLOOMERY_API int bloomery_dialect_may_contain(const bloomery_dialect* dialect, const void* key,
                                              size_t length);
BLOOMERY_API int bloomery_dialect_may_contain_batch(const bloomery_dialect* dialect,
                                                    const bloomery_keys* keys, uint64_t* answers,
                                                    size_t words);
// Returns 1 if the filter changed, by the rule of the original system.
BLOOMERY_API int bloomery_dialect_insert(bloomery_dialect* dialect, const void* key, size_t length);
BLOOMERY_API int bloomery_dialect_insert_batch(bloomery_dialect* dialect, const bloomery_keys* keys,
                                               uint64_t* changed);
BLOOMERY_API int bloomery_dialect_merge(bloomery_dialect* dialect, const bloomery_dialect* other);
BLOOMERY_API int bloomery_dialect_save(const bloomery_dialect* dialect, const char* path, int replace);
BLOOMERY_API int bloomery_dialect_bytes(const bloomery_dialect* dialect, void** bytes, size_t* bytes_count);
// Returns BLOOMERY_OK, or an error if the mapped file was truncated.
BLOOMERY_API int bloomery_dialect_verify(const bloomery_dialect* dialect);
BLOOMERY_API int bloomery_dialect_close(bloomery_dialect* dialect);

typedef struct bloomery_dialect_description {
  size_t size;       // sizeof(bloomery_dialect_description), set by the caller
  const char* name;  // opens it: "guava:mitz64"; valid until the handle is closed
  uint64_t bits;
  uint64_t set_bits;
  uint64_t inserted;  // UINT64_MAX if the format does not record it
  double current_fpp;
  uint32_t hash_count;
  uint8_t is_static;
} bloomery_dialect_description;
BLOOMERY_API int bloomery_dialect_facts(bloomery_dialect* dialect, bloomery_dialect_description* facts);

// ---- HFiles and tables of HBase (the library bloomery-files) ----

typedef struct bloomery_hfile bloomery_hfile;
typedef struct bloomery_table bloomery_table;
typedef struct bloomery_cursor bloomery_cursor;

// Bytes of the library in an answer, and of the caller in an argument.
typedef struct bloomery_bytes {
  const char* data;
  size_t length;
} bloomery_bytes;

// A cell. Its bytes are valid until the cursor moves or is closed.
typedef struct bloomery_cell {
  size_t size;  // sizeof(bloomery_cell), set by the caller
  bloomery_bytes row;
  bloomery_bytes family;
  bloomery_bytes qualifier;
  bloomery_bytes value;
  bloomery_bytes tags;
  int64_t timestamp;
  int64_t mvcc;
  uint8_t type;  // HBase's number: 4 is a put
} bloomery_cell;
#define BLOOMERY_CELL_INIT \
  { sizeof(bloomery_cell), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 0 }

typedef struct bloomery_hfile_options {
  size_t size;            // sizeof(bloomery_hfile_options)
  uint64_t memory_bytes;  // limit of memory for the file; 0: the default
  uint64_t cache_bytes;   // the size of the block cache
} bloomery_hfile_options;
#define BLOOMERY_HFILE_OPTIONS_INIT \
  { sizeof(bloomery_hfile_options), 0, 0 }

BLOOMERY_API int bloomery_hfile_open(const char* path, const bloomery_hfile_options* options,
                                     bloomery_hfile** hfile);
BLOOMERY_API int bloomery_hfile_entries(const bloomery_hfile* hfile, uint64_t* entries);
// Returns 0 if the file certainly has no cell of the row.
BLOOMERY_API int bloomery_hfile_may_contain_row(const bloomery_hfile* hfile, const void* row, size_t length);
// Returns a cursor before the first cell. It returns all cells in the order of the file; deletes hide
// nothing.
BLOOMERY_API int bloomery_hfile_scan(const bloomery_hfile* hfile, bloomery_cursor** cursor);
BLOOMERY_API int bloomery_hfile_close(bloomery_hfile* hfile);

// A column, or with a null qualifier the entire family.
typedef struct bloomery_column {
  bloomery_bytes family;
  bloomery_bytes qualifier;
} bloomery_column;

// A request to a table, with HBase's terms and defaults. A get uses the fields up to `filter`.
typedef struct bloomery_request {
  size_t size;  // sizeof(bloomery_request)
  const bloomery_column* columns;
  size_t column_count;     // 0: all
  int32_t versions;        // 0: 1
  int32_t max_per_family;  // 0: all
  int64_t from;            // the least timestamp
  int64_t to;              // an exclusive upper bound of timestamps; 0: none
  const char* filter;      // in HBase's filter language; or null
  bloomery_bytes start;
  bloomery_bytes stop;
  bloomery_bytes prefix;  // instead of start and stop
  uint64_t limit;         // rows; 0: all
  uint8_t excludes_start;
  uint8_t includes_stop;
  uint8_t is_reversed;
  uint8_t is_raw;
} bloomery_request;
#define BLOOMERY_REQUEST_INIT \
  { sizeof(bloomery_request), NULL, 0, 0, 0, 0, 0, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 0, 0, 0 }

typedef struct bloomery_table_options {
  size_t size;                    // sizeof(bloomery_table_options)
  int64_t now_ms;                 // the current time for TTL; 0: the clock
  uint64_t memory_bytes;          // limit of memory for each file; 0: the default
  uint8_t accepts_region_faults;  // 1: holes and overlaps between regions become warnings
} bloomery_table_options;
#define BLOOMERY_TABLE_OPTIONS_INIT \
  { sizeof(bloomery_table_options), 0, 0, 0 }

// Opens the directory of a table, a snapshot, or a bulk load.
BLOOMERY_API int bloomery_table_open(const char* directory, const bloomery_table_options* options,
                                     bloomery_table** table);
// Returns warning number `index`, from 0 on, or null after the last one. It is valid until the table is
// closed.
BLOOMERY_API const char* bloomery_table_warning(const bloomery_table* table, size_t index);
// A get and a scan return a cursor before the first cell of the answer.
BLOOMERY_API int bloomery_table_get(const bloomery_table* table, const void* row, size_t length,
                                    const bloomery_request* request, bloomery_cursor** cursor);
BLOOMERY_API int bloomery_table_scan(const bloomery_table* table, const bloomery_request* request,
                                     bloomery_cursor** cursor);
BLOOMERY_API int bloomery_table_close(bloomery_table* table);

// Moves to the next cell and sets `*cell`. Returns 1, or 0 after the last one. After a read error, every
// call returns that error until a seek.
BLOOMERY_API int bloomery_cursor_next(bloomery_cursor* cursor, bloomery_cell* cell);
// Only for a cursor of an HFile: the next cell is the first one of this row or of the first row after it.
BLOOMERY_API int bloomery_cursor_seek(bloomery_cursor* cursor, const void* row, size_t length);
// A cursor may outlive the file or table that it reads.
BLOOMERY_API int bloomery_cursor_close(bloomery_cursor* cursor);

// ---- Stores: tables of HBase that this process writes (the library bloomery-files) ----
//
// Example:
//    const char *families[] = {"f,VERSIONS=3"};
//    bloomery_store *store = NULL;
//    bloomery_table *table = NULL;
//    if (bloomery_store_create("root", NULL, &store) < 0 ||
//        bloomery_store_create_table(store, "t", families, 1, NULL, 0, &table) < 0 ||
//        bloomery_table_put(table, row, family, qualifier, value, NULL) < 0) {
//      fprintf(stderr, "%s\n", bloomery_last_error()->message);
//    }
//
// docs/store.md says what a write promises. bloomery_table_get() and bloomery_table_scan() read a table of a
// store, too. They see every write that had returned when they began.
//
// Threads: all calls may come from any thread, and run concurrently. A child of fork() must neither use nor
// close what its parent opened.

typedef struct bloomery_store bloomery_store;

typedef struct bloomery_store_options {
  size_t size;            // sizeof(bloomery_store_options)
  uint64_t flush_bytes;   // a region with so many bytes in memory is written to files; 0: 128 MiB
  uint64_t memory_bytes;  // the most bytes in memory, at which writers wait; 0: 512 MiB
  uint64_t cache_bytes;   // the size of the block cache of all tables
  uint8_t leaves_log;     // 1: close leaves the edits in the log, and does not write them to files
} bloomery_store_options;
#define BLOOMERY_STORE_OPTIONS_INIT \
  { sizeof(bloomery_store_options), 0, 0, 0, 0 }

// Makes a root directory in a new or an empty one, and opens the store.
BLOOMERY_API int bloomery_store_create(const char* root, const bloomery_store_options* options,
                                       bloomery_store** store);
// If another process has the store open, this is BLOOMERY_IO with EWOULDBLOCK.
BLOOMERY_API int bloomery_store_open(const char* root, const bloomery_store_options* options,
                                     bloomery_store** store);
// Writes what is in memory to files, and closes the store, also after an error. All calls with its tables
// then fail, and their handles are still to be closed.
BLOOMERY_API int bloomery_store_close(bloomery_store* store);
// Returns the error that made the store read-only, or BLOOMERY_OK. After a failed write to the disk, every
// write returns that error until the store is opened again.
BLOOMERY_API int bloomery_store_health(const bloomery_store* store);

// Makes a table, "NAME" or "NAMESPACE:NAME", and opens it. A family is "NAME" or "NAME,ATTRIBUTE=VALUE,...",
// with HBase's attributes and defaults, as of `bloomery table create`. A split is the first row of another
// region; they ascend.
BLOOMERY_API int bloomery_store_create_table(bloomery_store* store, const char* name,
                                             const char* const* families, size_t family_count,
                                             const bloomery_bytes* splits, size_t split_count,
                                             bloomery_table** table);
// Opens a table. If there is none, this is BLOOMERY_NOT_FOUND.
BLOOMERY_API int bloomery_store_table(const bloomery_store* store, const char* name, bloomery_table** table);
// Removes a table and its files. Writes to its open handles are then BLOOMERY_NOT_FOUND.
BLOOMERY_API int bloomery_store_drop_table(bloomery_store* store, const char* name);

// What a write promises when it returns, with HBase's numbers.
enum {
  BLOOMERY_DEFAULT_DURABILITY = 0,  // the table's DURABILITY, without one BLOOMERY_FSYNC_WAL
  BLOOMERY_SKIP_WAL = 1,            // in memory only, until it is flushed
  BLOOMERY_ASYNC_WAL = 2,           // on the disk within a second
  BLOOMERY_SYNC_WAL = 3,            // handed to the operating system: survives the process
  BLOOMERY_FSYNC_WAL = 4            // on the disk: survives a power loss
};

typedef struct bloomery_write_options {
  size_t size;  // sizeof(bloomery_write_options)
  uint8_t durability;
  uint8_t refuses_to_wait;  // 1: BLOOMERY_CAPACITY if memory is full, in place of waiting for a flush
} bloomery_write_options;
#define BLOOMERY_WRITE_OPTIONS_INIT \
  { sizeof(bloomery_write_options), 0, 0 }

// Kinds of changes, with HBase's numbers.
enum {
  BLOOMERY_PUT = 4,
  BLOOMERY_DELETE = 8,                  // the version of the timestamp; without one the newest version
  BLOOMERY_DELETE_FAMILY_VERSION = 10,  // the versions of the timestamp in all columns of the family
  BLOOMERY_DELETE_COLUMN = 12,          // all versions up to the timestamp
  BLOOMERY_DELETE_FAMILY = 14           // all versions up to the timestamp in all columns of the family
};

// A change of a row. Arrays of them have elements of one size.
typedef struct bloomery_mutation {
  size_t size;  // sizeof(bloomery_mutation)
  bloomery_bytes row;
  bloomery_bytes family;
  bloomery_bytes qualifier;
  bloomery_bytes value;
  int64_t timestamp;      // milliseconds since 1970, at least 0
  uint8_t has_timestamp;  // 0: the time of the call
  uint8_t type;
} bloomery_mutation;
#define BLOOMERY_MUTATION_INIT \
  { sizeof(bloomery_mutation), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, BLOOMERY_PUT }

// The calls below are for tables of a store; other ones are BLOOMERY_INVALID_ARGUMENT. Null options are the
// defaults.

BLOOMERY_API int bloomery_table_put(bloomery_table* table, bloomery_bytes row, bloomery_bytes family,
                                    bloomery_bytes qualifier, bloomery_bytes value,
                                    const bloomery_write_options* options);
// Deletes all families of the row.
BLOOMERY_API int bloomery_table_delete_row(bloomery_table* table, bloomery_bytes row,
                                           const bloomery_write_options* options);
// Applies the changes of each region atomically, in their order.
BLOOMERY_API int bloomery_table_mutate(bloomery_table* table, const bloomery_mutation* mutations,
                                       size_t count, const bloomery_write_options* options);
// Adds to a column of 8 bytes, big-endian, or makes it. `sum` may be null.
BLOOMERY_API int bloomery_table_increment(bloomery_table* table, bloomery_bytes row, bloomery_bytes family,
                                          bloomery_bytes qualifier, int64_t amount,
                                          const bloomery_write_options* options, int64_t* sum);
// Appends to a column's value, or makes it. Returns the new value, for bloomery_free(), unless `bytes` is
// null.
BLOOMERY_API int bloomery_table_append(bloomery_table* table, bloomery_bytes row, bloomery_bytes family,
                                       bloomery_bytes qualifier, bloomery_bytes value,
                                       const bloomery_write_options* options, void** bytes, size_t* count);

// Comparisons of a check. The given value is on the left, as in HBase: BLOOMERY_IS_LESS holds if it is less
// than the column's.
enum {
  BLOOMERY_IS_EQUAL = 0,
  BLOOMERY_IS_NOT_EQUAL = 1,
  BLOOMERY_IS_LESS = 2,
  BLOOMERY_IS_LESS_OR_EQUAL = 3,
  BLOOMERY_IS_GREATER = 4,
  BLOOMERY_IS_GREATER_OR_EQUAL = 5
};

// A condition on the newest value of a column.
typedef struct bloomery_check {
  size_t size;  // sizeof(bloomery_check)
  bloomery_bytes row;
  bloomery_bytes family;
  bloomery_bytes qualifier;
  bloomery_bytes value;  // null: the column is absent or empty, or with BLOOMERY_IS_NOT_EQUAL it is not
  uint8_t is;
} bloomery_check;
#define BLOOMERY_CHECK_INIT \
  { sizeof(bloomery_check), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, BLOOMERY_IS_EQUAL }

// Applies the changes, all of the check's row, if the check holds, as one step. Returns 1 if it held, or 0.
BLOOMERY_API int bloomery_table_check_and_mutate(bloomery_table* table, const bloomery_check* check,
                                                 const bloomery_mutation* mutations, size_t count,
                                                 const bloomery_write_options* options);
// Writes what the table has in memory to files.
BLOOMERY_API int bloomery_table_flush(bloomery_table* table);

#ifdef __cplusplus
}
#endif

#endif
