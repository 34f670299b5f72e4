#include "bloomery/hash/questions.h"

#include "bloomery/hash/domain_name.h"
#include "bloomery/hash/network.h"
#include "hash/ascii_text.h"
#include "hash/form_error.h"

namespace bloomery {
namespace {

class Asked {
 public:
  Asked(KeyWriter& writer, std::vector<std::size_t>& ends) : writer_(writer), ends_(ends) {}

  template <typename Value>
  void add(const Value& value) {
    append_key(writer_, value);
    ends_.push_back(writer_.bytes().size());
  }

 private:
  KeyWriter& writer_;
  std::vector<std::size_t>& ends_;
};

// Adds the key of each network that contains `network`, up to prefix length `most`, if its level is in
// `levels`.
void ask_holders(Asked& asked, const Network& network, unsigned most, const KeyLevels& levels) {
  for (unsigned length = 0; length <= most; ++length) {
    if (levels.has(KeyLevels::of_network(network.family, length))) {
      asked.add(network.holder(length));
    }
  }
}

Status ask_network(Asked& asked, std::string_view text, const KeyLevels& levels, HostBits host_bits) {
  BLOOMERY_ASSIGN_OR_RETURN(const Network network, parse_network(text, host_bits));
  ask_holders(asked, network, network.prefix_length, levels);
  if (is_spelled_as_ipv6(text, network)) {
    constexpr unsigned kBelowMapped = 95;
    ask_holders(asked, as_ipv6(network), kBelowMapped, levels);
  }
  return {};
}

Status ask_domain(Asked& asked, std::string_view text, const KeyLevels& levels) {
  if (is_address_literal(text)) {
    return {};
  }
  BLOOMERY_ASSIGN_OR_RETURN(const DomainName name, DomainName::parse(text));
  for (std::size_t labels = 1; labels <= name.label_count(); ++labels) {
    if (levels.has(labels)) {
      asked.add(name.suffix(labels));
    }
  }
  return {};
}

}  // namespace

Status append_questions(KeyWriter& writer, std::vector<std::size_t>& ends, std::string_view text,
                        const KeyTreatment& treatment, const KeyLevels& levels, HostBits host_bits) {
  Asked asked(writer, ends);
  const std::string_view asked_text = treatment.trim ? trimmed(text) : text;
  switch (treatment.form) {
    case KeyForm::kCidr:
      return ask_network(asked, asked_text, levels, host_bits);
    case KeyForm::kDomainSuffix:
      return ask_domain(asked, asked_text, levels);
    default:
      return Error::invalid_argument(std::string("key form ") + key_form_name(treatment.form),
                                     "expected cidr or domain-suffix, whose texts ask several questions");
  }
}

}  // namespace bloomery
