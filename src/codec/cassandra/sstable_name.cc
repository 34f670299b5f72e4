#include "codec/cassandra/sstable_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include "hash/ascii_text.h"

namespace bloomery {
namespace {

bool is_lower(char character) {
  return character >= 'a' && character <= 'z';
}
bool is_word(char character) {
  return is_lower(character) || is_ascii_digit(character) || (character >= 'A' && character <= 'Z') ||
         character == '_';
}

bool is_version(std::string_view text) {
  return text.size() == 2 && std::ranges::all_of(text, is_lower);
}
bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_ascii_digit);
}
bool is_id(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_word);
}
bool is_temporary_mark(std::string_view text) {
  return text == "tmp" || text == "tmplink";
}

// Splits a name at its hyphens. The component, which comes last, may contain hyphens of its own.
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> pieces;
  for (std::size_t hyphen = name.find('-'); hyphen != std::string_view::npos && pieces.size() < 5;
       hyphen = name.find('-')) {
    pieces.push_back(name.substr(0, hyphen));
    name.remove_prefix(hyphen + 1);
  }
  pieces.push_back(name);
  return pieces;
}

// Returns the fields if version, id and format begin at index `at` and something follows them.
std::optional<SSTableName> newer_name(std::string_view name, std::span<const std::string_view> pieces,
                                      std::size_t at) {
  if (pieces.size() < at + 4 || !is_version(pieces[at]) || !is_id(pieces[at + 1]) ||
      (pieces[at + 2] != "big" && pieces[at + 2] != "bti")) {
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(pieces[at + 3].data() - name.data());
  return SSTableName{.prefix = std::string(name.substr(0, length)),
                     .version = std::string(pieces[at]),
                     .component = std::string(name.substr(length))};
}

std::optional<SSTableName> older_name(std::string_view name, std::span<const std::string_view> pieces) {
  if (pieces.size() < 5) {
    return std::nullopt;
  }
  const bool temporary = is_temporary_mark(pieces[2]);
  const std::size_t at = temporary ? 3 : 2;
  if (pieces.size() < at + 3 || !is_id(pieces[0]) || pieces[1].empty() || !is_version(pieces[at]) ||
      !is_number(pieces[at + 1])) {
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(pieces[at + 2].data() - name.data());
  return SSTableName{.prefix = std::string(name.substr(0, length)),
                     .version = std::string(pieces[at]),
                     .component = std::string(name.substr(length)),
                     .is_temporary = temporary};
}

constexpr std::array<std::string_view, 19> kVersions = {"ia", "ib", "ic", "ja", "jb", "ka", "la",
                                                        "lb", "ma", "mb", "mc", "md", "me", "mf",
                                                        "na", "nb", "nc", "oa", "da"};

}  // namespace

std::optional<SSTableName> parse_sstable_name(std::string_view name) {
  const std::vector<std::string_view> pieces = pieces_of(name);
  const bool temporary = is_temporary_mark(pieces.front());
  std::optional<SSTableName> parsed = newer_name(name, pieces, temporary ? 1 : 0);
  if (parsed) {
    parsed->is_temporary = temporary;
  } else {
    parsed = older_name(name, pieces);
  }
  return parsed && !parsed->component.empty() ? parsed : std::nullopt;
}

std::optional<SSTableName> sstable_name_of(std::string_view path) {
  return parse_sstable_name(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

Status check_sstable_version(const std::string& path, std::string_view version) {
  const std::optional<SSTableName> name = sstable_name_of(path);
  if (!name || name->version == version) {
    return {};
  }
  return Error::invalid_argument(path, "version: expected " + std::string(version) +
                                           ", as the filter has its bits, found " + name->version +
                                           " in the name of the file");
}

Result<CassandraLayout> cassandra_layout(std::string_view version) {
  if (std::ranges::find(kVersions, version) == kVersions.end()) {
    return Error(ErrorCode::kUnsupported, "cassandra",
                 "sstable version: expected ia to nc, oa or da, found '" + std::string(version) +
                     "', whose bits may lie elsewhere");
  }
  const bool is_bti = version == "da";  // the versions of the bti format start anew at da
  return CassandraLayout{.version = std::string(version),
                         .order = !is_bti && version < "ma" ? CassandraProbeOrder::kFirstHalfFirst
                                                            : CassandraProbeOrder::kSecondHalfFirst,
                         .big_endian_words = !is_bti && version < "na",
                         .has_metadata = is_bti || version >= "ka",
                         .has_header = is_bti || version >= "ma",
                         .has_metadata_crc = is_bti || version >= "na",
                         .has_vints = is_bti || version >= "ma"};
}

}  // namespace bloomery
