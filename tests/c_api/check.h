// Checks for the tests in C. A check that fails prints its line and what the library said, and ends the program.
#ifndef BLOOMERY_TESTS_C_API_CHECK_H
#define BLOOMERY_TESTS_C_API_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bloomery.h"

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      fprintf(stderr, "%s:%d: failed: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, \
              bloomery_last_error()->message);                                                 \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)
#define CHECK_OK(call) CHECK((call) == BLOOMERY_OK)

// Checks that a call fails with a code, and that the last error tells of it in a sentence with the word.
#define CHECK_FAILS(code_wanted, word, call)                       \
  do {                                                             \
    CHECK((call) == (code_wanted));                                \
    CHECK(bloomery_last_error()->code == (code_wanted));           \
    CHECK(strstr(bloomery_last_error()->message, (word)) != NULL); \
  } while (0)

// Returns the name of a file in the folder that the test was given.
static inline const char* path_of(const char* folder, const char* name) {
  static char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

static inline bloomery_filter* filter_of(uint32_t type, uint64_t capacity, double fpp) {
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.type = type;
  options.capacity = capacity;
  options.fpp = fpp;
  if (type == BLOOMERY_WINDOWED) {
    options.capacity = 0;
    options.window_kind = BLOOMERY_WINDOW_KEYS;
    options.window_length = capacity;
  }
  bloomery_filter* filter = NULL;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  return filter;
}

#endif
