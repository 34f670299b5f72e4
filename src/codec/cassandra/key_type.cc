#include "codec/cassandra/key_type.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/message.h"
#include "hash/ascii_text.h"

namespace bloomery {
namespace {

constexpr const char* kKeyTypeSubject = "cassandra key type";
constexpr std::string_view kPackage = "org.apache.cassandra.db.marshal.";
constexpr int kMostDepth = 16;
constexpr std::size_t kMostText = std::size_t{64} << 10;

struct Scalar {
  CassandraKind kind;
  std::string_view cql;
  std::string_view marshal;
};

// The first name of a kind is its display name.
constexpr std::array<Scalar, 20> kScalars = {{{CassandraKind::kAscii, "ascii", "AsciiType"},
                                              {CassandraKind::kBigint, "bigint", "LongType"},
                                              {CassandraKind::kBlob, "blob", "BytesType"},
                                              {CassandraKind::kBoolean, "boolean", "BooleanType"},
                                              {CassandraKind::kDate, "date", "SimpleDateType"},
                                              {CassandraKind::kDecimal, "decimal", "DecimalType"},
                                              {CassandraKind::kDouble, "double", "DoubleType"},
                                              {CassandraKind::kFloat, "float", "FloatType"},
                                              {CassandraKind::kInet, "inet", "InetAddressType"},
                                              {CassandraKind::kInt, "int", "Int32Type"},
                                              {CassandraKind::kSmallint, "smallint", "ShortType"},
                                              {CassandraKind::kText, "text", "UTF8Type"},
                                              {CassandraKind::kText, "varchar", "UTF8Type"},
                                              {CassandraKind::kTime, "time", "TimeType"},
                                              {CassandraKind::kTimestamp, "timestamp", "TimestampType"},
                                              {CassandraKind::kTimeuuid, "timeuuid", "TimeUUIDType"},
                                              {CassandraKind::kTinyint, "tinyint", "ByteType"},
                                              {CassandraKind::kUuid, "uuid", "UUIDType"},
                                              {CassandraKind::kUuid, "uuid", "LexicalUUIDType"},
                                              {CassandraKind::kVarint, "varint", "IntegerType"}}};

struct Container {
  CassandraKind kind;
  std::string_view cql;
  std::string_view marshal;
  std::size_t arguments;  // 0: one or more
};

constexpr std::array<Container, 4> kContainers = {{{CassandraKind::kList, "list", "ListType", 1},
                                                   {CassandraKind::kSet, "set", "SetType", 1},
                                                   {CassandraKind::kMap, "map", "MapType", 2},
                                                   {CassandraKind::kTuple, "tuple", "TupleType", 0}}};

// A name with its arguments in brackets: a syntax tree, before names are resolved.
struct Term {
  std::string name;
  bool has_arguments = false;
  std::vector<Term> arguments = {};
};

bool is_name_character(char character) {
  return character != '(' && character != ')' && character != '<' && character != '>' && character != ',';
}

// Splits a text such as a(b,c<d>),e into terms.
class TermReader {
 public:
  explicit TermReader(std::string_view text) : text_(text) {}

  Result<std::vector<Term>> read_all() {
    BLOOMERY_ASSIGN_OR_RETURN(std::vector<Term> terms, read_list(0));
    if (at_ != text_.size()) {
      return unexpected("the end");
    }
    return terms;
  }

 private:
  Result<std::vector<Term>> read_list(int depth) {
    if (depth > kMostDepth) {
      return Error::invalid_argument(
          kKeyTypeSubject, message("expected at most ", kMostDepth, " types in each other, found more"));
    }
    std::vector<Term> terms;
    do {
      BLOOMERY_ASSIGN_OR_RETURN(Term term, read_term(depth));
      terms.push_back(std::move(term));
    } while (take(','));
    return terms;
  }

  Result<Term> read_term(int depth) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) {
      ++at_;
    }
    Term term{.name = std::string(trimmed(text_.substr(begin, at_ - begin)))};
    if (term.name.empty()) {
      return unexpected("the name of a type");
    }
    for (const auto& [open, close] : {std::pair('(', ')'), std::pair('<', '>')}) {
      if (take(open)) {
        BLOOMERY_ASSIGN_OR_RETURN(term.arguments, read_list(depth + 1));
        term.has_arguments = true;
        if (!take(close)) {
          return unexpected(std::string("'") + close + "'");
        }
        while (take(' ')) {
        }
        break;
      }
    }
    return term;
  }

  bool take(char character) {
    const bool there = at_ < text_.size() && text_[at_] == character;
    at_ += there ? 1 : 0;
    return there;
  }
  Error unexpected(const std::string& expected) const {
    return Error::invalid_argument(
        kKeyTypeSubject, message("expected ", expected, " at character ", at_ + 1, " of '", text_, "'"));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Returns the name without Cassandra's package.
std::string_view class_of_term(const Term& term) {
  const std::string_view name = term.name;
  return name.starts_with(kPackage) ? name.substr(kPackage.size()) : name;
}

bool is_named(const Term& term, std::string_view cql, std::string_view marshal) {
  return class_of_term(term) == marshal || folded(term.name) == cql;
}

Error not_a_key(const Term& term) {
  return {ErrorCode::kUnsupported, kKeyTypeSubject,
          "expected a type that partition keys have here, found '" + term.name +
              "' (the bytes of such a key can be given with --key-form hex)"};
}

Result<CassandraType> type_of(const Term& term);

Result<std::vector<CassandraType>> types_of(std::span<const Term> terms) {
  std::vector<CassandraType> types;
  for (const Term& term : terms) {
    BLOOMERY_ASSIGN_OR_RETURN(CassandraType type, type_of(term));
    types.push_back(std::move(type));
  }
  return types;
}

// Decodes two hexadecimal digits per byte; returns nothing for other text.
std::optional<std::string> from_hex(std::string_view digits) {
  std::string text;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]);
    const int low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    text += static_cast<char>(high * 16 + low);
  }
  return digits.size() % 2 == 0 ? std::optional(text) : std::nullopt;
}

// Parses UserType(keyspace,name,field:type,...), in which the names of the type and of its
// fields are hexadecimal.
Result<CassandraType> user_type_of(const Term& term) {
  if (term.arguments.size() < 3) {
    return Error::invalid_argument(kKeyTypeSubject,
                                   "UserType: expected a keyspace, a name and fields, found fewer");
  }
  CassandraType type{.kind = CassandraKind::kUserType};
  for (std::size_t i = 2; i < term.arguments.size(); ++i) {
    Term field = term.arguments[i];
    const std::size_t colon = field.name.find(':');
    const std::optional<std::string> name = from_hex(std::string_view(field.name).substr(0, colon));
    if (colon == std::string::npos || !name) {
      return Error::invalid_argument(kKeyTypeSubject,
                                     "UserType: expected a field as HEX:TYPE, found '" + field.name + "'");
    }
    field.name.erase(0, colon + 1);
    BLOOMERY_ASSIGN_OR_RETURN(CassandraType argument, type_of(field));
    type.arguments.push_back(std::move(argument));
    type.fields.push_back(*name);
  }
  return type;
}

Result<CassandraType> type_of(const Term& term) {
  if (is_named(term, "frozen", "FrozenType") && term.arguments.size() == 1) {
    return type_of(term.arguments.front());
  }
  if (class_of_term(term) == "UserType") {
    return user_type_of(term);
  }
  for (const Container& container : kContainers) {
    if (!is_named(term, container.cql, container.marshal)) {
      continue;
    }
    if (term.arguments.empty() ||
        (container.arguments != 0 && term.arguments.size() != container.arguments)) {
      return Error::invalid_argument(
          kKeyTypeSubject,
          message(
              container.cql, ": expected ", std::max<std::size_t>(container.arguments, 1),
              container.arguments == 0 ? " or more types in brackets, found " : " types in brackets, found ",
              term.arguments.size()));
    }
    BLOOMERY_ASSIGN_OR_RETURN(std::vector<CassandraType> arguments, types_of(term.arguments));
    return CassandraType{.kind = container.kind, .arguments = std::move(arguments)};
  }
  const auto scalar = std::ranges::find_if(
      kScalars, [&term](const Scalar& known) { return is_named(term, known.cql, known.marshal); });
  if (scalar == kScalars.end() || term.has_arguments) {
    return not_a_key(term);
  }
  return CassandraType{.kind = scalar->kind};
}

std::string joined_types(std::span<const CassandraType> types) {
  std::string text;
  for (const CassandraType& type : types) {
    text += (text.empty() ? "" : ", ") + describe(type);
  }
  return text;
}

}  // namespace

Result<CassandraKeyType> parse_cassandra_key_type(std::string_view text) {
  if (text.size() > kMostText) {
    return Error::invalid_argument(kKeyTypeSubject,
                                   message("expected at most ", kMostText, " bytes, found ", text.size()));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::vector<Term> terms, TermReader(text).read_all());
  CassandraKeyType type;
  const bool is_composite_class = terms.size() == 1 && class_of_term(terms.front()) == "CompositeType";
  type.composite = is_composite_class || terms.size() > 1;
  BLOOMERY_ASSIGN_OR_RETURN(type.columns, types_of(is_composite_class ? terms.front().arguments : terms));
  if (type.columns.empty()) {
    return Error::invalid_argument(kKeyTypeSubject, "CompositeType: expected types in brackets, found none");
  }
  return type;
}

std::string describe(const CassandraType& type) {
  if (type.kind == CassandraKind::kUserType) {
    std::string text;
    for (std::size_t i = 0; i < type.arguments.size(); ++i) {
      text += (i == 0 ? "" : ", ") + type.fields[i] + ": " + describe(type.arguments[i]);
    }
    return "udt<" + text + ">";
  }
  for (const Container& container : kContainers) {
    if (container.kind == type.kind) {
      return std::string(container.cql) + "<" + joined_types(type.arguments) + ">";
    }
  }
  return std::string(std::ranges::find(kScalars, type.kind, &Scalar::kind)->cql);
}

std::string describe(const CassandraKeyType& type) {
  return joined_types(type.columns);
}

}  // namespace bloomery
