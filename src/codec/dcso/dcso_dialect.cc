// The dialect of DCSO's bloom tool and of files in its format, such as CIRCL's known-file filters.
// A file is raw or compressed with gzip; its first two bytes tell which. Layout: dcso_header.h.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "bloomery/filter/sizing.h"
#include "codec/dcso/dcso_header.h"
#include "codec/dcso/dcso_probes.h"
#include "codec/dialect.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/probes.h"
#include "codec/stepped_fpp.h"
#include "compress/decompress.h"
#include "compress/gzip_writer.h"

namespace bloomery {
namespace {

// The most bytes that one byte of deflate expands to: 2 bits can encode 258 bytes.
constexpr std::uint64_t kMostBytesOfOne = 1032;
// The most free data that a compressed file may unpack to. A raw file is bounded by its own size.
constexpr std::size_t kMaxUnpackedData = std::size_t{16} << 20;

enum class DcsoEnvelope { kRaw, kGzip };

class DcsoFilter final : public DialectFilter {
 public:
  DcsoFilter(const DcsoHeader& header, DcsoEnvelope envelope, WordBits bits, std::vector<std::byte> data)
      : header_(header),
        envelope_(envelope),
        probes_(header.bits, static_cast<std::uint32_t>(header.hash_count)),
        bits_(std::move(bits)),
        data_(std::move(data)) {}

  std::string dialect() const override { return envelope_ == DcsoEnvelope::kGzip ? "dcso:gz" : "dcso"; }
  DialectFacts facts() const override;

  bool may_contain(std::string_view key) const override { return probes::may_contain(bits_, probes_, key); }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    probes::may_contain_batch(bits_, probes_, keys, answers);
  }
  Result<bool> insert(std::string_view key) override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t changed, insert_batch({&key, 1}));
    return changed != 0;
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override;

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override {
    return sampled_fpp(bits_, probes_,
                       [](SampleNumbers& numbers) { return DcsoProbes::Probe{.state = numbers.next()}; });
  }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  template <typename Append>
  Status write_parts(Append append) const;
  Status check_room_in_count(std::uint64_t keys) const;

  DcsoHeader header_;
  DcsoEnvelope envelope_;
  DcsoProbes probes_;
  WordBits bits_;
  std::vector<std::byte> data_;  // free data after the words; only its writer knows its meaning
};

DialectFacts DcsoFilter::facts() const {
  DialectFacts facts;
  facts.bits = header_.bits;
  facts.hash_count = static_cast<std::uint32_t>(header_.hash_count);
  facts.set_bits = bits_.count();
  facts.capacity = header_.capacity;
  if (check_fpp(header_.fpp)) {
    facts.target_fpp = header_.fpp;
  }
  facts.inserted = header_.inserted;
  if (envelope_ == DcsoEnvelope::kGzip) {
    facts.integrity = "gzip crc32";
  }
  if (header_.flags != 1) {
    facts.more.emplace_back("flags", std::to_string(header_.flags));
  }
  if (!data_.empty()) {
    facts.more.emplace_back("data bytes", std::to_string(data_.size()));
  }
  return facts;
}

Status DcsoFilter::check_room_in_count(std::uint64_t keys) const {
  if (keys > std::numeric_limits<std::uint64_t>::max() - header_.inserted) {
    return Error::capacity("dcso", "N: expected a sum below 2^64, found " + std::to_string(header_.inserted) +
                                       " and " + std::to_string(keys) + " more");
  }
  return {};
}

// N counts the inserted keys that changed a bit.
Result<std::uint64_t> DcsoFilter::insert_batch(std::span<const std::string_view> keys) {
  BLOOMERY_RETURN_IF_ERROR(check_room_in_count(keys.size()));
  const std::uint64_t changed = probes::insert_batch(bits_, probes_, keys);
  header_.inserted += changed;
  return changed;
}

// Merges like the `join` command of DCSO's tool. This filter keeps its own flags and data.
Status DcsoFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const DcsoFilter* const dcso, same_dialect(*this, other));
  Differences differences;
  differences.compare("n", header_.capacity, dcso->header_.capacity);
  differences.compare("p", header_.fpp, dcso->header_.fpp);
  differences.compare("k", header_.hash_count, dcso->header_.hash_count);
  differences.compare("m", header_.bits, dcso->header_.bits);
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  BLOOMERY_RETURN_IF_ERROR(check_room_in_count(dcso->header_.inserted));
  bits_.unite(dcso->bits_);
  header_.inserted += dcso->header_.inserted;
  return {};
}

Result<double> DcsoFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity("dcso", "every bit is set: the number of keys cannot be told");
  }
  return estimated_key_count(
      {.bits = header_.bits, .hash_count = static_cast<std::uint32_t>(header_.hash_count)}, set_bits);
}

template <typename Append>
Status DcsoFilter::write_parts(Append append) const {
  BLOOMERY_RETURN_IF_ERROR(append(dcso_header_bytes(header_)));
  BLOOMERY_RETURN_IF_ERROR(append(std::as_bytes(bits_.words())));
  return data_.empty() ? Status() : append(data_);
}

Status DcsoFilter::write(const Sink& sink) const {
  if (envelope_ == DcsoEnvelope::kRaw) {
    return write_parts(sink);
  }
  BLOOMERY_ASSIGN_OR_RETURN(GzipWriter writer, GzipWriter::create(sink));
  BLOOMERY_RETURN_IF_ERROR(
      write_parts([&writer](std::span<const std::byte> bytes) { return writer.append(bytes); }));
  return writer.finish();
}

// Returns the envelope that the option names, or `otherwise` if it names none.
Result<DcsoEnvelope> read_option(std::string_view option, DcsoEnvelope otherwise) {
  const std::vector<std::string_view> words = option_words(option);
  for (const std::string_view word : words) {
    if (word != "gz") {
      return unknown_option("dcso", "gz", word);
    }
  }
  return words.empty() ? otherwise : DcsoEnvelope::kGzip;
}

DcsoEnvelope envelope_of(std::span<const std::byte> file) {
  const bool gzip = file.size() >= 2 && file[0] == std::byte{0x1f} && file[1] == std::byte{0x8b};
  return gzip ? DcsoEnvelope::kGzip : DcsoEnvelope::kRaw;
}

// Returns a source of the file's bytes that decompresses gzip while it is read.
Result<std::unique_ptr<ByteSource>> unpacked(std::span<const std::byte> file, DcsoEnvelope envelope) {
  std::unique_ptr<ByteSource> source = memory_source(file);
  return envelope == DcsoEnvelope::kGzip ? decompressed(std::move(source), "dcso") : std::move(source);
}

Result<DcsoHeader> read_dcso_header(ByteSource& source) {
  std::array<std::byte, DcsoHeader::kBytes> bytes;
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, read_fully(source, bytes));
  if (count < bytes.size()) {
    return Error::corruption("dcso header", count, "48 bytes", "the end after " + std::to_string(count));
  }
  return parse_dcso_header(bytes);
}

// Checks that a file of `file_bytes` can hold the words that the header declares.
Status check_words(const DcsoHeader& header, std::uint64_t file_bytes, DcsoEnvelope envelope) {
  const std::uint64_t most =
      envelope == DcsoEnvelope::kRaw ? file_bytes - DcsoHeader::kBytes : file_bytes * kMostBytesOfOne;
  if (WordBits::word_count(header.bits) > most / 8) {
    return Error::corrupt_field("dcso header", 32, "m",
                                "at most the " + std::to_string(most / 8) + " words that the file can have",
                                std::to_string(header.bits) + " bits");
  }
  return {};
}

Result<std::vector<std::byte>> read_data(ByteSource& source, std::size_t most) {
  std::vector<std::byte> data;
  std::array<std::byte, 4096> piece;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, read_fully(source, piece));
    if (count > most - data.size()) {
      return Error::capacity("dcso data", "expected at most " + std::to_string(most) + " bytes, found more");
    }
    data.insert(data.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    if (count < piece.size()) {
      return data;
    }
  }
}

// Returns true if the free data begins with another filter. The keys of that filter would be false
// negatives.
bool begins_dcso(std::span<const std::byte> data) {
  if (data.size() < DcsoHeader::kBytes) {
    return false;
  }
  const Result<DcsoHeader> header = parse_dcso_header(data.first<DcsoHeader::kBytes>());
  return header && header->has_computed_sizes() && check_words(*header, data.size(), DcsoEnvelope::kRaw);
}

// The result is certain if the header has the sizes that DCSO computes: then k and m follow from n and p.
RecognisedDialect recognise_dcso(std::span<const std::byte> file) {
  const DcsoEnvelope envelope = envelope_of(file);
  RecognisedDialect no{.name = "dcso", .recognition = Recognition::kNo};
  const Result<std::unique_ptr<ByteSource>> source = unpacked(file, envelope);
  if (!source) {
    return no;
  }
  const Result<DcsoHeader> header = read_dcso_header(**source);
  if (!header || !check_words(*header, file.size(), envelope)) {
    return no;
  }
  return {.name = envelope == DcsoEnvelope::kGzip ? "dcso:gz" : "dcso",
          .recognition = header->has_computed_sizes() ? Recognition::kCertain : Recognition::kMaybe};
}

Result<std::unique_ptr<DialectFilter>> open_dcso(const DialectSource& source, std::string_view option) {
  const DcsoEnvelope envelope = envelope_of(source.bytes);
  BLOOMERY_ASSIGN_OR_RETURN(const DcsoEnvelope named, read_option(option, envelope));
  if (named != envelope) {
    return Error::invalid_argument("dcso",
                                   "expected gzip as named, found a file that does not begin with it");
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, unpacked(source.bytes, envelope));
  BLOOMERY_ASSIGN_OR_RETURN(const DcsoHeader header, read_dcso_header(*bytes));
  BLOOMERY_RETURN_IF_ERROR(check_words(header, source.bytes.size(), envelope));
  if (const std::string contradiction = header.contradiction(); !contradiction.empty()) {
    BLOOMERY_RETURN_IF_ERROR(source.doubted("dcso header", contradiction));
  }
  const std::size_t most = envelope == DcsoEnvelope::kRaw ? source.bytes.size() : kMaxUnpackedData;
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("dcso words", header.bits / 8 + 2 * most));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits));
  const std::span<std::byte> words = std::as_writable_bytes(bits.words());
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, read_fully(*bytes, words));
  if (count < words.size()) {
    return Error::corruption("dcso words", DcsoHeader::kBytes + count,
                             std::to_string(words.size()) + " bytes",
                             "the end after " + std::to_string(count));
  }
  BLOOMERY_ASSIGN_OR_RETURN(std::vector<std::byte> data, read_data(*bytes, most));
  if (source.doubt == Doubt::kRefuse && begins_dcso(data)) {
    return Error::unsupported(
        "dcso data", DcsoHeader::kBytes + words.size(),
        "expected one filter, found another one behind it: give each a file of its own (the "
        "option `forced` asks the first one alone)");
  }
  std::unique_ptr<DialectFilter> filter =
      std::make_unique<DcsoFilter>(header, envelope, std::move(bits), std::move(data));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_dcso(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const DcsoEnvelope envelope, read_option(option, DcsoEnvelope::kRaw));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const DcsoHeader header, dcso_header_for(plan.capacity, fpp));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits));
  return inserting_builder(
      std::make_unique<DcsoFilter>(header, envelope, std::move(bits), std::vector<std::byte>()));
}

}  // namespace

Dialect dcso_dialect() {
  return {.description = {.name = "dcso",
                          .options = "gz",
                          .summary = "DCSO's bloom tool, known-file filters",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_dcso,
          .open = open_dcso,
          .build = build_dcso,
          .magic = {"\x1f\x8b\x08", "gzip"}};
}

}  // namespace bloomery
