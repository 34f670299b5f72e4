// Leased files from C: leased_test FOLDER. A no is answered only while the lease is valid, and never after an error.
#include <pthread.h>

#include "tests/c_api/check.h"
#include "tests/c_api/leased_page.h"

static bloomery_leased *open_page(void) {
  bloomery_leased *leased = NULL;
  CHECK_OK(bloomery_leased_open(page_path, NULL, &leased));
  return leased;
}

static int answer(const bloomery_leased *leased, const char *text) {
  return bloomery_leased_answer(leased, text, strlen(text));
}

static void answers_follow_the_lease(void) {
  make_page("keys.leased");
  bloomery_leased *leased = open_page();
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE);
  renew();
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE); // no filter yet
  const char *in = "in";
  put_filter(1, NULL, NULL, &in, 1);
  set(kPositionAt, 77);
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE);
  renew();
  CHECK(answer(leased, "in") == BLOOMERY_ANSWER_MAYBE);
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO);
  CHECK(bloomery_leased_answer(leased, NULL, 0) == BLOOMERY_ANSWER_NO);

  bloomery_lease_state state = {.size = sizeof(state)};
  CHECK_OK(bloomery_leased_state(leased, &state));
  CHECK(state.holds == 1 && state.generation == 1 && state.position == 77);
  CHECK(state.remaining_ns > 0 && state.remaining_ns <= 60 * kSecond && state.complete_at_ns <= now_ns());

  set(kDeadlineAt, now_ns() - 1); // the lease is over
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE && answer(leased, "in") == BLOOMERY_ANSWER_NO_LEASE);
  CHECK_OK(bloomery_leased_state(leased, &state));
  CHECK(state.holds == 0 && state.remaining_ns == 0);

  set(kDeadlineAt, now_ns() + 3600 * kSecond); // further ahead than the bound: damage
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE);
  renew();
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO);
  page[kBootAt] ^= 1; // written before the machine was booted
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE);
  page[kBootAt] ^= 1;

  put_filter(2, NULL, NULL, &in, 1); // a rebuild whose file is damaged
  CHECK(truncate(path_of(folder, "keys.leased.2"), 100) == 0);
  renew();
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO_LEASE);
  CHECK_OK(bloomery_leased_close(leased));
}

static void batches(void) {
  make_page("batch.leased");
  const char *in = "in";
  put_filter(1, NULL, NULL, &in, 1);
  bloomery_leased *leased = open_page();
  const uint64_t offsets[] = {0, 2, 5, 5};
  bloomery_keys texts = BLOOMERY_KEYS_INIT;
  texts.data = "inout";
  texts.offsets = offsets;
  texts.count = 3;
  uint8_t answers[4] = {0, 0, 0, 9};
  CHECK_OK(bloomery_leased_answer_batch(leased, &texts, answers, 4));
  CHECK(answers[0] == BLOOMERY_ANSWER_NO_LEASE && answers[2] == BLOOMERY_ANSWER_NO_LEASE && answers[3] == 9);
  renew();
  CHECK_OK(bloomery_leased_answer_batch(leased, &texts, answers, 3));
  CHECK(answers[0] == BLOOMERY_ANSWER_MAYBE && answers[1] == BLOOMERY_ANSWER_NO && answers[2] == BLOOMERY_ANSWER_NO);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "room for 3 answers", bloomery_leased_answer_batch(leased, &texts, answers, 2));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "room", bloomery_leased_answer_batch(leased, &texts, NULL, 3));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_answer_batch(leased, NULL, answers, 3));
  CHECK_OK(bloomery_leased_close(leased));
}

// The file's rule makes the keys; a text that is none by the rule is an error, and no answer.
static void keys_by_the_rule(void) {
  make_page("numbers.leased");
  bloomery_key_rule rule = {.size = sizeof(rule), .form = BLOOMERY_KEYS_INT64, .parts = 1};
  const char *number = "42";
  put_filter(1, &rule, NULL, &number, 1);
  renew();
  bloomery_leased *leased = open_page();
  CHECK(answer(leased, "42") == BLOOMERY_ANSWER_MAYBE && answer(leased, "43") == BLOOMERY_ANSWER_NO);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", answer(leased, "many"));
  bloomery_keys texts = BLOOMERY_KEYS_INIT;
  texts.data = "43xx44";
  texts.width = 2;
  texts.count = 3;
  uint8_t answers[3] = {0, 0, 0};
  CHECK(bloomery_leased_answer_batch(leased, &texts, answers, 3) == BLOOMERY_INVALID_ARGUMENT);
  CHECK(answers[0] == BLOOMERY_ANSWER_NO && answers[1] == BLOOMERY_ANSWER_MAYBE && answers[2] == BLOOMERY_ANSWER_MAYBE);
  CHECK_OK(bloomery_leased_close(leased));

  make_page("pairs.leased");
  rule.form = BLOOMERY_KEYS_TEXT;
  rule.parts = 2;
  const char *pair[] = {"1", "2"};
  put_filter(1, &rule, NULL, pair, 2);
  renew();
  leased = open_page();
  const size_t lengths[] = {1, 1};
  const char *other[] = {"2", "1"};
  CHECK(bloomery_leased_answer_parts(leased, pair, lengths, 2) == BLOOMERY_ANSWER_MAYBE);
  CHECK(bloomery_leased_answer_parts(leased, other, lengths, 2) == BLOOMERY_ANSWER_NO);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", answer(leased, "1"));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_answer_parts(leased, NULL, lengths, 2));
  CHECK_OK(bloomery_leased_close(leased));
}

static void secrets(void) {
  make_page("keyed.leased");
  const uint8_t secret[BLOOMERY_SECRET_BYTES] = {1, 2, 3};
  const char *in = "in";
  put_filter(1, NULL, secret, &in, 1);
  renew();
  bloomery_leased *leased = NULL;
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected the key", bloomery_leased_open(page_path, NULL, &leased));
  CHECK(leased == NULL);
  bloomery_leased_options options = BLOOMERY_LEASED_OPTIONS_INIT;
  options.secret = secret;
  CHECK_OK(bloomery_leased_open(page_path, &options, &leased));
  CHECK(answer(leased, "in") == BLOOMERY_ANSWER_MAYBE && answer(leased, "out") == BLOOMERY_ANSWER_NO);
  CHECK_OK(bloomery_leased_close(leased));
  CHECK_OK(bloomery_secret_save_new(path_of(folder, "keyed.leased.key"), secret));
  leased = open_page();
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO);
  CHECK_OK(bloomery_leased_close(leased));
  CHECK(chmod(path_of(folder, "keyed.leased.key"), 0644) == 0);
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_open(page_path, NULL, &leased));
}

static void wrong_use(void) {
  bloomery_leased *leased = NULL;
  CHECK_FAILS(BLOOMERY_NOT_FOUND, "none.leased", bloomery_leased_open(path_of(folder, "none.leased"), NULL, &leased));
  CHECK(bloomery_leased_open(path_of(folder, "batch.leased.1"), NULL, &leased) < 0); // a filter, and no page
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_open(NULL, NULL, &leased));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_open(page_path, NULL, NULL));
  bloomery_leased_options options = {.size = 3};
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "size", bloomery_leased_open(page_path, &options, &leased));

  make_page("wrong.leased");
  bloomery_filter *filter = filter_of(BLOOMERY_BLOCKED, 10, 0.1);
  bloomery_leased *bad[] = {NULL, (bloomery_leased *)filter, open_page()};
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_answer(bad[2], NULL, 1));
  CHECK_FAILS(BLOOMERY_INVALID_ARGUMENT, "expected", bloomery_leased_state(bad[2], NULL));
  CHECK_OK(bloomery_leased_close(bad[2]));
  for (size_t i = 0; i < 3; ++i) {
    const char *text = "a";
    const size_t length = 1;
    uint8_t answers[1];
    bloomery_keys keys = BLOOMERY_KEYS_INIT;
    bloomery_lease_state state = {.size = sizeof(state)};
    const char *word = "expected an open handle";
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_leased_answer(bad[i], "a", 1));
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_leased_answer_parts(bad[i], &text, &length, 1));
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_leased_answer_batch(bad[i], &keys, answers, 1));
    CHECK_FAILS(BLOOMERY_BAD_HANDLE, word, bloomery_leased_state(bad[i], &state));
    CHECK(bad[i] == NULL || bloomery_leased_close(bad[i]) == BLOOMERY_BAD_HANDLE);
  }
  CHECK_OK(bloomery_leased_close(NULL));
  CHECK_OK(bloomery_filter_close(filter));
}

// Threads share a handle while rebuilds replace the filter. The key "in" is in all of them.
static void *ask(void *shared) {
  for (int i = 0; i < 20000; ++i) {
    CHECK(answer(shared, "in") > BLOOMERY_ANSWER_NO);
  }
  return NULL;
}

static void threads(void) {
  make_page("threads.leased");
  const char *in = "in";
  put_filter(1, NULL, NULL, &in, 1);
  renew();
  bloomery_leased *leased = open_page();
  pthread_t threads[3];
  for (size_t i = 0; i < 3; ++i) {
    CHECK(pthread_create(&threads[i], NULL, ask, leased) == 0);
  }
  for (uint64_t generation = 2; generation < 6; ++generation) {
    put_filter(generation, NULL, NULL, &in, 1);
    renew();
  }
  for (size_t i = 0; i < 3; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
  CHECK(answer(leased, "out") == BLOOMERY_ANSWER_NO);
  CHECK_OK(bloomery_leased_close(leased));
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  folder = argv[1];
  answers_follow_the_lease();
  batches();
  keys_by_the_rule();
  secrets();
  wrong_use();
  threads();
  return 0;
}
