// Stores: store_test FOLDER, an empty folder for roots. The second part writes in a child that is killed.
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/c_api/check.h"

static bloomery_bytes b(const char *text) {
  return (bloomery_bytes){text, strlen(text)};
}

static bloomery_mutation mutation_of(uint8_t type, const char *row, const char *qualifier, const char *value) {
  bloomery_mutation mutation = BLOOMERY_MUTATION_INIT;
  mutation.type = type;
  mutation.row = b(row);
  mutation.family = b("f");
  mutation.qualifier = b(qualifier);
  mutation.value = b(value);
  return mutation;
}

static bloomery_mutation at(bloomery_mutation mutation, int64_t timestamp) {
  mutation.timestamp = timestamp;
  mutation.has_timestamp = 1;
  return mutation;
}

// Returns the cells of a row as a text: "q=value q2=value2 ".
static const char *row_of(const bloomery_table *table, const char *row, int32_t versions) {
  static char text[1000];
  size_t used = 0;
  bloomery_request request = BLOOMERY_REQUEST_INIT;
  request.versions = versions;
  bloomery_cursor *cursor = NULL;
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  CHECK_OK(bloomery_table_get(table, row, strlen(row), &request, &cursor));
  int found = 0;
  text[0] = 0;
  while ((found = bloomery_cursor_next(cursor, &cell)) == 1) {
    used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s=%.*s ", (int)cell.qualifier.length,
                             cell.qualifier.data, (int)cell.value.length, cell.value.data);
  }
  CHECK(found == 0);
  CHECK_OK(bloomery_cursor_close(cursor));
  return text;
}
#define CHECK_ROW(table, row, versions, text) CHECK(strcmp(row_of(table, row, versions), text) == 0)

static void put(bloomery_table *table, const char *row, const char *qualifier, const char *value) {
  CHECK_OK(bloomery_table_put(table, b(row), b("f"), b(qualifier), b(value), NULL));
}

static size_t count_rows(const bloomery_table *table, bloomery_request *request) {
  bloomery_cursor *cursor = NULL;
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  size_t count = 0;
  CHECK_OK(bloomery_table_scan(table, request, &cursor));
  while (bloomery_cursor_next(cursor, &cell) == 1) {
    ++count;
  }
  CHECK_OK(bloomery_cursor_close(cursor));
  return count;
}

// Each kind of delete, each write that depends on a read, in memory and after a flush.
static void writes(bloomery_table *table) {
  put(table, "r", "a", "1");
  put(table, "r", "b", "2");
  CHECK_ROW(table, "r", 1, "a=1 b=2 ");
  CHECK_OK(bloomery_table_flush(table));
  CHECK_ROW(table, "r", 1, "a=1 b=2 ");

  bloomery_mutation batch[3];
  batch[0] = at(mutation_of(BLOOMERY_PUT, "v", "a", "old"), 10);
  batch[1] = at(mutation_of(BLOOMERY_PUT, "v", "a", "new"), 0);
  batch[2] = at(mutation_of(BLOOMERY_PUT, "v", "a", "newest"), 20);
  CHECK_OK(bloomery_table_mutate(table, batch, 3, NULL));
  CHECK_ROW(table, "v", 3, "a=newest a=old a=new ");
  batch[0] = mutation_of(BLOOMERY_DELETE, "v", "a", "");
  CHECK_OK(bloomery_table_mutate(table, batch, 1, NULL));
  CHECK_ROW(table, "v", 3, "a=old a=new ");
  batch[0] = at(mutation_of(BLOOMERY_DELETE_FAMILY_VERSION, "v", "", ""), 0);
  CHECK_OK(bloomery_table_mutate(table, batch, 1, NULL));
  CHECK_ROW(table, "v", 3, "a=old ");
  batch[0] = mutation_of(BLOOMERY_DELETE_COLUMN, "v", "a", "");
  batch[1] = mutation_of(BLOOMERY_PUT, "w", "a", "1");
  CHECK_OK(bloomery_table_mutate(table, batch, 2, NULL));
  CHECK_ROW(table, "v", 3, "");
  batch[0] = mutation_of(BLOOMERY_DELETE_FAMILY, "w", "", "");
  CHECK_OK(bloomery_table_mutate(table, batch, 1, NULL));
  CHECK_ROW(table, "w", 3, "");
  CHECK_OK(bloomery_table_delete_row(table, b("r"), NULL));
  CHECK_ROW(table, "r", 1, "");
  CHECK_OK(bloomery_table_mutate(table, NULL, 0, NULL));

  // A program with a later header: its elements are longer.
  struct {
    bloomery_mutation known;
    uint64_t later;
  } longer[2] = {{mutation_of(BLOOMERY_PUT, "x", "a", "1"), 0}, {mutation_of(BLOOMERY_PUT, "x", "b", "2"), 0}};
  longer[0].known.size = longer[1].known.size = sizeof(longer[0]);
  CHECK_OK(bloomery_table_mutate(table, &longer[0].known, 2, NULL));
  CHECK_ROW(table, "x", 1, "a=1 b=2 ");

  int64_t sum = 0;
  CHECK_OK(bloomery_table_increment(table, b("n"), b("f"), b("n"), 40, NULL, NULL));
  CHECK_OK(bloomery_table_increment(table, b("n"), b("f"), b("n"), 2, NULL, &sum));
  CHECK(sum == 42);
  void *bytes = NULL;
  size_t count = 0;
  CHECK_OK(bloomery_table_append(table, b("s"), b("f"), b("s"), b("ab"), NULL, NULL, NULL));
  CHECK_OK(bloomery_table_append(table, b("s"), b("f"), b("s"), b("c"), NULL, &bytes, &count));
  CHECK(count == 3 && memcmp(bytes, "abc", 3) == 0);
  bloomery_free(bytes);

  bloomery_check check = BLOOMERY_CHECK_INIT;
  check.row = b("c");
  check.family = b("f");
  check.qualifier = b("a");
  bloomery_mutation change = mutation_of(BLOOMERY_PUT, "c", "a", "1");
  CHECK(bloomery_table_check_and_mutate(table, &check, &change, 1, NULL) == 1); // absent
  CHECK(bloomery_table_check_and_mutate(table, &check, &change, 1, NULL) == 0);
  check.value = b("0");
  check.is = BLOOMERY_IS_LESS;
  change.value = b("2");
  CHECK(bloomery_table_check_and_mutate(table, &check, &change, 1, NULL) == 1);
  CHECK_ROW(table, "c", 1, "a=2 ");

  bloomery_write_options options = BLOOMERY_WRITE_OPTIONS_INIT;
  options.refuses_to_wait = 1;
  for (options.durability = 0; options.durability <= BLOOMERY_FSYNC_WAL; ++options.durability) {
    CHECK_OK(bloomery_table_put(table, b("d"), b("f"), b("a"), b("1"), &options));
  }
}

static void wrong_use(bloomery_store *store, bloomery_table *table) {
  bloomery_store *other = store;
  bloomery_table *none = table;
  const char *families[] = {"f", NULL};
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_store_create(NULL, NULL, &other));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_store_open("x", NULL, NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "/no/such/root", bloomery_store_open("/no/such/root", NULL, &other));
  CHECK(other == NULL);
  bloomery_store_options options = {.size = 3};
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "bloomery_store_options", bloomery_store_open("x", &options, &other));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_store_table(store, NULL, &none));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_store_table(store, "t", NULL));
  CHECK_FAILS(BLOOMERY_NOT_FOUND, "t", bloomery_store_table(store, "nothing", &none));
  CHECK(none == NULL);
  CHECK_FAILS(BLOOMERY_NOT_FOUND, "t", bloomery_store_drop_table(store, "nothing"));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "null", bloomery_store_create_table(store, "u", families, 2, NULL, 0, &none));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "null", bloomery_store_create_table(store, "u", families, 1, NULL, 1, &none));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_store_create_table(store, "u", NULL, 0, NULL, 0, &none));
  families[1] = "g,VERSIONS=0";
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "VERSIONS", bloomery_store_create_table(store, "u", families, 2, NULL, 0, &none));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "new table", bloomery_store_create_table(store, "t", families, 1, NULL, 0, &none));
  CHECK(bloomery_last_error()->errno_value == EEXIST);

  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "family", bloomery_table_put(table, b("r"), b("no"), b("q"), b("v"), NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "row", bloomery_table_put(table, b(""), b("f"), b("q"), b("v"), NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "value",
              bloomery_table_put(table, b("r"), b("f"), b("q"), (bloomery_bytes){NULL, 1}, NULL));
  bloomery_write_options how = BLOOMERY_WRITE_OPTIONS_INIT;
  how.durability = 5;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "durability", bloomery_table_put(table, b("r"), b("f"), b("q"), b("v"), &how));
  bloomery_mutation batch[2] = {mutation_of(BLOOMERY_PUT, "no", "a", "1"), mutation_of(9, "no", "a", "1")};
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "type", bloomery_table_mutate(table, batch, 2, NULL));
  batch[1] = at(mutation_of(BLOOMERY_PUT, "no", "a", "1"), -1);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "timestamp", bloomery_table_mutate(table, batch, 2, NULL));
  batch[1].size = sizeof(batch[1]) - 8;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "one size", bloomery_table_mutate(table, batch, 2, NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "null", bloomery_table_mutate(table, NULL, 1, NULL));
  CHECK_ROW(table, "no", 1, ""); // nothing of these was applied
  void *bytes = NULL;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "null",
              bloomery_table_append(table, b("s"), b("f"), b("s"), b("x"), NULL, &bytes, NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "8 bytes", bloomery_table_increment(table, b("s"), b("f"), b("s"), 1, NULL, NULL));
  bloomery_check check = BLOOMERY_CHECK_INIT;
  check.row = b("c");
  check.family = b("f");
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "row", bloomery_table_check_and_mutate(table, &check, batch, 1, NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "null", bloomery_table_check_and_mutate(table, NULL, NULL, 0, NULL));
  check.is = 6;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "comparison", bloomery_table_check_and_mutate(table, &check, NULL, 0, NULL));

  CHECK_FAILS(BLOOMERY_BAD_HANDLE, "bloomery_store", bloomery_store_health(NULL));
  CHECK_FAILS(BLOOMERY_BAD_HANDLE, "bloomery_store", bloomery_store_close((bloomery_store *)(void *)table));
  CHECK_FAILS(BLOOMERY_BAD_HANDLE, "bloomery_store", bloomery_store_table(NULL, "t", &none));
  CHECK_FAILS(BLOOMERY_BAD_HANDLE, "bloomery_table", bloomery_table_flush(NULL));
  CHECK_FAILS(BLOOMERY_BAD_HANDLE, "bloomery_table", bloomery_table_flush((bloomery_table *)(void *)store));
  CHECK_OK(bloomery_store_close(NULL));
}

static void round_trip(const char *folder) {
  char root[4096];
  snprintf(root, sizeof(root), "%s/root", folder);
  bloomery_store *store = NULL;
  bloomery_table *table = NULL;
  bloomery_table *split = NULL;
  CHECK_OK(bloomery_store_create(root, NULL, &store));
  const char *const families[] = {"f,VERSIONS=3,BLOOMFILTER=ROWCOL", "g"};
  CHECK_OK(bloomery_store_create_table(store, "t", families, 2, NULL, 0, &table));
  writes(table);
  wrong_use(store, table);
  const bloomery_bytes splits[] = {{"m", 1}, {"t", 1}};
  CHECK_OK(bloomery_store_create_table(store, "ns:split", families, 1, splits, 2, &split));
  put(split, "a", "q", "1");
  put(split, "m", "q", "1");
  put(split, "z", "q", "1");
  bloomery_request request = BLOOMERY_REQUEST_INIT;
  CHECK(count_rows(split, &request) == 3);
  request.start = b("m");
  CHECK(count_rows(split, &request) == 2);
  CHECK_OK(bloomery_store_drop_table(store, "ns:split"));
  CHECK_FAILS(BLOOMERY_NOT_FOUND, "dropped", bloomery_table_put(split, b("a"), b("f"), b("q"), b("1"), NULL));
  CHECK_OK(bloomery_table_close(split));
  CHECK_OK(bloomery_store_health(store));

  bloomery_store *second = NULL;
  CHECK_FAILS(BLOOMERY_IO, root, bloomery_store_open(root, NULL, &second));
  CHECK(bloomery_last_error()->errno_value == EWOULDBLOCK && second == NULL);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "empty", bloomery_store_create(root, NULL, &second));
  CHECK_OK(bloomery_store_close(store));
  CHECK_FAILS(BLOOMERY_BAD_HANDLE, "bloomery_store", bloomery_store_close(store));
  bloomery_cursor *cursor = NULL;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "closed", bloomery_table_put(table, b("a"), b("f"), b("q"), b("1"), NULL));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "closed", bloomery_table_get(table, "x", 1, NULL, &cursor));
  CHECK_OK(bloomery_table_close(table));

  // The root is one of HBase: the same calls read it without the store, and do not write it.
  char directory[4200];
  snprintf(directory, sizeof(directory), "%s/data/default/t", root);
  CHECK_OK(bloomery_table_open(directory, NULL, &table));
  CHECK_ROW(table, "x", 1, "a=1 b=2 ");
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "only read", bloomery_table_flush(table));
  CHECK_OK(bloomery_table_close(table));
}

// Writes until it is killed. The parent is told after every write that returned.
static void write_until_killed(const char *root, int told) {
  bloomery_store *store = NULL;
  bloomery_table *table = NULL;
  const char *const family = "f";
  CHECK_OK(bloomery_store_create(root, NULL, &store));
  CHECK_OK(bloomery_store_create_table(store, "t", &family, 1, NULL, 0, &table));
  bloomery_write_options options = BLOOMERY_WRITE_OPTIONS_INIT;
  options.durability = BLOOMERY_SYNC_WAL;
  for (int i = 0;; ++i) {
    char row[32];
    snprintf(row, sizeof(row), "row-%06d", i);
    CHECK_OK(bloomery_table_put(table, b(row), b("f"), b("q"), b(row), &options));
    CHECK(write(told, &i, sizeof(i)) == sizeof(i));
  }
}

static void what_a_killed_process_wrote_is_there(const char *folder) {
  char root[4096];
  snprintf(root, sizeof(root), "%s/killed", folder);
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    close(pipes[0]);
    write_until_killed(root, pipes[1]);
  }
  close(pipes[1]);
  int last = -1;
  while (last < 20) {
    CHECK(read(pipes[0], &last, sizeof(last)) == sizeof(last));
  }
  CHECK(kill(child, SIGKILL) == 0);
  while (read(pipes[0], &last, sizeof(last)) == sizeof(last)) {
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));

  bloomery_store_options options = BLOOMERY_STORE_OPTIONS_INIT;
  options.cache_bytes = 1 << 20;
  options.flush_bytes = 1 << 20;
  options.memory_bytes = 4 << 20;
  options.leaves_log = 1;
  bloomery_store *store = NULL;
  bloomery_table *table = NULL;
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(bloomery_store_open(root, &options, &store));
    CHECK_OK(bloomery_store_table(store, "t", &table));
    const size_t rows = count_rows(table, NULL);
    CHECK(rows == (size_t)last + 1 || rows == (size_t)last + 2); // the last write may not have been told
    CHECK_ROW(table, "row-000007", 1, "q=row-000007 ");
    CHECK_OK(bloomery_table_close(table));
    CHECK_OK(bloomery_store_close(store));
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  round_trip(argv[1]);
  what_a_killed_process_wrote_is_there(argv[1]);
  return 0;
}
