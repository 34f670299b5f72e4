// Lines, fields and key forms made of anything: what cuts and converts text never crashes, cutting loses no byte, and an
// entry of a block list finds itself.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "keys/block_list_keys.h"
#include "keys/field_list.h"
#include "keys/key_hasher.h"
#include "keys/line_reader.h"

namespace {

using namespace bloomery;

class TextSource final : public ByteSource {
 public:
  TextSource(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}
  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = text_.copy(reinterpret_cast<char*>(out.data()), std::min(out.size(), piece_));
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

void cut_lines(std::string_view text, std::size_t piece, const KeyTreatment& treatment,
               const FieldList& fields) {
  LineReader reader(std::make_unique<TextSource>(text, piece), '\n');
  KeyHasher hasher({}, treatment, {.fields = fields, .delimiter = ',', .crlf = piece % 2 == 0});
  LineBatch batch;
  std::vector<Hash128> hashes;
  std::string joined;
  for (;;) {
    const Result<bool> more = reader.next(batch);
    if (!more || !*more) {
      break;
    }
    (void)hasher.hash(batch.lines, 1, hashes).has_value();
    for (const std::string_view line : batch.lines) {
      joined.append(line);
      joined += '\n';
    }
  }
  if (!text.empty() && text.back() != '\n') {
    joined.pop_back();
  }
  if (joined != text) {
    std::abort();
  }
}

// An entry of a block list is found by its own text, with the level that its key has.
void find_itself(std::string_view text, const KeyTreatment& treatment) {
  BlockListKeys keys(treatment, {}, KeyPurpose::kName);
  KeyWriter entry;
  if (!keys.append_entry(entry, text)) {
    return;
  }
  KeyLevels levels;
  if (const auto level = KeyLevels::of_key(treatment.form, entry.bytes())) {
    levels.add(*level);
  }
  KeyWriter asked;
  std::vector<std::size_t> ends;
  if (!keys.append_questions(asked, ends, text, levels)) {
    std::abort();
  }
  bool found = false;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    found = found || std::ranges::equal(asked.bytes().subspan(begin, end - begin), entry.bytes());
    begin = end;
  }
  if (!found) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t names = data[3] % 16;
  const Result<FieldList> fields = parse_field_list(text.substr(4, names));
  KeyTreatment treatment{.form = static_cast<KeyForm>(data[0] % 9),
                         .trim = (data[1] & 1) != 0,
                         .ignore_case = (data[1] & 2) != 0,
                         .url = {.sort_query = (data[1] & 4) != 0, .drop_tracking = (data[1] & 8) != 0}};
  const bool of_one_part = fields && (!is_block_list(treatment.form) || part_count(*fields) == 1);
  const FieldList used = of_one_part ? *fields : FieldList();
  treatment.parts = part_count(used);
  if (is_block_list(treatment.form)) {
    find_itself(text.substr(4), treatment);
  }
  cut_lines(text.substr(std::min<std::size_t>(size, 4 + names)), data[2] + std::size_t{1}, treatment, used);
  return 0;
}
