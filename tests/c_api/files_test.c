// Filters of other systems, HFiles and tables: files_test GOLDEN FOLDER, where FOLDER has a bulk-load directory with
// GOLDEN/hbase/bloom_row_default.hfile.
#include "tests/c_api/check.h"

static int is(bloomery_bytes bytes, const char *text) {
  return bytes.length == strlen(text) && memcmp(bytes.data, text, bytes.length) == 0;
}

static void guava(const char *golden, const char *folder) {
  bloomery_dialect *dialect = NULL;
  CHECK_OK(bloomery_dialect_open(path_of(golden, "guava/string_utf8_s1_e100_n100_p0.01.bf"), "guava", NULL, &dialect));
  CHECK(bloomery_dialect_may_contain(dialect, "key000001", 9) == 1);
  CHECK(bloomery_dialect_may_contain(dialect, "nothing", 7) == 0);
  bloomery_keys keys = BLOOMERY_KEYS_INIT;
  const uint64_t offsets[3] = {0, 9, 16};
  keys.data = "key000001nothing";
  keys.offsets = offsets;
  keys.count = 2;
  uint64_t answers = 0;
  CHECK_OK(bloomery_dialect_may_contain_batch(dialect, &keys, &answers, 1));
  CHECK(answers == 1);
  CHECK_OK(bloomery_dialect_verify(dialect));
  bloomery_dialect_description facts = {.size = sizeof(facts)};
  CHECK_OK(bloomery_dialect_facts(dialect, &facts));
  CHECK(strncmp(facts.name, "guava", 5) == 0 && facts.set_bits > 0 && facts.hash_count > 0);

  CHECK(bloomery_dialect_insert(dialect, "nothing", 7) == 1);
  CHECK(bloomery_dialect_insert(dialect, "nothing", 7) == 0);
  uint64_t changed = 9;
  CHECK_OK(bloomery_dialect_insert_batch(dialect, &keys, &changed));
  CHECK(changed == 0);
  void *bytes = NULL;
  size_t size = 0;
  CHECK_OK(bloomery_dialect_bytes(dialect, &bytes, &size));
  bloomery_dialect *viewed = NULL;
  CHECK_OK(bloomery_dialect_view(bytes, size, "guava", NULL, &viewed));
  CHECK(bloomery_dialect_may_contain(viewed, "nothing", 7) == 1);
  CHECK_OK(bloomery_dialect_merge(dialect, viewed));
  const char *path = path_of(folder, "saved.bf");
  CHECK_OK(bloomery_dialect_save(dialect, path, 1));
  CHECK_OK(bloomery_dialect_close(viewed));
  CHECK_OK(bloomery_dialect_close(dialect));
  bloomery_free(bytes);
  CHECK_OK(bloomery_dialect_open(path, "guava", NULL, &dialect));
  CHECK(bloomery_dialect_may_contain(dialect, "nothing", 7) == 1);
  CHECK_OK(bloomery_dialect_close(dialect));
}

static void every_dialect_is_named_and_some_are_built(void) {
  size_t count = 0;
  int has_guava = 0;
  for (const char *name = bloomery_dialect_name(0); name != NULL; name = bloomery_dialect_name(++count)) {
    has_guava |= strcmp(name, "guava") == 0;
  }
  CHECK(count >= 9 && has_guava);
  static const char *const kBuilt[] = {"guava", "dcso", "spark", "rocksdb"};
  for (size_t i = 0; i < sizeof(kBuilt) / sizeof(kBuilt[0]); ++i) {
    bloomery_keys keys = BLOOMERY_KEYS_INIT;
    keys.data = "aabbcc";
    keys.width = 2;
    keys.count = 3;
    bloomery_dialect *dialect = NULL;
    CHECK_OK(bloomery_dialect_build(kBuilt[i], 3, 0.0001, 0, &keys, &dialect));
    CHECK(bloomery_dialect_may_contain(dialect, "bb", 2) == 1);
    CHECK(bloomery_dialect_may_contain(dialect, "dd", 2) == 0);
    CHECK_OK(bloomery_dialect_close(dialect));
  }
}

// The lines of a .cells file: row, family, qualifier, timestamp, type, value ...
static void compare_with_list(bloomery_cursor *cursor, const char *list) {
  FILE *lines = fopen(list, "r");
  CHECK(lines != NULL);
  char line[4096];
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  while (fgets(line, sizeof(line), lines) != NULL) {
    CHECK(bloomery_cursor_next(cursor, &cell) == 1);
    const char *row = strtok(line, "\t");
    const char *family = strtok(NULL, "\t");
    const char *qualifier = strtok(NULL, "\t");
    const long long timestamp = strtoll(strtok(NULL, "\t"), NULL, 10);
    const long type = strtol(strtok(NULL, "\t"), NULL, 10);
    const char *value = strtok(NULL, "\t");
    CHECK(is(cell.row, row) && is(cell.family, family) && is(cell.qualifier, qualifier) && is(cell.value, value));
    CHECK(cell.timestamp == timestamp && cell.type == type);
  }
  CHECK(bloomery_cursor_next(cursor, &cell) == 0);
  CHECK(bloomery_cursor_next(cursor, &cell) == 0);
  fclose(lines);
}

static void hfile(const char *golden) {
  bloomery_hfile *hfile = NULL;
  bloomery_hfile_options options = BLOOMERY_HFILE_OPTIONS_INIT;
  options.cache_bytes = 1 << 20;
  CHECK_OK(bloomery_hfile_open(path_of(golden, "hbase/bloom_row_default.hfile"), &options, &hfile));
  uint64_t entries = 0;
  CHECK_OK(bloomery_hfile_entries(hfile, &entries));
  CHECK(entries > 0);
  CHECK(bloomery_hfile_may_contain_row(hfile, "row-00001", 9) == 1);
  CHECK(bloomery_hfile_may_contain_row(hfile, "no such row", 11) == 0);
  bloomery_cursor *cursor = NULL;
  CHECK_OK(bloomery_hfile_scan(hfile, &cursor));
  compare_with_list(cursor, path_of(golden, "hbase/bloom_row_default.cells"));
  CHECK_OK(bloomery_cursor_seek(cursor, NULL, 0)); // the first row again
  compare_with_list(cursor, path_of(golden, "hbase/bloom_row_default.cells"));
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  CHECK_OK(bloomery_cursor_seek(cursor, "row-00001", 9));
  CHECK(bloomery_cursor_next(cursor, &cell) == 1 && is(cell.row, "row-00001"));
  CHECK(bloomery_cursor_next(cursor, &cell) == 1 && is(cell.row, "row-00002"));
  CHECK_OK(bloomery_cursor_close(cursor));
  CHECK_OK(bloomery_hfile_close(hfile));
}

static size_t count_cells(bloomery_cursor *cursor) {
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  size_t count = 0;
  int found = 0;
  while ((found = bloomery_cursor_next(cursor, &cell)) == 1) {
    ++count;
  }
  CHECK(found == 0);
  CHECK_OK(bloomery_cursor_close(cursor));
  return count;
}

static void table(const char *folder) {
  bloomery_table *table = NULL;
  CHECK_OK(bloomery_table_open(path_of(folder, "bulk"), NULL, &table));
  for (size_t i = 0; bloomery_table_warning(table, i) != NULL; ++i) {
    CHECK(strlen(bloomery_table_warning(table, i)) > 0);
  }
  bloomery_cursor *cursor = NULL;
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  CHECK_OK(bloomery_table_get(table, "row-00001", 9, NULL, &cursor));
  CHECK(bloomery_cursor_next(cursor, &cell) == 1);
  CHECK(is(cell.row, "row-00001") && is(cell.value, "value-1-0-0"));
  CHECK(bloomery_cursor_next(cursor, &cell) == 0);
  CHECK(bloomery_cursor_seek(cursor, "r", 1) == BLOOMERY_INVALID_ARGUMENT);
  CHECK_OK(bloomery_cursor_close(cursor));
  CHECK_OK(bloomery_table_get(table, "nothing", 7, NULL, &cursor));
  CHECK(count_cells(cursor) == 0);

  bloomery_request request = BLOOMERY_REQUEST_INIT;
  CHECK_OK(bloomery_table_scan(table, NULL, &cursor));
  const size_t all = count_cells(cursor);
  CHECK(all == 10);
  request.limit = 3;
  CHECK_OK(bloomery_table_scan(table, &request, &cursor));
  CHECK(count_cells(cursor) == 3);
  request.start = (bloomery_bytes){"row-00002", 9};
  request.stop = (bloomery_bytes){"row-00004", 9};
  request.limit = 0;
  CHECK_OK(bloomery_table_scan(table, &request, &cursor));
  CHECK(bloomery_cursor_next(cursor, &cell) == 1 && is(cell.row, "row-00002"));
  CHECK(count_cells(cursor) == 1);
  request.prefix = (bloomery_bytes){"row", 3};
  CHECK(bloomery_table_scan(table, &request, &cursor) == BLOOMERY_INVALID_ARGUMENT);
  request = (bloomery_request)BLOOMERY_REQUEST_INIT;
  request.prefix = (bloomery_bytes){"row-00003", 9};
  request.filter = "ValueFilter(=, 'binary:value-3-0-0')";
  const bloomery_column column = {{"f", 1}, {"q00", 3}};
  request.columns = &column;
  request.column_count = 1;
  CHECK_OK(bloomery_table_scan(table, &request, &cursor));
  CHECK_OK(bloomery_table_close(table)); // the cursor goes on
  CHECK(count_cells(cursor) == 1);
  CHECK_OK(bloomery_table_open(path_of(folder, "bulk"), NULL, &table));
  request.filter = "NoFilter(";
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_table_scan(table, &request, &cursor));
  CHECK_OK(bloomery_table_close(table));
}

static void damage(const char *golden, const char *folder) {
  FILE *file = fopen(path_of(golden, "hbase/bloom_row_default.hfile"), "rb");
  static unsigned char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  bytes[40] ^= 1; // in the first data block
  const char *path = path_of(folder, "damaged.hfile");
  file = fopen(path, "wb");
  CHECK(fwrite(bytes, 1, size, file) == size);
  fclose(file);
  bloomery_hfile *hfile = NULL;
  bloomery_cursor *cursor = NULL;
  bloomery_cell cell = BLOOMERY_CELL_INIT;
  CHECK_OK(bloomery_hfile_open(path, NULL, &hfile));
  CHECK_OK(bloomery_hfile_scan(hfile, &cursor));
  CHECK_FAILS(BLOOMERY_CORRUPTION, "damaged.hfile", bloomery_cursor_next(cursor, &cell));
  CHECK(bloomery_last_error()->offset == 0 && strstr(bloomery_last_error()->subject, path) != NULL);
  CHECK(bloomery_cursor_next(cursor, &cell) == BLOOMERY_CORRUPTION);
  CHECK_OK(bloomery_cursor_close(cursor));
  CHECK_OK(bloomery_hfile_close(hfile));
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  guava(argv[1], argv[2]);
  every_dialect_is_named_and_some_are_built();
  hfile(argv[1]);
  table(argv[2]);
  damage(argv[1], argv[2]);
  return 0;
}
