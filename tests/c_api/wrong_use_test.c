// Wrong use of every call: null, closed and foreign handles, wrong sizes, missing room, damaged files. Each is an error
// that says what was expected. The test runs under valgrind and the address sanitizer, too, which see what it must not do:
// wrong_use_test GUAVA HFILE [few], two files of tests/golden; with "few" it repeats less.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/c_api/check.h"

#define CHECK_BAD_HANDLE(call) CHECK_FAILS(BLOOMERY_BAD_HANDLE, "expected an open handle", call)
#define CHECK_INVALID(call) CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", call)

static const bloomery_hash kHash = {1, 2};

// Whether each step counts: under valgrind.
static int is_slow = 0;

// Every call that takes a filter, with a handle that is none.
static void filter_calls(bloomery_filter *bad, bloomery_filter *good) {
  const char *text = "a";
  const size_t length = 1;
  uint64_t number = 0;
  bloomery_hash hash;
  bloomery_hash *hashes = NULL;
  void *bytes = NULL;
  size_t size = 0;
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  bloomery_facts facts = {.size = sizeof(facts)};
  bloomery_estimates estimates = {.size = sizeof(estimates)};
  bloomery_key_rule rule = {.size = sizeof(rule)};
  CHECK_BAD_HANDLE(bloomery_filter_save(bad, "/dev/null/x", 0));
  CHECK_BAD_HANDLE(bloomery_filter_finish_update(bad));
  CHECK_BAD_HANDLE(bloomery_filter_bytes(bad, &bytes, &size));
  CHECK_BAD_HANDLE(bloomery_filter_insert(bad, "a", 1));
  CHECK_BAD_HANDLE(bloomery_filter_may_contain(bad, "a", 1));
  CHECK_BAD_HANDLE(bloomery_filter_test_and_insert(bad, "a", 1));
  CHECK_BAD_HANDLE(bloomery_filter_remove(bad, "a", 1));
  CHECK_BAD_HANDLE(bloomery_filter_count_at_most(bad, "a", 1, &number));
  CHECK_BAD_HANDLE(bloomery_filter_insert_int64(bad, 1));
  CHECK_BAD_HANDLE(bloomery_filter_may_contain_int64(bad, 1));
  CHECK_BAD_HANDLE(bloomery_filter_test_and_insert_int64(bad, 1));
  CHECK_BAD_HANDLE(bloomery_filter_remove_int64(bad, 1));
  CHECK_BAD_HANDLE(bloomery_filter_insert_hash(bad, kHash));
  CHECK_BAD_HANDLE(bloomery_filter_may_contain_hash(bad, kHash));
  CHECK_BAD_HANDLE(bloomery_filter_test_and_insert_hash(bad, kHash));
  CHECK_BAD_HANDLE(bloomery_filter_remove_hash(bad, kHash));
  CHECK_BAD_HANDLE(bloomery_filter_count_at_most_hash(bad, kHash, &number));
  CHECK_BAD_HANDLE(bloomery_filter_insert_text(bad, &text, &length, 1));
  CHECK_BAD_HANDLE(bloomery_filter_may_contain_text(bad, &text, &length, 1));
  CHECK_BAD_HANDLE(bloomery_filter_hash(bad, "a", 1, &hash));
  CHECK_BAD_HANDLE(bloomery_filter_hash_text(bad, &text, &length, 1, &hash));
  CHECK_BAD_HANDLE(bloomery_filter_insert_batch(bad, &keys, NULL));
  CHECK_BAD_HANDLE(bloomery_filter_may_contain_batch(bad, &keys, &number, 1));
  CHECK_BAD_HANDLE(bloomery_filter_test_and_insert_batch(bad, &keys, &number, 1, NULL));
  CHECK_BAD_HANDLE(bloomery_filter_remove_batch(bad, &keys, &number, 1));
  CHECK_BAD_HANDLE(bloomery_filter_hash_batch(bad, &keys, &hash, 1));
  CHECK_BAD_HANDLE(bloomery_filter_insert_hashes(bad, &kHash, 1, NULL));
  CHECK_BAD_HANDLE(bloomery_filter_may_contain_hashes(bad, &kHash, 1, &number, 1));
  CHECK_BAD_HANDLE(bloomery_filter_test_and_insert_hashes(bad, &kHash, 1, &number, 1, NULL));
  CHECK_BAD_HANDLE(bloomery_filter_remove_hashes(bad, &kHash, 1, &number, 1));
  CHECK_BAD_HANDLE(bloomery_filter_merge(bad, good));
  CHECK_BAD_HANDLE(bloomery_filter_merge(good, bad));
  CHECK_BAD_HANDLE(bloomery_filter_clear(bad));
  CHECK_BAD_HANDLE(bloomery_filter_add_exceptions(bad, &kHash, 1, NULL));
  CHECK_BAD_HANDLE(bloomery_filter_exceptions(bad, &hashes, &size));
  CHECK_BAD_HANDLE(bloomery_filter_advance(bad));
  CHECK_BAD_HANDLE(bloomery_filter_metadata(bad, &text, &size));
  CHECK_BAD_HANDLE(bloomery_filter_set_metadata(bad, "a", 1));
  CHECK_BAD_HANDLE(bloomery_filter_verify(bad));
  CHECK_BAD_HANDLE(bloomery_filter_facts(bad, &facts));
  CHECK_BAD_HANDLE(bloomery_filter_keys(bad, &rule));
  CHECK_BAD_HANDLE(bloomery_filter_estimates(bad, &estimates));
  bloomery_text_hasher *hasher = NULL;
  CHECK_BAD_HANDLE(bloomery_text_hasher_open(bad, BLOOMERY_TO_ASK, &hasher));
}

static void arguments_of_filters(bloomery_filter *good) {
  bloomery_filter *filter = NULL;
  const char *text = "a";
  const char *none = NULL;
  const size_t length = 1;
  uint64_t number = 0;
  CHECK_INVALID(bloomery_filter_make(NULL, &filter));
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  CHECK_INVALID(bloomery_filter_make(&options, NULL));
  CHECK_INVALID(bloomery_filter_make(&options, &filter)); // neither fpp nor bits per key
  CHECK(filter == NULL);
  options.capacity = 10;
  options.fpp = 2;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.fpp = 0.1;
  options.bits_per_key = 3;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.bits_per_key = 0;
  options.type = 99;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.type = BLOOMERY_RIBBON;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.type = BLOOMERY_EXACT;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.type = BLOOMERY_WINDOWED;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.window_kind = 7;
  options.window_length = 100;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.window_kind = 0;
  options.window_length = 0;
  options.type = BLOOMERY_BLOCKED;
  options.setting = 3;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.setting = 0;
  options.keys.size = sizeof(options.keys);
  CHECK_INVALID(bloomery_filter_make(&options, &filter)); // keys of no parts
  options.keys.parts = 1;
  options.keys.form = 77;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.keys.form = BLOOMERY_KEYS_CIDR;
  options.keys.parts = 2;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "block list", bloomery_filter_make(&options, &filter));
  options.keys.size = 3;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.keys.size = 0;
  options.hash = 9;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.hash = 0;
  const uint8_t secret[BLOOMERY_SECRET_BYTES] = {1};
  options.secret = secret;
  options.seed = 1;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.secret = NULL;
  options.ready_hashes = 1;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.ready_hashes = 0;
  options.capacity = UINT64_MAX;
  CHECK(bloomery_filter_make(&options, &filter) < 0);
  options.capacity = 10;
  options.size = 2;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  options.size = 1 << 30;
  CHECK_INVALID(bloomery_filter_make(&options, &filter));
  // A newer header: its unknown options must be 0. An older one: what it lacks is taken as not given.
  struct {
    bloomery_filter_options known;
    uint64_t unknown;
  } newer = {BLOOMERY_FILTER_OPTIONS_INIT, 0};
  newer.known.size = sizeof(newer);
  newer.known.capacity = 10;
  newer.known.fpp = 0.1;
  CHECK_OK(bloomery_filter_make(&newer.known, &filter));
  CHECK_OK(bloomery_filter_close(filter));
  newer.unknown = 1;
  CHECK_FAILS(BLOOMERY_UNSUPPORTED, "does not know", bloomery_filter_make(&newer.known, &filter));
  newer.known.size = offsetof(bloomery_filter_options, bits_per_key);
  newer.known.bits_per_key = 17;
  CHECK_OK(bloomery_filter_make(&newer.known, &filter));
  CHECK_OK(bloomery_filter_close(filter));

  CHECK_INVALID(bloomery_filter_open(NULL, NULL, &filter));
  CHECK_INVALID(bloomery_filter_open("x", NULL, NULL));
  CHECK_FAILS(BLOOMERY_NOT_FOUND, "/no/such", bloomery_filter_open("/no/such/file", NULL, &filter));
  CHECK(strcmp(bloomery_last_error()->subject, "/no/such/file") == 0);
  bloomery_open_options open = BLOOMERY_OPEN_OPTIONS_INIT;
  open.access = 17;
  CHECK_INVALID(bloomery_filter_open("x", &open, &filter));
  open.access = BLOOMERY_UPDATE_IN_PLACE;
  CHECK_INVALID(bloomery_filter_view("x", 1, &open, &filter));
  CHECK_INVALID(bloomery_filter_view(NULL, 1, NULL, &filter));
  CHECK(bloomery_filter_view("damaged", 7, NULL, &filter) < 0);
  CHECK(bloomery_filter_view(NULL, 0, NULL, &filter) < 0);

  CHECK_INVALID(bloomery_filter_save(good, NULL, 0));
  CHECK(bloomery_filter_save(good, "/no/such/folder/x", 0) < 0);
  CHECK_INVALID(bloomery_filter_finish_update(good));
  CHECK_INVALID(bloomery_filter_bytes(good, NULL, NULL));
  CHECK_INVALID(bloomery_filter_insert(good, NULL, 1));
  CHECK_INVALID(bloomery_filter_may_contain(good, NULL, 1));
  CHECK_INVALID(bloomery_filter_remove(good, "a", 1)); // a blocked filter removes nothing
  CHECK_INVALID(bloomery_filter_remove_int64(good, 1));
  CHECK_INVALID(bloomery_filter_count_at_most(good, "a", 1, &number));
  CHECK_INVALID(bloomery_filter_count_at_most(good, "a", 1, NULL));
  CHECK_INVALID(bloomery_filter_hash(good, "a", 1, NULL));
  CHECK_INVALID(bloomery_filter_insert_text(good, NULL, &length, 1));
  CHECK_INVALID(bloomery_filter_insert_text(good, &text, NULL, 1));
  CHECK_INVALID(bloomery_filter_insert_text(good, &none, &length, 1));
  CHECK_INVALID(bloomery_filter_insert_text(good, &text, &length, 0));
  CHECK_INVALID(bloomery_filter_may_contain_text(good, &text, &length, 100000));
  CHECK_INVALID(bloomery_filter_hash_text(good, &text, &length, 1, NULL));
  CHECK_INVALID(bloomery_filter_merge(good, good));
  CHECK_INVALID(bloomery_filter_advance(good));
  CHECK_INVALID(bloomery_filter_add_exceptions(good, NULL, 1, NULL));
  CHECK_INVALID(bloomery_filter_exceptions(good, NULL, NULL));
  CHECK_INVALID(bloomery_filter_metadata(good, NULL, NULL));
  CHECK_INVALID(bloomery_filter_set_metadata(good, NULL, 1));
  CHECK_INVALID(bloomery_filter_facts(good, NULL));
  bloomery_facts facts = {.size = 3};
  CHECK_INVALID(bloomery_filter_facts(good, &facts));
  CHECK_INVALID(bloomery_filter_keys(good, NULL));
  CHECK_INVALID(bloomery_filter_estimates(good, NULL));

  // Facts of an older header: nothing behind its size is touched.
  facts = (bloomery_facts){.size = offsetof(bloomery_facts, inserted), .inserted = 12345};
  CHECK_OK(bloomery_filter_facts(good, &facts));
  CHECK(facts.capacity == 1000 && facts.inserted == 12345);

  bloomery_filter *other = filter_of(BLOOMERY_BLOCKED, 77, 0.1);
  CHECK_INVALID(bloomery_filter_merge(good, other));
  CHECK_OK(bloomery_filter_close(other));
  other = filter_of(BLOOMERY_BLOOM, 1000, 0.1);
  CHECK_INVALID(bloomery_filter_merge(good, other));
  CHECK_OK(bloomery_filter_close(other));
}

// There is room for an error that is always there, and no more. What does not fit is cut, and says so.
static void long_errors(void) {
  static char path[3000];
  memset(path, 'x', sizeof(path) - 1);
  bloomery_filter *filter = NULL;
  CHECK(bloomery_filter_open(path, NULL, &filter) < 0);
  const bloomery_error *error = bloomery_last_error();
  CHECK(strlen(error->message) == 1023 && strcmp(error->message + 1020, "...") == 0);
  CHECK(strlen(error->subject) == 511 && strcmp(error->subject + 508, "...") == 0);
}

static void arguments_of_batches(bloomery_filter *good) {
  uint64_t answers[2] = {0, 0};
  uint64_t offsets[4] = {0, 2, 1, 3};
  const uint64_t lengths[3] = {1, 1, 1};
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  CHECK_OK(bloomery_filter_insert_batch(good, &keys, NULL)); // no keys at all
  CHECK_OK(bloomery_filter_may_contain_batch(good, &keys, NULL, 0));
  CHECK_OK(bloomery_filter_may_contain_hashes(good, NULL, 0, NULL, 0));
  CHECK_INVALID(bloomery_filter_insert_batch(good, NULL, NULL));
  keys.count = 3;
  keys.width = 1;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL)); // no data
  keys.data = "abc";
  CHECK_INVALID(bloomery_filter_may_contain_batch(good, &keys, NULL, 1));
  CHECK_INVALID(bloomery_filter_may_contain_batch(good, &keys, answers, 0));
  keys.count = 65;
  keys.width = 0; // empty keys need no data
  CHECK_INVALID(bloomery_filter_may_contain_batch(good, &keys, answers, 1));
  CHECK_OK(bloomery_filter_may_contain_batch(good, &keys, answers, 2));
  keys.count = SIZE_MAX;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL));
  keys.count = 1000;
  keys.width = UINT64_MAX / 2;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL));
  keys.count = 3;
  keys.width = 0;
  keys.lengths = lengths;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL)); // lengths without offsets
  keys.offsets = offsets;
  CHECK_OK(bloomery_filter_insert_batch(good, &keys, NULL));
  keys.lengths = NULL;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL)); // offsets that go back
  offsets[1] = 0;
  keys.data = NULL;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL));
  const uint64_t huge[3] = {UINT64_MAX - 1, 1, 1};
  keys.lengths = huge;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL));
  keys.size = 1;
  CHECK_INVALID(bloomery_filter_insert_batch(good, &keys, NULL));
  keys = (bloomery_keys)BLOOMERY_KEYS_INIT;
  keys.data = "ab";
  keys.width = 1;
  keys.count = 2;
  CHECK_INVALID(bloomery_filter_remove_batch(good, &keys, answers, 1));
  bloomery_hash hashes[2];
  CHECK_INVALID(bloomery_filter_hash_batch(good, &keys, hashes, 1));
  CHECK_INVALID(bloomery_filter_hash_batch(good, &keys, NULL, 2));
  CHECK_INVALID(bloomery_filter_insert_hashes(good, NULL, 1, NULL));
  CHECK_INVALID(bloomery_filter_may_contain_hashes(good, hashes, 2, NULL, 1));
  CHECK_INVALID(bloomery_filter_test_and_insert_hashes(good, NULL, 2, answers, 1, NULL));
}

static void read_only_views(bloomery_filter *good) {
  void *bytes = NULL;
  size_t size = 0;
  CHECK_OK(bloomery_filter_bytes(good, &bytes, &size));
  bloomery_filter *view = NULL;
  CHECK_OK(bloomery_filter_view(bytes, size, NULL, &view));
  CHECK_INVALID(bloomery_filter_insert(view, "a", 1));
  CHECK_INVALID(bloomery_filter_test_and_insert_int64(view, 1));
  CHECK_INVALID(bloomery_filter_insert_hashes(view, &kHash, 1, NULL));
  CHECK_INVALID(bloomery_filter_clear(view));
  CHECK_INVALID(bloomery_filter_merge(view, good));
  CHECK_OK(bloomery_filter_close(view));
  // Damage at every byte is an error, a maybe, or not seen at all: never a crash.
  unsigned char *damaged = malloc(size);
  for (size_t i = 0; i < size; i += is_slow ? 29 : i < 300 ? 1 : 37) {
    memcpy(damaged, bytes, size);
    damaged[i] ^= 0x55;
    if (bloomery_filter_view(damaged, size, NULL, &view) == BLOOMERY_OK) {
      CHECK(bloomery_filter_may_contain(view, "a", 1) >= 0);
      CHECK_OK(bloomery_filter_close(view));
    } else {
      CHECK(view == NULL && bloomery_last_error()->code < 0);
    }
  }
  for (size_t cut = 0; cut < size; cut += is_slow ? 29 : cut < 300 ? 1 : 37) {
    unsigned char *shorter = malloc(cut + 1); // so that a read behind it is seen
    memcpy(shorter, bytes, cut);
    CHECK(bloomery_filter_view(shorter, cut, NULL, &view) < 0);
    free(shorter);
  }
  free(damaged);
  bloomery_free(bytes);
}

static void closed_handles(bloomery_filter *good) {
  bloomery_filter *closed = filter_of(BLOOMERY_BLOCKED, 10, 0.1);
  CHECK_OK(bloomery_filter_close(closed));
  CHECK_BAD_HANDLE(bloomery_filter_close(closed));
  bloomery_filter *next = filter_of(BLOOMERY_BLOCKED, 10, 0.1);
  CHECK(next != closed); // whoever still has the closed one would use this
  filter_calls(closed, good);
  CHECK_OK(bloomery_filter_close(next));
  filter_calls(NULL, good);
  CHECK_OK(bloomery_filter_close(NULL));
  CHECK_OK(bloomery_ribbon_close(NULL));
  CHECK_OK(bloomery_dialect_close(NULL));
  CHECK_OK(bloomery_hfile_close(NULL));
  CHECK_OK(bloomery_table_close(NULL));
  CHECK_OK(bloomery_cursor_close(NULL));
  CHECK_OK(bloomery_text_hasher_close(NULL));
  // Another type's handle.
  bloomery_ribbon_options options = BLOOMERY_RIBBON_OPTIONS_INIT;
  options.fpp = 0.1;
  bloomery_ribbon *ribbon = NULL;
  CHECK_OK(bloomery_ribbon_begin(&options, &ribbon));
  filter_calls((bloomery_filter *)(void *)ribbon, good);
  CHECK_BAD_HANDLE(bloomery_ribbon_close((bloomery_ribbon *)(void *)good));
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  CHECK_BAD_HANDLE(bloomery_ribbon_add(NULL, &keys));
  CHECK_BAD_HANDLE(bloomery_ribbon_add_hashes(NULL, &kHash, 1));
  CHECK_BAD_HANDLE(bloomery_ribbon_finish(NULL, NULL, NULL, &closed));
  CHECK_BAD_HANDLE(bloomery_ribbon_save(NULL, "x", 0, NULL, NULL));
  CHECK_INVALID(bloomery_ribbon_add(ribbon, NULL));
  CHECK_INVALID(bloomery_ribbon_add_hashes(ribbon, NULL, 1));
  CHECK_INVALID(bloomery_ribbon_finish(ribbon, NULL, NULL, NULL));
  CHECK_INVALID(bloomery_ribbon_save(ribbon, NULL, 0, NULL, NULL));
  CHECK_OK(bloomery_ribbon_close(ribbon));
  CHECK_BAD_HANDLE(bloomery_ribbon_close(ribbon));
  options.fpp = 0;
  CHECK_INVALID(bloomery_ribbon_begin(&options, &ribbon));
  CHECK_INVALID(bloomery_ribbon_begin(NULL, &ribbon));
  CHECK_INVALID(bloomery_ribbon_begin(&options, NULL));
  // Handles come and go: more than are kept waiting.
  for (int i = 0; i < (is_slow ? 1100 : 3000); ++i) {
    CHECK_OK(bloomery_filter_close(filter_of(BLOOMERY_BLOOM, 10, 0.1)));
  }
  CHECK_INVALID(bloomery_secret_generate(NULL));
  CHECK_INVALID(bloomery_secret_load(NULL, NULL));
  CHECK_INVALID(bloomery_secret_save_new(NULL, NULL));
  bloomery_allocator allocator = {sizeof(allocator), NULL, NULL, NULL};
  CHECK_INVALID(bloomery_set_allocator(&allocator));
  CHECK_INVALID(bloomery_key_of_text(99, "a", 1, NULL, NULL));
  CHECK_INVALID(bloomery_key_of_text(0, "a", 1, NULL, NULL));
  bloomery_free(NULL);
  CHECK(bloomery_allocate(SIZE_MAX) == NULL);
}

static void files(const char *guava, const char *hfile_path) {
  bloomery_dialect *dialect = NULL;
  bloomery_hfile *hfile = NULL;
  bloomery_table *table = NULL;
  bloomery_cursor *cursor = NULL;
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  uint64_t number = 0;
  void *bytes = NULL;
  size_t size = 0;
  CHECK_INVALID(bloomery_dialect_open(NULL, NULL, NULL, &dialect));
  CHECK_INVALID(bloomery_dialect_open(guava, NULL, NULL, NULL));
  CHECK_INVALID(bloomery_dialect_open(guava, "no such system", NULL, &dialect));
  CHECK(bloomery_dialect_open("/no/such/file", NULL, NULL, &dialect) == BLOOMERY_NOT_FOUND);
  CHECK(bloomery_dialect_open(hfile_path, "guava", NULL, &dialect) < 0);
  CHECK_INVALID(bloomery_dialect_view(NULL, 1, "guava", NULL, &dialect));
  CHECK(bloomery_dialect_view("x", 1, "guava", NULL, &dialect) < 0);
  CHECK_INVALID(bloomery_dialect_build("guava", 10, 0.1, 0, NULL, &dialect));
  CHECK_INVALID(bloomery_dialect_build(NULL, 10, 0.1, 0, &keys, &dialect));
  CHECK(bloomery_dialect_build("guava", 10, 0, 0, &keys, &dialect) < 0);
  CHECK_INVALID(bloomery_dialect_open(guava, NULL, NULL, &dialect)); // the bytes do not tell for certain
  CHECK_OK(bloomery_dialect_open(guava, "guava", NULL, &dialect));
  CHECK_INVALID(bloomery_dialect_may_contain(dialect, NULL, 1));
  keys.count = 1;
  keys.data = "a";
  keys.width = 1;
  CHECK_INVALID(bloomery_dialect_may_contain_batch(dialect, &keys, NULL, 0));
  CHECK_INVALID(bloomery_dialect_may_contain_batch(dialect, NULL, &number, 1));
  CHECK_INVALID(bloomery_dialect_insert(dialect, NULL, 1));
  CHECK_INVALID(bloomery_dialect_merge(dialect, dialect));
  CHECK_INVALID(bloomery_dialect_save(dialect, NULL, 0));
  CHECK_INVALID(bloomery_dialect_bytes(dialect, NULL, NULL));
  CHECK_INVALID(bloomery_dialect_facts(dialect, NULL));
  CHECK_OK(bloomery_dialect_close(dialect));
  CHECK_BAD_HANDLE(bloomery_dialect_close(dialect));
  CHECK_BAD_HANDLE(bloomery_dialect_may_contain(dialect, "a", 1));
  CHECK_BAD_HANDLE(bloomery_dialect_may_contain_batch(dialect, &keys, &number, 1));
  CHECK_BAD_HANDLE(bloomery_dialect_insert(dialect, "a", 1));
  CHECK_BAD_HANDLE(bloomery_dialect_insert_batch(dialect, &keys, NULL));
  CHECK_BAD_HANDLE(bloomery_dialect_merge(dialect, dialect));
  CHECK_BAD_HANDLE(bloomery_dialect_save(dialect, "x", 0));
  CHECK_BAD_HANDLE(bloomery_dialect_bytes(dialect, &bytes, &size));
  CHECK_BAD_HANDLE(bloomery_dialect_verify(dialect));

  CHECK_INVALID(bloomery_hfile_open(NULL, NULL, &hfile));
  CHECK(bloomery_hfile_open(guava, NULL, &hfile) < 0);
  CHECK_OK(bloomery_hfile_open(hfile_path, NULL, &hfile));
  CHECK_INVALID(bloomery_hfile_entries(hfile, NULL));
  CHECK_INVALID(bloomery_hfile_may_contain_row(hfile, NULL, 1));
  CHECK_INVALID(bloomery_hfile_scan(hfile, NULL));
  CHECK_OK(bloomery_hfile_scan(hfile, &cursor));
  CHECK_OK(bloomery_hfile_close(hfile)); // the cursor goes on
  CHECK_BAD_HANDLE(bloomery_hfile_close(hfile));
  CHECK_BAD_HANDLE(bloomery_hfile_entries(hfile, &number));
  CHECK_BAD_HANDLE(bloomery_hfile_may_contain_row(hfile, "a", 1));
  CHECK_INVALID(bloomery_cursor_next(cursor, NULL));
  cell.size = 1;
  CHECK_INVALID(bloomery_cursor_next(cursor, &cell));
  cell.size = sizeof(cell);
  CHECK_INVALID(bloomery_cursor_seek(cursor, NULL, 1));
  CHECK_INVALID(bloomery_cursor_seek(cursor, "a", 40000));
  CHECK(bloomery_cursor_next(cursor, &cell) == 1);
  CHECK_OK(bloomery_cursor_close(cursor));
  CHECK_BAD_HANDLE(bloomery_cursor_next(cursor, &cell));
  CHECK_BAD_HANDLE(bloomery_cursor_seek(cursor, "a", 1));
  CHECK_BAD_HANDLE(bloomery_cursor_close(cursor));

  CHECK_INVALID(bloomery_table_open(NULL, NULL, &table));
  CHECK(bloomery_table_open("/no/such/folder", NULL, &table) < 0);
  CHECK_BAD_HANDLE(bloomery_table_get(NULL, "r", 1, NULL, &cursor));
  CHECK_BAD_HANDLE(bloomery_table_scan(NULL, NULL, &cursor));
  CHECK(bloomery_table_warning(NULL, 0) == NULL);

  bloomery_text_hasher *hasher = NULL;
  bloomery_filter *filter = filter_of(BLOOMERY_BLOCKED, 10, 0.1);
  const bloomery_hash *hashes = NULL;
  const char *text = "a";
  const size_t length = 1;
  CHECK_INVALID(bloomery_text_hasher_open(filter, 9, &hasher));
  CHECK_INVALID(bloomery_text_hasher_open(filter, BLOOMERY_TO_ASK, NULL));
  CHECK_OK(bloomery_text_hasher_open(filter, BLOOMERY_TO_ASK, &hasher));
  CHECK_INVALID(bloomery_text_hashes(hasher, NULL, NULL, 1, &hashes, &size));
  CHECK_INVALID(bloomery_text_hashes(hasher, &text, &length, 0, &hashes, &size));
  CHECK_OK(bloomery_filter_close(filter));
  CHECK_BAD_HANDLE(bloomery_text_hashes(hasher, &text, &length, 1, &hashes, &size)); // its filter is closed
  CHECK_OK(bloomery_text_hasher_close(hasher));
  CHECK_BAD_HANDLE(bloomery_text_hasher_close(hasher));
}

// Threads share a filter, and have errors of their own.
static void *use_in_thread(void *shared) {
  bloomery_filter *filter = shared;
  CHECK(bloomery_last_error()->code == BLOOMERY_OK);
  for (int64_t i = 0; i < (is_slow ? 100 : 2000); ++i) {
    CHECK_OK(bloomery_filter_insert_int64(filter, i));
    CHECK(bloomery_filter_may_contain_int64(filter, i) == 1);
    CHECK_OK(bloomery_filter_close(filter_of(BLOOMERY_BLOOM, 10, 0.1)));
  }
  CHECK_BAD_HANDLE(bloomery_filter_clear(NULL));
  return NULL;
}

static void threads_and_fork(bloomery_filter *good) {
  pthread_t threads[4];
  for (size_t i = 0; i < 4; ++i) {
    CHECK(pthread_create(&threads[i], NULL, use_in_thread, good) == 0);
  }
  for (size_t i = 0; i < 4; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    CHECK_OK(bloomery_filter_insert(good, "child", 5));
    CHECK(bloomery_filter_may_contain(good, "child", 5) == 1);
    _exit(0);
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int argc, char **argv) {
  CHECK(argc == 3 || argc == 4);
  is_slow = argc == 4;
  bloomery_filter *good = filter_of(BLOOMERY_BLOCKED, 1000, 0.1);
  arguments_of_filters(good);
  long_errors();
  arguments_of_batches(good);
  read_only_views(good);
  closed_handles(good);
  files(argv[1], argv[2]);
  threads_and_fork(good);
  CHECK(strcmp(bloomery_error_name(17), "unknown") == 0);
  CHECK_OK(bloomery_filter_close(good));
  return 0;
}
