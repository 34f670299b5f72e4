// The hot paths from lines to hashes: hashing, key forms, and what dedup does with a line.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "bench/instructions/path.h"
#include "bench/instructions/workload.h"
#include "bloomery/filter/key_batches.h"
#include "bloomery/hash/key_form.h"
#include "dedup/line_pipeline.h"
#include "dedup/seen_keys.h"
#include "keys/key_hasher.h"
#include "keys/line_reader.h"

namespace bloomery::instructions {
namespace {

Counted hash_integer() {
  const auto keys = asked_integers();
  const HashSpec spec;
  return counted(keys.size(), [&] {
    std::uint64_t all = 0;
    for (const std::uint64_t key : keys) {
      all ^= hash_key(key, spec).low;
    }
    return all;
  });
}

Counted hash_string() {
  const auto texts = texts_of(asked_integers());
  const HashSpec spec;
  return counted(texts.size(), [&] {
    std::uint64_t all = 0;
    for (const std::string& text : texts) {
      all ^= hash_key(text, spec).low;
    }
    return all;
  });
}

Counted form_keys(KeyForm form, std::span<const std::string> texts) {
  const KeyTreatment treatment{.form = form};
  KeyWriter writer;
  return counted(texts.size(), [&] {
    std::uint64_t bytes = 0;
    for (const std::string& text : texts) {
      writer.clear();
      take(append_formed(writer, text, treatment));
      bytes += writer.bytes().size();
    }
    return bytes;
  });
}

Counted form_int64() {
  std::vector<std::string> texts;
  for (const std::uint64_t key : asked_integers()) {
    texts.push_back(std::to_string(static_cast<std::int64_t>(key)));
  }
  return form_keys(KeyForm::kInt64, texts);
}

Counted form_hex() {
  std::vector<std::string> texts;
  for (const std::uint64_t key : asked_integers()) {
    texts.push_back(fmt::format("{:016x}{:016x}", key, mixed(key)));  // as long as an MD5 digest
  }
  return form_keys(KeyForm::kHex, texts);
}

// What `dedup` does with a line, without its second thread: cutting, hashing, asking the set. A third of the lines are
// repeats.
Counted dedup_line() {
  std::string text;
  for (std::size_t i = 0; i < kAsked; ++i) {
    text += text_of(mixed(i % (kAsked / 3 * 2))) + '\n';
  }
  SeenHashes seen;
  KeyHasher hasher(HashSpec{}, KeyTreatment{}, KeyPlace{});
  LineReader reader(memory_source(std::as_bytes(std::span(text))), '\n');
  KeyedBatch batch;
  std::vector<std::uint64_t> fresh;
  return counted(kAsked, [&] {
    std::uint64_t lines = 0;
    while (take(reader.next(batch.lines))) {
      take(hasher.hash(batch.lines.lines, lines, batch.hashes));
      fresh.resize(answer_words(batch.hashes.size()));
      take(seen.add(batch, fresh));
      lines += batch.lines.lines.size();
    }
    return lines;
  });
}

constexpr Path kPaths[] = {
    {"hash-integer", kAny, hash_integer}, {"hash-string-20", kAny, hash_string},
    {"key-form-int64", kAny, form_int64}, {"key-form-hex-32", kAny, form_hex},
    {"dedup-line", kAny, dedup_line},
};

}  // namespace

std::span<const Path> key_paths() {
  return kPaths;
}

}  // namespace bloomery::instructions
