// The dialect of com.google.common.hash.BloomFilter, as its writeTo() writes it.
//
//   0         1    2           6                      6 + 8 W
//   +---------+----+-----------+----------------------+- - - - - - - - -
//   |strategy | k  |  W (i32)  |  W words of 64 bits  |  other data       big-endian
//   +---------+----+-----------+----------------------+- - - - - - - - -
//
// create() makes strategy 1 (mitz64). Guava before 19 made strategy 0 (mitz32). The file records neither n
// nor the fpp, nor the funnel, which corresponds to our key form. Bytes after the words are kept. A filter
// that Java's serialisation wrote (ac ed 00 05) is opened too: java_form.h. Source: docs/formats/guava.md.
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/choice_names.h"
#include "base/endian.h"
#include "base/message.h"
#include "codec/big_words.h"
#include "codec/dialect.h"
#include "codec/guava/guava_probes.h"
#include "codec/guava/guava_sizing.h"
#include "codec/guava/java_form.h"
#include "codec/guava/mitz64_kernel.h"
#include "codec/inserting_builder.h"
#include "codec/merge_rule.h"
#include "codec/plan.h"
#include "codec/probes.h"
#include "codec/stepped_fpp.h"

namespace bloomery {
namespace {

constexpr std::size_t kGuavaHeaderBytes = 6;

enum class Strategy : std::uint8_t { kMitz32 = 0, kMitz64 = 1 };  // the ordinal in the file

constexpr ChoiceNames<Strategy, 2> kStrategies{
    {{{Strategy::kMitz32, "mitz32"}, {Strategy::kMitz64, "mitz64"}}}};

struct GuavaHeader {
  Strategy strategy;
  std::uint32_t hash_count;
  std::uint32_t words;

  std::uint64_t bits() const { return std::uint64_t{words} * 64; }
};

Result<GuavaHeader> read_guava_header(std::span<const std::byte> file) {
  if (file.size() < kGuavaHeaderBytes) {
    return Error::corruption("guava header", file.size(), "6 bytes",
                             "the end after " + std::to_string(file.size()));
  }
  const auto strategy = std::to_integer<unsigned>(file[0]);
  if (strategy > 1) {
    return Error::unsupported("guava header", 0,
                              "strategy: expected 0 or 1, found " + std::to_string(strategy));
  }
  const auto hash_count = std::to_integer<std::uint32_t>(file[1]);
  if (hash_count == 0) {
    return Error::corrupt_field("guava header", 1, "hash count", "1 to 255", "0");
  }
  const std::uint32_t words = load_big32(file.data() + 2);
  if (words == 0 || words > 0x7fffffff) {
    return Error::corrupt_field("guava header", 2, "words", "1 to 2147483647", words);
  }
  if ((file.size() - kGuavaHeaderBytes) / 8 < words) {
    return Error::corrupt_field(
        "guava header", 2, "words",
        "at most the " + std::to_string((file.size() - kGuavaHeaderBytes) / 8) + " that the file has", words);
  }
  return GuavaHeader{.strategy = static_cast<Strategy>(strategy), .hash_count = hash_count, .words = words};
}

// The content of the file except its header and words.
struct GuavaEnvelope {
  std::string behind = {};  // the bytes after the words, unchanged
  // The class of the funnel, which Java's serialisation stores. It is empty if writeTo() wrote the file.
  // `funnel` is null if the class is not one of Guava's own.
  std::string funnel_class = {};
  const JavaFunnel* funnel = nullptr;

  bool is_java() const { return !funnel_class.empty(); }
};

std::string dialect_name(Strategy strategy, const JavaFunnel* funnel) {
  return std::string("guava:") + kStrategies.name_of(strategy) +
         (funnel != nullptr ? ",java=" + std::string(funnel->name) : "");
}

class GuavaFilter final : public DialectFilter {
 public:
  GuavaFilter(const GuavaHeader& header, WordBits bits, GuavaEnvelope envelope)
      : header_(header), scheme_(scheme_of(header)), bits_(std::move(bits)), envelope_(std::move(envelope)) {}

  std::string dialect() const override { return dialect_name(header_.strategy, envelope_.funnel); }

  std::string keys_made_by() const override {
    return envelope_.is_java() && envelope_.funnel == nullptr ? envelope_.funnel_class : std::string();
  }

  DialectFacts facts() const override {
    DialectFacts facts;
    facts.bits = bits_.size();
    facts.hash_count = header_.hash_count;
    facts.set_bits = bits_.count();
    facts.more = {
        {"strategy", header_.strategy == Strategy::kMitz32 ? "MURMUR128_MITZ_32" : "MURMUR128_MITZ_64"}};
    if (envelope_.is_java()) {
      facts.more.emplace_back("form", "Java's serialisation");
      facts.more.emplace_back("funnel", envelope_.funnel_class);
    } else if (!envelope_.behind.empty()) {
      facts.more.emplace_back("bytes behind the filter", std::to_string(envelope_.behind.size()));
    }
    return facts;
  }

  bool may_contain(std::string_view key) const override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      return mitz64_.may_contain(bits_, *mitz64, key);
    }
    return probes::may_contain(bits_, std::get<Mitz32>(scheme_), key);
  }
  void may_contain_batch(std::span<const std::string_view> keys,
                         std::span<std::uint64_t> answers) const override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      mitz64_.may_contain_batch(bits_, *mitz64, keys, answers);
    } else {
      probes::may_contain_batch(bits_, std::get<Mitz32>(scheme_), keys, answers);
    }
  }
  Result<bool> insert(std::string_view key) override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      return mitz64_.insert(bits_, *mitz64, key);
    }
    return probes::insert(bits_, std::get<Mitz32>(scheme_), key);
  }
  Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys) override {
    if (const auto* const mitz64 = std::get_if<Mitz64>(&scheme_)) {
      return mitz64_.insert_batch(bits_, *mitz64, keys);
    }
    return probes::insert_batch(bits_, std::get<Mitz32>(scheme_), keys);
  }

  Status merge(const DialectFilter& other) override;
  double current_fpp() const override {
    return std::visit([&](const auto& scheme) { return stepped_fpp(bits_, scheme); }, scheme_);
  }
  Result<double> estimated_count() const override;
  Status write(const Sink& sink) const override;

 private:
  using Scheme = std::variant<Mitz32, Mitz64>;

  static Scheme scheme_of(const GuavaHeader& header) {
    return header.strategy == Strategy::kMitz32 ? Scheme(Mitz32(header.bits(), header.hash_count))
                                                : Scheme(Mitz64(header.bits(), header.hash_count));
  }

  GuavaHeader header_;
  Scheme scheme_;
  const Mitz64Kernel& mitz64_ = chosen_mitz64_kernel();
  WordBits bits_;
  GuavaEnvelope envelope_;
};

// Requires equal hash counts, sizes and strategies, as Guava's putAll() does, and equal funnels if both
// files name one.
Status GuavaFilter::merge(const DialectFilter& other) {
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaFilter* const guava, same_dialect(*this, other));
  Differences differences;
  differences.compare("hash count", header_.hash_count, guava->header_.hash_count);
  differences.compare("bits", bits_.size(), guava->bits_.size());
  differences.compare("strategy", static_cast<int>(header_.strategy),
                      static_cast<int>(guava->header_.strategy));
  BLOOMERY_RETURN_IF_ERROR(differences.status());
  if (envelope_.is_java() && guava->envelope_.is_java() && envelope_.behind != guava->envelope_.behind) {
    return Error::invalid_argument(
        "merge", "funnel: expected " + envelope_.funnel_class + ", found " + guava->envelope_.funnel_class +
                     (envelope_.funnel_class == guava->envelope_.funnel_class ? " with other fields" : ""));
  }
  bits_.unite(guava->bits_);
  return {};
}

// Computes Guava's approximateElementCount().
Result<double> GuavaFilter::estimated_count() const {
  const std::uint64_t set_bits = bits_.count();
  if (set_bits == bits_.size()) {
    return Error::capacity("guava", "every bit is set: the number of keys cannot be told");
  }
  const auto bits = static_cast<double>(bits_.size());
  const double fill = static_cast<double>(set_bits) / bits;
  return std::floor(-std::log1p(-fill) * bits / header_.hash_count + 0.5);
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Status GuavaFilter::write(const Sink& sink) const {
  if (envelope_.is_java()) {
    BLOOMERY_RETURN_IF_ERROR(sink(bytes_of(guava_java_front(header_.hash_count, header_.words))));
  } else {
    std::array<std::byte, kGuavaHeaderBytes> header;
    header[0] = static_cast<std::byte>(header_.strategy);
    header[1] = static_cast<std::byte>(header_.hash_count);
    store_big(header.data() + 2, header_.words);
    BLOOMERY_RETURN_IF_ERROR(sink(header));
  }
  BLOOMERY_RETURN_IF_ERROR(write_big_words(bits_, sink));
  return envelope_.behind.empty() ? Status() : sink(bytes_of(envelope_.behind));
}

struct GuavaOptions {
  std::optional<Strategy> strategy;
  GuavaHashCountRule rule = GuavaHashCountRule::kFromFpp;
  const JavaFunnel* funnel = nullptr;
};

Result<GuavaOptions> read_guava_options(std::string_view option) {
  constexpr std::string_view kJava = "java=";
  GuavaOptions options;
  for (const std::string_view word : option_words(option)) {
    if (const auto strategy = kStrategies.find(word)) {
      if (options.strategy.value_or(*strategy) != *strategy) {
        return unknown_option("guava", "one of mitz32 and mitz64", option);
      }
      options.strategy = *strategy;
    } else if (word == "k-old") {
      options.rule = GuavaHashCountRule::kFromBits;
    } else if (word.starts_with(kJava)) {
      options.funnel = java_funnel(word.substr(kJava.size()));
      if (options.funnel == nullptr) {
        return unknown_option("guava", "java= and one of bytes, int, long, text and utf16", word);
      }
    } else {
      return unknown_option("guava", "mitz32, mitz64, k-old or java=FUNNEL", word);
    }
  }
  return options;
}

// Returns the funnel that an option names; null for none.
const JavaFunnel* funnel_of(std::string_view option) {
  const Result<GuavaOptions> options = read_guava_options(option);
  return options ? options->funnel : nullptr;
}

std::optional<KeyForm> recorded_form_of_guava(std::string_view option) {
  const JavaFunnel* const funnel = funnel_of(option);
  return funnel == nullptr ? std::nullopt : std::optional(funnel->form);
}

// Returns true for forms that hash the key's bytes unchanged, so that they are interchangeable.
bool is_of_bytes(KeyForm form) {
  return form == KeyForm::kText || form == KeyForm::kHex || form == KeyForm::kUrl;
}

// The form hex agrees with every funnel, because it is the bytes that are hashed.
Status check_form_of_guava(std::string_view option, KeyForm form) {
  const JavaFunnel* const funnel = funnel_of(option);
  if (funnel == nullptr || form == KeyForm::kHex || form == funnel->form ||
      (is_of_bytes(form) && is_of_bytes(funnel->form))) {
    return {};
  }
  return Error::invalid_argument(
      "key form", message("expected ", key_form_name(funnel->form), ", since the filter is of ",
                          funnel->class_name, ", found ", key_form_name(form)));
}

// A file of either form, without its words.
struct GuavaFile {
  GuavaHeader header;
  std::size_t words_at;
  GuavaEnvelope envelope;
};

Result<GuavaFile> read_java_file(std::span<const std::byte> file) {
  BLOOMERY_ASSIGN_OR_RETURN(GuavaJavaForm java, read_guava_java(file));
  return GuavaFile{.header = {.strategy = java.is_mitz64 ? Strategy::kMitz64 : Strategy::kMitz32,
                              .hash_count = java.hash_count,
                              .words = java.words},
                   .words_at = kGuavaJavaWordsAt,
                   .envelope = {.behind = std::move(java.rear),
                                .funnel_class = std::move(java.funnel_class),
                                .funnel = java.funnel}};
}

Result<GuavaFile> read_file(std::span<const std::byte> file) {
  if (begins_as_java_stream(file)) {
    return read_java_file(file);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaHeader header, read_guava_header(file));
  const auto behind = file.subspan(kGuavaHeaderBytes + header.bits() / 8);
  return GuavaFile{
      .header = header,
      .words_at = kGuavaHeaderBytes,
      .envelope = {.behind = std::string(reinterpret_cast<const char*>(behind.data()), behind.size())}};
}

RecognisedDialect recognise_guava(std::span<const std::byte> file) {
  const RecognisedDialect no{.name = "guava", .recognition = Recognition::kNo};
  const Result<GuavaFile> read = read_file(file);
  if (!read) {
    // No other file begins with these bytes. Opening it reports the damage.
    return begins_as_guava_java(file)
               ? RecognisedDialect{.name = "guava", .recognition = Recognition::kCertain}
               : no;
  }
  const bool is_java = read->envelope.is_java();
  if (!is_java && !read->envelope.behind.empty()) {
    return no;
  }
  // A Java stream names Guava's class, so it is certain. The form of writeTo() has no magic number.
  return {.name = dialect_name(read->header.strategy, read->envelope.funnel),
          .recognition = is_java ? Recognition::kCertain : Recognition::kMaybe};
}

Status check_guava_file(const GuavaOptions& options, const GuavaFile& file) {
  if (options.strategy && *options.strategy != file.header.strategy) {
    return Error::invalid_argument(
        "guava header", std::string("strategy: expected ") + kStrategies.name_of(*options.strategy) +
                            " as named, found " + kStrategies.name_of(file.header.strategy));
  }
  if (options.funnel != nullptr && options.funnel != file.envelope.funnel) {
    return Error::invalid_argument(
        "guava filter", "funnel: expected " + std::string(options.funnel->class_name) + " as named, found " +
                            (file.envelope.is_java() ? file.envelope.funnel_class
                                                     : "what writeTo() writes, which names none"));
  }
  return {};
}

// Returns true if the bytes may begin with a filter, in either form.
bool begins_guava(std::span<const std::byte> bytes) {
  return read_guava_header(bytes).has_value() || begins_as_guava_java(bytes);
}

Result<std::unique_ptr<DialectFilter>> open_guava(const DialectSource& source, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaOptions options, read_guava_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(GuavaFile file, read_file(source.bytes));
  BLOOMERY_RETURN_IF_ERROR(check_guava_file(options, file));
  if (!file.envelope.is_java()) {
    const std::size_t end = file.words_at + file.header.bits() / 8;
    BLOOMERY_RETURN_IF_ERROR(
        source.check_is_alone("guava filter", end, begins_guava(source.bytes.subspan(end))));
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto charged, source.charged("guava filter", source.bytes.size()));
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits,
                            read_big_words(source.bytes.data() + file.words_at, file.header.words));
  std::unique_ptr<DialectFilter> filter =
      std::make_unique<GuavaFilter>(file.header, std::move(bits), std::move(file.envelope));
  filter->hold(std::move(charged));
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build_guava(const DialectPlan& plan, std::string_view option) {
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaOptions options, read_guava_options(option));
  BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
  BLOOMERY_ASSIGN_OR_RETURN(const GuavaShape shape, guava_shape(plan.capacity, fpp, options.rule));
  const GuavaHeader header{.strategy = options.strategy.value_or(Strategy::kMitz64),
                           .hash_count = shape.hash_count,
                           .words = shape.words};
  GuavaEnvelope envelope;
  if (options.funnel != nullptr) {
    envelope = {.behind = guava_java_rear(*options.funnel, header.strategy == Strategy::kMitz64),
                .funnel_class = std::string(options.funnel->class_name),
                .funnel = options.funnel};
  }
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(header.bits()));
  return inserting_builder(std::make_unique<GuavaFilter>(header, std::move(bits), std::move(envelope)));
}

}  // namespace

Dialect guava_dialect() {
  return {.description = {.name = "guava",
                          .options = "mitz32|mitz64, k-old, java=FUNNEL",
                          .summary = "Guava's BloomFilter: writeTo(), or Java's serialisation",
                          .sized_by = SizedBy::kCapacity,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise_guava,
          .open = open_guava,
          .build = build_guava,
          .magic = {kJavaStreamBegin, "an object of Java's serialisation"},
          .recorded_form = recorded_form_of_guava,
          .check_form = check_form_of_guava};
}

}  // namespace bloomery
