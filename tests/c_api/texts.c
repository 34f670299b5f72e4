// Asks a filter for lines, and inserts lines, as a program in C does: by the filter's own key rule.
//
//   texts ask FILTER        prints the lines of standard input that may be in
//   texts insert FILTER     inserts the lines, in place
//   texts like OLD NEW      makes an empty filter NEW of the rule, size and fpp of OLD
//
// Parts of a composite key stand between tabs.
#include "tests/c_api/check.h"

enum { kMostParts = 8, kLongest = 4096 };

static size_t cut(char *line, size_t most, const char **texts, size_t *lengths) {
  size_t parts = 0;
  line[strcspn(line, "\n")] = '\0';
  for (char *at = line; at != NULL && parts < kMostParts;) {
    char *tab = parts + 1 < most ? strchr(at, '\t') : NULL;
    texts[parts] = at;
    lengths[parts++] = tab == NULL ? strlen(at) : (size_t)(tab - at);
    at = tab == NULL ? NULL : tab + 1;
  }
  return parts;
}

static int ask_hashes(bloomery_filter *filter, const bloomery_hash *hashes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const int answer = bloomery_filter_may_contain_hash(filter, hashes[i]);
    CHECK(answer >= 0);
    if (answer == 1) {
      return 1;
    }
  }
  return 0;
}

static void each_line(bloomery_filter *filter, int inserts) {
  bloomery_key_rule rule = {.size = sizeof(rule)};
  CHECK_OK(bloomery_filter_keys(filter, &rule));
  bloomery_text_hasher *hasher = NULL;
  CHECK_OK(bloomery_text_hasher_open(filter, inserts ? BLOOMERY_TO_INSERT : BLOOMERY_TO_ASK, &hasher));
  char line[kLongest];
  char whole[kLongest];
  while (fgets(line, sizeof(line), stdin) != NULL) {
    strcpy(whole, line);
    const char *texts[kMostParts];
    size_t lengths[kMostParts];
    const size_t parts = cut(line, rule.parts, texts, lengths);
    const bloomery_hash *hashes = NULL;
    size_t count = 0;
    CHECK_OK(bloomery_text_hashes(hasher, texts, lengths, parts, &hashes, &count));
    if (inserts) {
      CHECK_OK(bloomery_filter_insert_hashes(filter, hashes, count, NULL));
      continue;
    }
    const int maybe = ask_hashes(filter, hashes, count);
    // Where this library makes the key itself, it answers the same.
    const int alone = bloomery_filter_may_contain_text(filter, texts, lengths, parts);
    const int is_url = rule.form == BLOOMERY_KEYS_URL || rule.form == BLOOMERY_KEYS_URL_PREFIX;
    CHECK(is_url ? alone < 0 : alone == maybe);
    if (maybe) {
      fputs(whole, stdout);
    }
  }
  CHECK_OK(bloomery_text_hasher_close(hasher));
}

int main(int argc, char **argv) {
  CHECK(argc >= 3);
  bloomery_open_options options = BLOOMERY_OPEN_OPTIONS_INIT;
  options.knows_key_rule = 1;
  const int inserts = strcmp(argv[1], "insert") == 0;
  if (inserts) {
    options.access = BLOOMERY_UPDATE_IN_PLACE;
  }
  bloomery_filter *filter = NULL;
  CHECK_OK(bloomery_filter_open(argv[2], &options, &filter));
  if (strcmp(argv[1], "like") == 0) {
    CHECK(argc == 4);
    bloomery_facts facts = {.size = sizeof(facts)};
    bloomery_filter_options made = BLOOMERY_FILTER_OPTIONS_INIT;
    CHECK_OK(bloomery_filter_facts(filter, &facts));
    made.keys.size = sizeof(made.keys);
    CHECK_OK(bloomery_filter_keys(filter, &made.keys));
    made.hash = facts.hash;
    made.capacity = facts.capacity;
    made.fpp = facts.target_fpp;
    bloomery_filter *like = NULL;
    CHECK_OK(bloomery_filter_make(&made, &like));
    CHECK_OK(bloomery_filter_save(like, argv[3], 1));
    CHECK_OK(bloomery_filter_close(like));
    CHECK_OK(bloomery_filter_close(filter));
    return 0;
  }
  each_line(filter, inserts);
  if (inserts) {
    CHECK_OK(bloomery_filter_finish_update(filter));
  }
  CHECK_OK(bloomery_filter_close(filter));
  return 0;
}
