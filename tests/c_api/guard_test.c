// Guards from C: guard_test FOLDER. A no of the filter spares the load; in doubt, and after every failure, the key is
// loaded. A load runs once for all threads that wait for it.
#include <pthread.h>
#include <stdatomic.h>

#include "tests/c_api/check.h"
#include "tests/c_api/leased_page.h"

// A database of one row for each key that begins with `in`.
typedef struct database {
  atomic_int loads;
  int result;   // of each load
  int is_slow;  // a load takes 50 ms
} database;

static int load(void *context, const void *key, size_t length, bloomery_row *row) {
  database *rows = context;
  atomic_fetch_add(&rows->loads, 1);
  if (rows->is_slow) {
    usleep(50000);
  }
  if (rows->result == BLOOMERY_OK && length >= 2 && memcmp(key, "in", 2) == 0) {
    CHECK_OK(bloomery_row_set(row, "a row", 5));
  }
  return rows->result;
}

static bloomery_guard *open_guard(bloomery_guard_options options) {
  bloomery_guard *guard = NULL;
  options.bound_ms = 60000; // of the page
  CHECK_OK(bloomery_guard_open(page_path, &options, &guard));
  return guard;
}

static bloomery_guard_options defaults(void) {
  const bloomery_guard_options options = BLOOMERY_GUARD_OPTIONS_INIT;
  return options;
}

// Reads a key, checks the bytes of its row, and returns the result.
static int read_key(bloomery_guard *guard, const char *key, database *rows) {
  void *row = NULL;
  size_t length = 0;
  const int result = bloomery_guard_read(guard, key, strlen(key), load, rows, &row, &length);
  CHECK(result == 1 ? length == 5 && memcmp(row, "a row", 5) == 0 : row == NULL && length == 0);
  bloomery_free(row);
  return result;
}

static void make_users(const char *name) {
  make_page(name);
  const char *in = "in";
  put_filter(1, NULL, NULL, &in, 1);
  renew();
}

static void reads(void) {
  make_users("users.leased");
  bloomery_guard *guard = open_guard(defaults());
  database rows = {0};
  CHECK(read_key(guard, "out", &rows) == 0 && rows.loads == 0); // by the filter
  CHECK(read_key(guard, "in", &rows) == 1 && rows.loads == 1);
  CHECK(read_key(guard, "in", &rows) == 1 && rows.loads == 1); // by the cache

  set(kDeadlineAt, now_ns() - 1); // the lease is over
  CHECK(read_key(guard, "out", &rows) == 0 && rows.loads == 2);
  CHECK(read_key(guard, "in 2", &rows) == 1 && rows.loads == 3);
  renew();
  CHECK(read_key(guard, "out 2", &rows) == 0 && rows.loads == 3);

  const char *in = "in";
  put_filter(2, NULL, NULL, &in, 1); // a rebuild whose file is damaged
  CHECK(truncate(path_of(folder, "users.leased.2"), 100) == 0);
  renew();
  CHECK(read_key(guard, "out 3", &rows) == 0 && rows.loads == 4);
  CHECK_OK(bloomery_guard_close(guard));
}

static void failing_loads(void) {
  make_users("failing.leased");
  bloomery_guard *guard = open_guard(defaults());
  database rows = {.result = -77};
  CHECK_FAILS(BLOOMERY_IO, "its load returned -77", read_key(guard, "in", &rows));
  CHECK_FAILS(BLOOMERY_IO, "its load returned -77", read_key(guard, "in", &rows));
  rows.result = BLOOMERY_OK;
  CHECK(read_key(guard, "in", &rows) == 1 && rows.loads == 3); // no failure was cached
  CHECK_OK(bloomery_guard_close(guard));
}

static void writes(void) {
  make_users("written.leased");
  bloomery_guard *guard = open_guard(defaults());
  database rows = {0};
  CHECK(read_key(guard, "in 9", &rows) == 0 && rows.loads == 0); // the filter lacks it
  bloomery_guard_write *write = NULL;
  CHECK_OK(bloomery_guard_write_begin(guard, "in 9", 4, 0, &write));
  CHECK(read_key(guard, "in 9", &rows) == 1 && rows.loads == 1);
  CHECK_OK(bloomery_guard_write_end(write));
  CHECK(bloomery_guard_write_end(write) == BLOOMERY_BAD_HANDLE);
  CHECK(read_key(guard, "in 9", &rows) == 1 && rows.loads == 2); // the end removed the cached row
  CHECK_OK(bloomery_guard_write_begin(guard, "in 9", 4, 1, &write));
  CHECK_OK(bloomery_guard_close(guard)); // an open write may outlive its guard
  CHECK_OK(bloomery_guard_write_end(write));
}

static void modes_and_metrics(void) {
  make_users("modes.leased");
  bloomery_guard_options options = defaults();
  options.mode = BLOOMERY_GUARD_SHADOW;
  bloomery_guard *guard = open_guard(options);
  database rows = {0};
  CHECK(read_key(guard, "out", &rows) == 0 && rows.loads == 1);
  CHECK_OK(bloomery_guard_set_mode(guard, BLOOMERY_GUARD_ENFORCE));
  CHECK(read_key(guard, "out 2", &rows) == 0 && rows.loads == 1);
  CHECK_OK(bloomery_guard_set_mode(guard, BLOOMERY_GUARD_OFF));
  CHECK(read_key(guard, "out 3", &rows) == 0 && rows.loads == 2);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "mode of 0 to 2", bloomery_guard_set_mode(guard, 3));
  char *text = NULL;
  CHECK_OK(bloomery_guard_metrics(guard, "table=\"users\"", &text));
  CHECK(strstr(text, "# TYPE bloomery_guard_") != NULL && strstr(text, "{table=\"users\"") != NULL);
  bloomery_free(text);
  CHECK_OK(bloomery_guard_metrics(guard, NULL, &text));
  bloomery_free(text);
  CHECK_OK(bloomery_guard_close(guard));
}

static void wrong_use(void) {
  make_users("wrong.leased");
  bloomery_guard *guard = NULL;
  CHECK_FAILS(BLOOMERY_NOT_FOUND, "none.leased", bloomery_guard_open(path_of(folder, "none.leased"), NULL, &guard));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_open(NULL, NULL, &guard));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_open(page_path, NULL, NULL));
  bloomery_guard_options options = defaults();
  options.mode = 9;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "mode of 0 to 2", bloomery_guard_open(page_path, &options, &guard));
  options = defaults();
  options.loads_at_once = 0;
  CHECK(bloomery_guard_open(page_path, &options, &guard) == BLOOMERY_INVALID_ARGUMENT && guard == NULL);
  options.loads_at_once = 1;
  CHECK_OK(bloomery_guard_open(page_path, &options, &guard));
  CHECK_OK(bloomery_guard_close(guard));
  guard = NULL;
  options = defaults();
  options.size = 3;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "size", bloomery_guard_open(page_path, &options, &guard));

  CHECK_OK(bloomery_guard_open(page_path, NULL, &guard));
  database rows = {0};
  void *row = NULL;
  size_t length = 0;
  bloomery_guard_write *write = NULL;
  char *text = NULL;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_read(guard, NULL, 1, load, &rows, &row, &length));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_read(guard, "in", 2, NULL, &rows, &row, &length));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_read(guard, "in", 2, load, &rows, NULL, &length));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_write_begin(guard, NULL, 1, 0, &write));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_guard_metrics(guard, NULL, NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_row_set(NULL, "a", 1));
  bloomery_guard *bad[] = {NULL, guard};
  CHECK_OK(bloomery_guard_close(guard));
  for (size_t i = 0; i < 2; ++i) {
    const char *word = "expected an open handle";
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_guard_read(bad[i], "in", 2, load, &rows, &row, &length));
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_guard_write_begin(bad[i], "in", 2, 0, &write));
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_guard_set_mode(bad[i], 0));
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_guard_metrics(bad[i], NULL, &text));
  }
  CHECK(bloomery_guard_close(guard) == BLOOMERY_BAD_HANDLE && bloomery_guard_write_end(NULL) == BLOOMERY_BAD_HANDLE);
  CHECK_OK(bloomery_guard_close(NULL));
  CHECK(rows.loads == 0);
}

// Four threads read the same keys, of which each is loaded once.
enum { kThreads = 4, kKeys = 20 };
typedef struct shared {
  bloomery_guard *guard;
  database rows;
} shared;

static void *read_all(void *context) {
  shared *of_all = context;
  for (int i = 0; i < kKeys; ++i) {
    char key[16];
    snprintf(key, sizeof(key), "in %d", i);
    CHECK(read_key(of_all->guard, key, &of_all->rows) == 1);
  }
  return NULL;
}

static void threads(void) {
  make_users("threads.leased");
  set(kDeadlineAt, 0); // so that all keys are loaded
  shared of_all = {.guard = open_guard(defaults()), .rows = {.is_slow = 1}};
  pthread_t running[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_create(&running[i], NULL, read_all, &of_all) == 0);
  }
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_join(running[i], NULL) == 0);
  }
  CHECK(of_all.rows.loads == kKeys);
  CHECK_OK(bloomery_guard_close(of_all.guard));
}

int main(int count, char **words) {
  CHECK(count == 2);
  folder = words[1];
  reads();
  failing_loads();
  writes();
  modes_and_metrics();
  wrong_use();
  threads();
  return 0;
}
