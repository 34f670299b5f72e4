// Every call of filters, for every type: filters_test FOLDER, a folder where it may write.
#include "tests/c_api/check.h"

enum { kKeys = 5000 };

static const uint32_t kTypes[] = {BLOOMERY_BLOOM,    BLOOMERY_BLOCKED,  BLOOMERY_COUNTING,
                                  BLOOMERY_QUOTIENT, BLOOMERY_SCALABLE, BLOOMERY_WINDOWED};

static int is_set(const uint64_t *answers, size_t i) { return (int)((answers[i / 64] >> (i % 64)) & 1); }

static size_t count_set(const uint64_t *answers, size_t count) {
  size_t set = 0;
  for (size_t i = 0; i < count; ++i) {
    set += (size_t)is_set(answers, i);
  }
  return set;
}

static void one_key_of_each_kind(uint32_t type) {
  bloomery_filter *filter = filter_of(type, kKeys, 0.001);
  CHECK(bloomery_filter_may_contain(filter, "a key", 5) == 0);
  CHECK_OK(bloomery_filter_insert(filter, "a key", 5));
  CHECK(bloomery_filter_may_contain(filter, "a key", 5) == 1);
  CHECK(bloomery_filter_may_contain(filter, NULL, 0) == 0);
  CHECK_OK(bloomery_filter_insert(filter, NULL, 0));
  CHECK(bloomery_filter_may_contain(filter, "", 0) == 1);
  CHECK(bloomery_filter_test_and_insert(filter, "b", 1) == 1);
  CHECK(bloomery_filter_test_and_insert(filter, "b", 1) == 0);

  // An integer is its eight little-endian bytes.
  CHECK_OK(bloomery_filter_insert_int64(filter, -2));
  const unsigned char minus_two[8] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  CHECK(bloomery_filter_may_contain(filter, minus_two, 8) == 1);
  CHECK(bloomery_filter_may_contain_int64(filter, -2) == 1);
  CHECK(bloomery_filter_may_contain_int64(filter, 2) == 0);
  CHECK(bloomery_filter_test_and_insert_int64(filter, 2) == 1);

  bloomery_hash hash = {0, 0};
  CHECK_OK(bloomery_filter_hash(filter, "a key", 5, &hash));
  CHECK(bloomery_filter_may_contain_hash(filter, hash) == 1);
  CHECK_OK(bloomery_filter_hash(filter, "c", 1, &hash));
  CHECK(bloomery_filter_test_and_insert_hash(filter, hash) == 1);
  CHECK_OK(bloomery_filter_insert_hash(filter, hash));
  CHECK(bloomery_filter_may_contain(filter, "c", 1) == 1);

  const char *text = "a key";
  const size_t length = 5;
  CHECK(bloomery_filter_may_contain_text(filter, &text, &length, 1) == 1);
  bloomery_hash of_text = {0, 0};
  CHECK_OK(bloomery_filter_hash_text(filter, &text, &length, 1, &of_text));
  CHECK_OK(bloomery_filter_hash(filter, "a key", 5, &hash));
  CHECK(of_text.low == hash.low && of_text.high == hash.high);
  CHECK_OK(bloomery_filter_close(filter));
}

static void batches(uint32_t type) {
  bloomery_filter *filter = filter_of(type, 2 * kKeys, 0.001);
  static uint64_t numbers[2 * kKeys];
  for (size_t i = 0; i < 2 * kKeys; ++i) {
    numbers[i] = i * 7;
  }
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.data = numbers;
  keys.width = 8;
  keys.count = kKeys;
  uint64_t refused = 1;
  CHECK_OK(bloomery_filter_insert_batch(filter, &keys, &refused));
  CHECK(refused == 0);
  CHECK(bloomery_filter_may_contain_int64(filter, 7) == 1);
  keys.count = 2 * kKeys;
  static uint64_t answers[BLOOMERY_ANSWER_WORDS(2 * kKeys)];
  const size_t words = BLOOMERY_ANSWER_WORDS(2 * kKeys);
  CHECK_OK(bloomery_filter_may_contain_batch(filter, &keys, answers, words));
  CHECK(count_set(answers, kKeys) == kKeys);
  CHECK(count_set(answers, 2 * kKeys) < kKeys + 100);

  // The same keys by offsets and lengths, and as hashes.
  static uint64_t offsets[2 * kKeys + 1];
  static uint64_t lengths[2 * kKeys];
  for (size_t i = 0; i <= 2 * kKeys; ++i) {
    offsets[i] = 8 * i;
  }
  for (size_t i = 0; i < 2 * kKeys; ++i) {
    lengths[i] = 8;
  }
  static uint64_t again[BLOOMERY_ANSWER_WORDS(2 * kKeys)];
  keys.width = 0;
  keys.offsets = offsets;
  CHECK_OK(bloomery_filter_may_contain_batch(filter, &keys, again, words));
  CHECK(memcmp(answers, again, sizeof(answers)) == 0);
  keys.lengths = lengths;
  CHECK_OK(bloomery_filter_may_contain_batch(filter, &keys, again, words));
  CHECK(memcmp(answers, again, sizeof(answers)) == 0);
  static bloomery_hash hashes[2 * kKeys];
  CHECK_OK(bloomery_filter_hash_batch(filter, &keys, hashes, 2 * kKeys));
  CHECK_OK(bloomery_filter_may_contain_hashes(filter, hashes, 2 * kKeys, again, words));
  CHECK(memcmp(answers, again, sizeof(answers)) == 0);

  CHECK_OK(bloomery_filter_test_and_insert_batch(filter, &keys, again, words, &refused));
  for (size_t i = 0; i < 2 * kKeys; ++i) {
    CHECK(!(is_set(answers, i) && is_set(again, i))); // what was in is not new
  }
  CHECK_OK(bloomery_filter_test_and_insert_hashes(filter, hashes, 2 * kKeys, again, words, &refused));
  CHECK(count_set(again, 2 * kKeys) == 0);
  CHECK_OK(bloomery_filter_insert_hashes(filter, hashes, 3, NULL));
  CHECK_OK(bloomery_filter_close(filter));
}

static void removals(uint32_t type) {
  bloomery_filter *filter = filter_of(type, kKeys, 0.0001);
  uint64_t count = 9;
  CHECK_OK(bloomery_filter_insert(filter, "twice", 5));
  CHECK_OK(bloomery_filter_insert(filter, "twice", 5));
  CHECK(bloomery_filter_count_at_most(filter, "twice", 5, &count) == 1);
  CHECK(count == 2);
  CHECK(bloomery_filter_remove(filter, "twice", 5) == 1);
  bloomery_hash hash = {0, 0};
  CHECK_OK(bloomery_filter_hash(filter, "twice", 5, &hash));
  CHECK(bloomery_filter_count_at_most_hash(filter, hash, &count) == 1 && count == 1);
  CHECK(bloomery_filter_remove_hash(filter, hash) == 1);
  CHECK(bloomery_filter_remove(filter, "twice", 5) == 0);
  CHECK_OK(bloomery_filter_insert_int64(filter, 5));
  CHECK(bloomery_filter_remove_int64(filter, 5) == 1);
  CHECK(bloomery_filter_may_contain_int64(filter, 5) == 0);

  CHECK_OK(bloomery_filter_insert(filter, "x", 1));
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.data = "xy";
  keys.width = 1;
  keys.count = 2;
  uint64_t answers = 0;
  CHECK_OK(bloomery_filter_remove_batch(filter, &keys, &answers, 1));
  CHECK(answers == 1);
  CHECK_OK(bloomery_filter_remove_hashes(filter, &hash, 1, &answers, 1));
  CHECK(answers == 0);
  CHECK_OK(bloomery_filter_close(filter));
}

static void saved_and_opened(uint32_t type, const char *folder) {
  bloomery_filter *filter = filter_of(type, kKeys, 0.001);
  CHECK_OK(bloomery_filter_insert(filter, "a key", 5));
  CHECK_OK(bloomery_filter_set_metadata(filter, "from C", 6));
  const char *path = path_of(folder, "saved.filter");
  remove(path);
  CHECK_OK(bloomery_filter_save(filter, path, 0));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "saved.filter", bloomery_filter_save(filter, path, 0));
  CHECK_OK(bloomery_filter_save(filter, path, 1));

  void *bytes = NULL;
  size_t size = 0;
  CHECK_OK(bloomery_filter_bytes(filter, &bytes, &size));
  bloomery_facts facts = {.size = sizeof(facts)};
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.type == type && facts.file_bytes == size && facts.inserted == 1 && facts.is_writable == 1);

  bloomery_filter *opened = NULL;
  CHECK_OK(bloomery_filter_open(path, NULL, &opened));
  CHECK(bloomery_filter_may_contain(opened, "a key", 5) == 1);
  CHECK(bloomery_filter_may_contain(opened, "another", 7) == 0);
  CHECK_OK(bloomery_filter_verify(opened));
  const char *text = NULL;
  size_t length = 0;
  CHECK_OK(bloomery_filter_metadata(opened, &text, &length));
  CHECK(length == 6 && memcmp(text, "from C", 6) == 0);
  CHECK_OK(bloomery_filter_insert(opened, "more", 4)); // copied on write
  CHECK_OK(bloomery_filter_merge(filter, opened));
  CHECK(bloomery_filter_may_contain(filter, "more", 4) == 1);

  bloomery_filter *viewed = NULL;
  CHECK_OK(bloomery_filter_view(bytes, size, NULL, &viewed));
  CHECK(bloomery_filter_may_contain(viewed, "a key", 5) == 1);
  CHECK_OK(bloomery_filter_close(viewed));
  bloomery_open_options copied = BLOOMERY_OPEN_OPTIONS_INIT;
  copied.access = BLOOMERY_COPY;
  CHECK_OK(bloomery_filter_view(bytes, size, &copied, &viewed));
  bloomery_free(bytes);
  CHECK_OK(bloomery_filter_insert(viewed, "mine", 4));
  CHECK(bloomery_filter_may_contain(viewed, "a key", 5) == 1);

  CHECK_OK(bloomery_filter_clear(viewed));
  CHECK(bloomery_filter_may_contain(viewed, "a key", 5) == 0);
  bloomery_estimates estimates = {.size = sizeof(estimates)};
  CHECK_OK(bloomery_filter_estimates(filter, &estimates));
  CHECK(estimates.estimated_count > 0.5 && estimates.estimated_count < 4 && estimates.over_capacity == 0);
  CHECK_OK(bloomery_filter_close(viewed));
  CHECK_OK(bloomery_filter_close(opened));
  CHECK_OK(bloomery_filter_close(filter));
}

static void updated_in_place(const char *folder) {
  bloomery_filter *filter = filter_of(BLOOMERY_BLOCKED, kKeys, 0.001);
  const char *path = path_of(folder, "updated.filter");
  CHECK_OK(bloomery_filter_save(filter, path, 1));
  CHECK_OK(bloomery_filter_close(filter));
  bloomery_open_options options = BLOOMERY_OPEN_OPTIONS_INIT;
  options.access = BLOOMERY_UPDATE_IN_PLACE;
  CHECK_OK(bloomery_filter_open(path, &options, &filter));
  CHECK_OK(bloomery_filter_insert(filter, "later", 5));
  CHECK_OK(bloomery_filter_finish_update(filter));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "finished", bloomery_filter_insert(filter, "too late", 8));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "finished", bloomery_filter_finish_update(filter));
  CHECK_OK(bloomery_filter_close(filter));
  CHECK_OK(bloomery_filter_open(path, NULL, &filter));
  CHECK(bloomery_filter_may_contain(filter, "later", 5) == 1);
  CHECK_OK(bloomery_filter_close(filter));
}

static void planned_in_other_ways(void) {
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  bloomery_filter *filter = NULL;
  bloomery_facts facts = {.size = sizeof(facts)};
  options.bytes = 1 << 16;
  options.fpp = 0.01;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.byte_size <= 1 << 16 && facts.byte_size > 65000 && facts.capacity > 50000);
  CHECK_OK(bloomery_filter_close(filter));

  options.fpp = 0;
  options.capacity = 10000;
  options.type = BLOOMERY_BLOOM;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.byte_size <= 1 << 16 && facts.target_fpp < 1e-9);
  CHECK_OK(bloomery_filter_close(filter));

  options.bytes = 0;
  options.bits_per_key = 12;
  options.type = BLOOMERY_BLOCKED;
  options.setting = BLOOMERY_DENSE;
  options.exact_below = 2;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.type == BLOOMERY_EXACT);
  CHECK_OK(bloomery_filter_insert(filter, "1", 1));
  CHECK_OK(bloomery_filter_insert(filter, "2", 1));
  CHECK_OK(bloomery_filter_insert(filter, "3", 1)); // outgrows the set
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.type == BLOOMERY_BLOCKED && facts.setting == BLOOMERY_DENSE);
  CHECK(bloomery_filter_may_contain(filter, "1", 1) == 1);
  CHECK_OK(bloomery_filter_close(filter));

  // A full filter says so, for one key and for a batch.
  options = (bloomery_filter_options)BLOOMERY_FILTER_OPTIONS_INIT;
  options.type = BLOOMERY_QUOTIENT;
  options.capacity = 64;
  options.fpp = 0.4;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  int result = BLOOMERY_OK;
  int64_t last = 0;
  for (; last < 10000000 && result == BLOOMERY_OK; ++last) {
    result = bloomery_filter_insert_int64(filter, last);
  }
  CHECK(result == BLOOMERY_FULL && bloomery_last_error()->code == BLOOMERY_FULL);
  static uint64_t numbers[kKeys];
  for (size_t i = 0; i < kKeys; ++i) {
    numbers[i] = (uint64_t)last + i;
  }
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.data = numbers;
  keys.width = 8;
  keys.count = kKeys;
  uint64_t refused = 0;
  CHECK(bloomery_filter_insert_batch(filter, &keys, &refused) == BLOOMERY_FULL);
  CHECK(refused > 0 && refused <= kKeys);
  refused = 0;
  static uint64_t answers[BLOOMERY_ANSWER_WORDS(kKeys)];
  const size_t words = BLOOMERY_ANSWER_WORDS(kKeys);
  CHECK(bloomery_filter_test_and_insert_batch(filter, &keys, answers, words, &refused) == BLOOMERY_FULL);
  CHECK(refused > 0 && refused <= kKeys);
  CHECK_OK(bloomery_filter_close(filter));
}

static void exceptions(void) {
  bloomery_filter *filter = filter_of(BLOOMERY_BLOOM, 100, 0.3);
  for (int64_t i = 0; i < 100; ++i) {
    CHECK_OK(bloomery_filter_insert_int64(filter, i));
  }
  bloomery_hash absent[1000];
  for (int64_t i = 0; i < 1000; ++i) {
    const int64_t key = i + 1000;
    CHECK_OK(bloomery_filter_hash(filter, &key, sizeof(key), &absent[i]));
  }
  uint64_t added = 0;
  CHECK_OK(bloomery_filter_add_exceptions(filter, absent, 1000, &added));
  CHECK(added > 100 && added < 600);
  for (int64_t i = 0; i < 1000; ++i) {
    CHECK(bloomery_filter_may_contain_int64(filter, i + 1000) == 0);
  }
  for (int64_t i = 0; i < 100; ++i) {
    CHECK(bloomery_filter_may_contain_int64(filter, i) == 1);
  }
  bloomery_hash *listed = NULL;
  size_t count = 0;
  CHECK_OK(bloomery_filter_exceptions(filter, &listed, &count));
  CHECK(count == added);
  bloomery_free(listed);
  bloomery_facts facts = {.size = sizeof(facts)};
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.exceptions == added);
  CHECK_OK(bloomery_filter_close(filter));
}

static void secrets(const char *folder) {
  uint8_t secret[BLOOMERY_SECRET_BYTES];
  uint8_t loaded[BLOOMERY_SECRET_BYTES];
  CHECK_OK(bloomery_secret_generate(secret));
  const char *path = path_of(folder, "secret");
  remove(path);
  CHECK_OK(bloomery_secret_save_new(path, secret));
  CHECK(bloomery_secret_save_new(path, secret) == BLOOMERY_INVALID_ARGUMENT);
  CHECK_OK(bloomery_secret_load(path, loaded));
  CHECK(memcmp(secret, loaded, sizeof(secret)) == 0);

  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.capacity = 100;
  options.fpp = 0.001;
  options.secret = secret;
  bloomery_filter *filter = NULL;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  CHECK_OK(bloomery_filter_insert(filter, "a key", 5));
  path = path_of(folder, "keyed.filter");
  CHECK_OK(bloomery_filter_save(filter, path, 1));
  CHECK_OK(bloomery_filter_close(filter));

  CHECK(bloomery_filter_open(path, NULL, &filter) == BLOOMERY_INVALID_ARGUMENT && filter == NULL);
  bloomery_open_options open = BLOOMERY_OPEN_OPTIONS_INIT;
  open.secret = loaded;
  CHECK_OK(bloomery_filter_open(path, &open, &filter));
  CHECK(bloomery_filter_may_contain(filter, "a key", 5) == 1);
  bloomery_facts facts = {.size = sizeof(facts)};
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.hash == BLOOMERY_HASH_SIPHASH && facts.secret_id != 0);
  CHECK_OK(bloomery_filter_close(filter));
  open.secret = NULL;
  open.without_secret = 1;
  CHECK_OK(bloomery_filter_open(path, &open, &filter));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "secret", bloomery_filter_may_contain(filter, "a key", 5));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "secret", bloomery_filter_insert(filter, "a key", 5));
  CHECK_OK(bloomery_filter_close(filter));
}

static void ready_hashes(void) {
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.capacity = 100;
  options.fpp = 0.001;
  options.ready_hashes = 1;
  bloomery_filter *filter = NULL;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  const bloomery_hash hash = {0x123456789abcdef0u, 0};
  CHECK_OK(bloomery_filter_insert_hash(filter, hash));
  CHECK(bloomery_filter_may_contain_hash(filter, hash) == 1);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "hash", bloomery_filter_may_contain(filter, "a", 1));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "hash", bloomery_filter_insert_int64(filter, 1));
  CHECK_OK(bloomery_filter_close(filter));
}

static void block_lists(void) {
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.capacity = 100;
  options.fpp = 0.0001;
  options.keys.size = sizeof(options.keys);
  options.keys.form = BLOOMERY_KEYS_CIDR;
  options.keys.parts = 1;
  bloomery_filter *filter = NULL;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  const char *entry = "10.0.0.0/8";
  size_t length = strlen(entry);
  CHECK_OK(bloomery_filter_insert_text(filter, &entry, &length, 1));
  const char *address = "10.1.2.3";
  length = strlen(address);
  CHECK(bloomery_filter_may_contain_text(filter, &address, &length, 1) == 1);
  address = "11.1.2.3";
  CHECK(bloomery_filter_may_contain_text(filter, &address, &length, 1) == 0);
  address = "10.1.2.x";
  CHECK(bloomery_filter_may_contain_text(filter, &address, &length, 1) == BLOOMERY_INVALID_ARGUMENT);

  // Entries that come by a merge are found: their levels are read again.
  bloomery_filter *other = NULL;
  CHECK_OK(bloomery_filter_make(&options, &other));
  entry = "192.168.0.0/16";
  length = strlen(entry);
  CHECK_OK(bloomery_filter_insert_text(other, &entry, &length, 1));
  CHECK_OK(bloomery_filter_merge(filter, other));
  address = "192.168.7.7";
  length = strlen(address);
  CHECK(bloomery_filter_may_contain_text(filter, &address, &length, 1) == 1);
  CHECK_OK(bloomery_filter_close(other));
  bloomery_key_rule rule = {.size = sizeof(rule)};
  CHECK_OK(bloomery_filter_keys(filter, &rule));
  CHECK(rule.form == BLOOMERY_KEYS_CIDR && rule.parts == 1);
  CHECK_OK(bloomery_filter_close(filter));

  options.keys.form = BLOOMERY_KEYS_DOMAIN_SUFFIX;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  entry = "example.org";
  length = strlen(entry);
  CHECK_OK(bloomery_filter_insert_text(filter, &entry, &length, 1));
  const char *name = "www.example.org";
  length = strlen(name);
  CHECK(bloomery_filter_may_contain_text(filter, &name, &length, 1) == 1);
  name = "www.example.com";
  CHECK(bloomery_filter_may_contain_text(filter, &name, &length, 1) == 0);
  CHECK_OK(bloomery_filter_close(filter));
}

static int stop_at_once(uint32_t done, uint32_t total, void *context) {
  (void)done;
  (void)total;
  ++*(int *)context;
  return 1;
}
static int note(uint32_t done, uint32_t total, void *context) {
  CHECK(done <= total);
  ++*(int *)context;
  return 0;
}

static bloomery_ribbon *static_of(const char *folder, uint32_t type, uint32_t setting) {
  bloomery_ribbon_options options = BLOOMERY_RIBBON_OPTIONS_INIT;
  options.fpp = 0.001;
  options.threads = 1;
  options.spool_directory = folder;
  options.type = type;
  options.setting = setting;
  bloomery_ribbon *ribbon = NULL;
  CHECK_OK(bloomery_ribbon_begin(&options, &ribbon));
  static uint64_t numbers[kKeys];
  for (size_t i = 0; i < kKeys; ++i) {
    numbers[i] = i;
  }
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  keys.data = numbers;
  keys.width = 8;
  keys.count = kKeys;
  CHECK_OK(bloomery_ribbon_add(ribbon, &keys));
  return ribbon;
}

static bloomery_ribbon *ribbon_of(const char *folder) { return static_of(folder, 0, 0); }

// A fuse filter is built by the same calls.
static void fuse_filters(const char *folder) {
  const uint32_t settings[] = {0, BLOOMERY_FAST, BLOOMERY_DENSE};
  for (size_t s = 0; s < 3; ++s) {
    bloomery_ribbon *build = static_of(folder, BLOOMERY_FUSE, settings[s]);
    bloomery_filter *filter = NULL;
    CHECK_OK(bloomery_ribbon_finish(build, NULL, NULL, &filter));
    CHECK_OK(bloomery_ribbon_close(build));
    for (int64_t i = 0; i < kKeys; ++i) {
      CHECK(bloomery_filter_may_contain_int64(filter, i) == 1);
    }
    bloomery_facts facts = {.size = sizeof(facts)};
    CHECK_OK(bloomery_filter_facts(filter, &facts));
    CHECK(facts.is_static == 1 && facts.type == BLOOMERY_FUSE && facts.inserted == kKeys);
    CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "static", bloomery_filter_insert_int64(filter, 1));
    CHECK_OK(bloomery_filter_close(filter));
  }
  bloomery_ribbon_options options = BLOOMERY_RIBBON_OPTIONS_INIT;
  bloomery_ribbon *build = NULL;
  options.fpp = 0.01;
  options.type = BLOOMERY_BLOOM;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "type", bloomery_ribbon_begin(&options, &build));
  options.type = BLOOMERY_RIBBON;
  options.setting = BLOOMERY_DENSE;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "setting", bloomery_ribbon_begin(&options, &build));
}

static void ribbons(const char *folder) {
  int calls = 0;
  bloomery_ribbon *ribbon = ribbon_of(folder);
  bloomery_filter *filter = NULL;
  CHECK_OK(bloomery_ribbon_finish(ribbon, note, &calls, &filter));
  CHECK(calls > 0);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "ended", bloomery_ribbon_add(ribbon, NULL));
  CHECK_OK(bloomery_ribbon_close(ribbon));
  for (int64_t i = 0; i < kKeys; ++i) {
    CHECK(bloomery_filter_may_contain_int64(filter, i) == 1);
  }
  bloomery_facts facts = {.size = sizeof(facts)};
  CHECK_OK(bloomery_filter_facts(filter, &facts));
  CHECK(facts.is_static == 1 && facts.type == BLOOMERY_RIBBON && facts.inserted == kKeys);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "ribbon", bloomery_filter_insert_int64(filter, 1));

  ribbon = ribbon_of(folder);
  const char *path = path_of(folder, "ribbon.filter");
  remove(path);
  CHECK_OK(bloomery_ribbon_save(ribbon, path, 0, NULL, NULL));
  CHECK_OK(bloomery_ribbon_close(ribbon));
  bloomery_filter *opened = NULL;
  CHECK_OK(bloomery_filter_open(path, NULL, &opened));
  void *one = NULL;
  void *two = NULL;
  size_t one_size = 0;
  size_t two_size = 0;
  CHECK_OK(bloomery_filter_bytes(filter, &one, &one_size));
  CHECK_OK(bloomery_filter_bytes(opened, &two, &two_size));
  CHECK(one_size == two_size && memcmp(one, two, one_size) == 0);
  bloomery_free(one);
  bloomery_free(two);
  CHECK_OK(bloomery_filter_close(opened));
  CHECK_OK(bloomery_filter_close(filter));

  calls = 0;
  ribbon = ribbon_of(folder);
  const bloomery_hash hash = {1, 2};
  CHECK_OK(bloomery_ribbon_add_hashes(ribbon, &hash, 1));
  filter = NULL;
  const int stopped = bloomery_ribbon_finish(ribbon, stop_at_once, &calls, &filter);
  CHECK(calls >= 1);
  CHECK((stopped < 0) == (filter == NULL)); // a build of one shard is done when it is asked
  CHECK_OK(bloomery_filter_close(filter));
  CHECK_OK(bloomery_ribbon_close(ribbon));
}

static void keys_of_texts(void) {
  void *bytes = NULL;
  size_t size = 0;
  CHECK_OK(bloomery_key_of_text(BLOOMERY_KEYS_HEX, "DEADbeef", 8, &bytes, &size));
  CHECK(size == 4 && memcmp(bytes, "\xde\xad\xbe\xef", 4) == 0);
  bloomery_free(bytes);
  CHECK_OK(bloomery_key_of_text(BLOOMERY_KEYS_INT32, "-1", 2, &bytes, &size));
  CHECK(size == 4 && memcmp(bytes, "\xff\xff\xff\xff", 4) == 0);
  bloomery_free(bytes);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_key_of_text(BLOOMERY_KEYS_HEX, "x", 1, &bytes, &size));
}

// An allocator that counts, and that refuses what is too large.
struct counted {
  size_t bytes;
  size_t calls;
  size_t most;
};
static void *count_allocation(size_t bytes, size_t alignment, void *context) {
  struct counted *counted = context;
  if (counted->bytes + bytes > counted->most) {
    return NULL;
  }
  ++counted->calls;
  counted->bytes += bytes;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
static void count_release(void *memory, size_t bytes, void *context) {
  ((struct counted *)context)->bytes -= bytes;
  free(memory);
}

static void allocators(void) {
  struct counted counted = {0, 0, 1 << 20};
  bloomery_filter *before = filter_of(BLOOMERY_BLOCKED, kKeys, 0.001);
  bloomery_allocator allocator = {sizeof(allocator), count_allocation, count_release, &counted};
  CHECK_OK(bloomery_set_allocator(&allocator));
  bloomery_filter *filter = filter_of(BLOOMERY_BLOCKED, kKeys, 0.001);
  CHECK(counted.calls == 1 && counted.bytes > 8000);
  void *bytes = NULL;
  size_t size = 0;
  CHECK_OK(bloomery_filter_bytes(filter, &bytes, &size));
  CHECK(counted.calls == 2);
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.capacity = 10000000;
  options.fpp = 0.001;
  bloomery_filter *large = NULL;
  CHECK_FAILS(BLOOMERY_CAPACITY, "bytes", bloomery_filter_make(&options, &large));
  CHECK_OK(bloomery_filter_close(before)); // goes back to where it came from
  CHECK_OK(bloomery_set_allocator(NULL));
  bloomery_free(bytes);
  CHECK_OK(bloomery_filter_close(filter));
  CHECK(counted.bytes == 0);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(bloomery_abi_version() == BLOOMERY_ABI_VERSION && strlen(bloomery_version()) > 0);
  CHECK(bloomery_last_error()->code == BLOOMERY_OK);
  for (size_t i = 0; i < sizeof(kTypes) / sizeof(kTypes[0]); ++i) {
    one_key_of_each_kind(kTypes[i]);
    batches(kTypes[i]);
    saved_and_opened(kTypes[i], argv[1]);
  }
  removals(BLOOMERY_COUNTING);
  removals(BLOOMERY_QUOTIENT);
  updated_in_place(argv[1]);
  planned_in_other_ways();
  exceptions();
  secrets(argv[1]);
  ready_hashes();
  block_lists();
  ribbons(argv[1]);
  fuse_filters(argv[1]);
  keys_of_texts();
  allocators();
  CHECK_OK(bloomery_survive_cut_files());
  return 0;
}
