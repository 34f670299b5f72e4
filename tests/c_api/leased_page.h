// A leased file that a test of the C interface writes by itself, as docs/formats/leased-file.md describes it.
#pragma once

#include <time.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/c_api/check.h"

enum {
  kPageBytes = 4096,
  kBootAt = 16,
  kGenerationAt = 32,
  kDeadlineAt = 40,
  kBoundAt = 48,
  kPositionAt = 56
};
static const uint64_t kSecond = 1000000000;

static const char* folder;
static unsigned char* page;
static char page_path[4096];

static uint64_t now_ns(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
  return (uint64_t)now.tv_sec * kSecond + (uint64_t)now.tv_nsec;
}

static void set(size_t offset, uint64_t number) {
  memcpy(page + offset, &number, sizeof(number));
}
static void renew(void) {
  set(kDeadlineAt, now_ns() + 60 * kSecond);
}

static void set_boot(void) {
  FILE* file = fopen("/proc/sys/kernel/random/boot_id", "r");
  CHECK(file != NULL);
  for (int i = 0; i < 16; ++i) {
    unsigned byte = 0;
    CHECK(fscanf(file, "%2x-", &byte) == 1 || fscanf(file, "%2x", &byte) == 1);
    page[kBootAt + i] = (unsigned char)byte;
  }
  fclose(file);
}

// Makes a page without a filter, with the bound 60 s and no lease.
static void make_page(const char* name) {
  snprintf(page_path, sizeof(page_path), "%s/%s", folder, name);
  const int file = open(page_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file >= 0 && ftruncate(file, kPageBytes) == 0);
  page = mmap(NULL, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(page != MAP_FAILED && close(file) == 0);
  const uint32_t version = 1;
  const uint32_t bytes = kPageBytes;
  memcpy(page, "BLMYLEAS", 8);
  memcpy(page + 8, &version, 4);
  memcpy(page + 12, &bytes, 4);
  set_boot();
  set(kBoundAt, 60 * kSecond);
}

// Makes the filter of a generation, with one key of some parts, and names it in the page.
static void put_filter(uint64_t generation, const bloomery_key_rule* rule, const uint8_t* secret,
                       const char* const* texts, size_t parts) {
  bloomery_filter_options options = BLOOMERY_FILTER_OPTIONS_INIT;
  options.capacity = 1000;
  options.fpp = 1e-6;
  options.secret = secret;
  options.hash = secret == NULL ? BLOOMERY_HASH_XXH3 : 0;
  if (rule != NULL) {
    options.keys = *rule;
  }
  bloomery_filter* filter = NULL;
  CHECK_OK(bloomery_filter_make(&options, &filter));
  const size_t lengths[] = {strlen(texts[0]), parts > 1 ? strlen(texts[1]) : 0};
  CHECK_OK(bloomery_filter_insert_text(filter, texts, lengths, parts));
  char path[4200];
  snprintf(path, sizeof(path), "%s.%d", page_path, (int)generation);
  CHECK_OK(bloomery_filter_save(filter, path, 1));
  CHECK_OK(bloomery_filter_close(filter));
  set(kDeadlineAt, 0);
  set(kGenerationAt, generation);
}
