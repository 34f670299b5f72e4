// Writes the golden files of the dialects fuse8 and fuse16 with the library itself. README.md says how.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "binaryfusefilter.h"

static void save(const char *name, uint32_t n, const char *form, const char *bytes, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "%s_n%" PRIu32 ".%s", name, n, form);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    exit(1);
  }
}

#define WRITE(fuse)                                                                              \
  static void write_##fuse(uint64_t *keys, uint32_t n) {                                         \
    binary_##fuse##_t filter;                                                                    \
    if (!binary_##fuse##_allocate(n, &filter) || !binary_##fuse##_populate(keys, n, &filter)) {  \
      exit(1);                                                                                   \
    }                                                                                            \
    size_t size = binary_##fuse##_serialization_bytes(&filter);                                  \
    char *bytes = calloc(size, 1);                                                                  \
    binary_##fuse##_serialize(&filter, bytes);                                                   \
    save(#fuse, n, "serialised", bytes, size);                                                   \
    free(bytes);                                                                                 \
    size = binary_##fuse##_pack_bytes(&filter);                                                  \
    bytes = malloc(size);                                                                        \
    save(#fuse, n, "packed", bytes, binary_##fuse##_pack(&filter, bytes, size));                 \
    uint32_t maybe = 0;                                                                          \
    for (uint64_t i = n; i < n + 100000; i++) {                                                 \
      maybe += binary_##fuse##_contain(i * UINT64_C(0x9e3779b97f4a7c15), &filter);               \
    }                                                                                            \
    printf("%s,%" PRIu32 ",%016" PRIx64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", #fuse, n,      \
           filter.Seed, filter.SegmentLength, filter.SegmentCount, maybe);                       \
    free(bytes);                                                                                 \
    binary_##fuse##_free(&filter);                                                               \
  }
WRITE(fuse8)
WRITE(fuse16)

int main(int count, char **sizes) {
  printf("dialect,keys,seed,segment_length,segments,maybe_of_100000_absent\n");
  for (int i = 1; i < count; i++) {
    uint32_t n = (uint32_t)atol(sizes[i]);
    uint64_t *keys = malloc((n + 1) * sizeof *keys);
    for (uint64_t k = 0; k < n; k++) {
      keys[k] = k * UINT64_C(0x9e3779b97f4a7c15);
    }
    write_fuse8(keys, n);
    write_fuse16(keys, n);
    free(keys);
  }
  return 0;
}
