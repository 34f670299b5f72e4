#include "wal/log_header.h"

#include <array>
#include <limits>
#include <span>

#include "base/endian.h"
#include "base/message.h"
#include "base/varint.h"
#include "hfile/compression.h"
#include "hfile/protobuf_reader.h"
#include "hfile/protobuf_writer.h"

namespace bloomery::wal {
namespace {

using hfile::ByteWriter;
using hfile::ProtobufField;
using hfile::ProtobufReader;

constexpr std::string_view kWriters[] = {"ProtobufLogWriter", "SecureProtobufLogWriter",
                                         "AsyncProtobufLogWriter", "SecureAsyncProtobufLogWriter"};
constexpr std::string_view kCodec = "org.apache.hadoop.hbase.regionserver.wal.WALCellCodec";

enum HeaderField : std::uint32_t {
  kIsCompressed = 1,
  kEncryptionKey = 2,
  kTagsCompressed = 3,
  kWriterClass = 4,
  kCodecClass = 5,
  kValuesCompressed = 6,
  kValueCompression = 7,
};

Status read_flag(const ProtobufField& field, std::optional<bool>& flag) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t value, hfile::integer_in(field, kLogSubject));
  flag = value != 0;
  return {};
}

Status read_class(const ProtobufField& field, std::optional<std::string>& name) {
  BLOOMERY_ASSIGN_OR_RETURN(name, hfile::bytes_in(field, kLogSubject));
  return {};
}

Status read_compression(const ProtobufField& field, std::optional<hfile::Compression>& compression) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t number, hfile::integer_in(field, kLogSubject));
  const auto known = hfile::compression_of(
      static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 1 << 30)), field.offset);
  if (!known) {
    return Error::unsupported(kLogSubject, field.offset, known.error().detail());
  }
  compression = *known;
  return {};
}

Status read_seal(const ProtobufField& field, std::optional<Seal>& seal) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view bytes, hfile::bytes_in(field, kLogSubject));
  if (bytes.size() != kSealBytes) {
    return Error::corruption(kLogSubject, field.offset, "a seal of 8 bytes", bytes.size());
  }
  seal = load_seal(std::as_bytes(std::span(bytes)).data());
  return {};
}

Status read_header_field(const ProtobufField& field, LogHeader& header) {
  switch (field.number) {
    case kIsCompressed:
      return read_flag(field, header.is_compressed);
    case kEncryptionKey:
      return Error::unsupported(kLogSubject, field.offset,
                                "expected a log that is not encrypted, found an encryption key");
    case kTagsCompressed:
      return read_flag(field, header.has_compressed_tags);
    case kWriterClass:
      return read_class(field, header.writer_class);
    case kCodecClass:
      return read_class(field, header.codec_class);
    case kValuesCompressed:
      return read_flag(field, header.has_compressed_values);
    case kValueCompression:
      return read_compression(field, header.value_compression);
    case kSealField:
      return read_seal(field, header.seal);
    default:
      return {};
  }
}

// The seal is checked first, so that damage of a sealed header is called damage.
Status check_header_seal(std::span<const std::byte> record, const LogHeader& header) {
  if (!header.seal) {
    return {};
  }
  // The seal is the last field: its bytes are the last of the header.
  const Seal at_end = load_seal(&record[record.size() - kSealBytes]);
  const std::uint32_t link = link_of(record, record.size() - kLinkBytes);
  if (at_end != *header.seal || link != header.seal->link) {
    return Error::corruption(kLogSubject, record.size() - kLinkBytes,
                             message("the link ", link, " of the header"), header.seal->link);
  }
  return {};
}

Status check_classes(const LogHeader& header) {
  if (header.writer_class && std::ranges::find(kWriters, *header.writer_class) == std::end(kWriters)) {
    return Error::unsupported(
        kLogSubject, 0,
        message("expected a log of ProtobufLogWriter, found the writer ", *header.writer_class));
  }
  if (header.codec_class && *header.codec_class != kCodec) {
    return Error::unsupported(kLogSubject, 0,
                              message("expected the cell codec WALCellCodec, found ", *header.codec_class));
  }
  if (header.has_compressed_values.value_or(false) && !header.value_compression) {
    return Error::corruption(kLogSubject, 0, "the compression of values", "none");
  }
  return {};
}

Result<LogHeader> parse_header(std::span<const std::byte> record, std::size_t message_at) {
  LogHeader header{{}, {}, {}, {}, {}, {}, {}, record.size()};
  Status unsupported;
  ProtobufReader reader(record.subspan(message_at), kLogSubject, message_at);
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const auto field, reader.next());
    if (!field) {
      break;
    }
    const Status read = read_header_field(*field, header);
    if (read) {
      continue;
    }
    if (read.error().code() != ErrorCode::kUnsupported) {
      return read.error();
    }
    unsupported = read;
  }
  BLOOMERY_RETURN_IF_ERROR(check_header_seal(record, header));
  if (!unsupported) {
    return unsupported.error();
  }
  BLOOMERY_RETURN_IF_ERROR(check_classes(header));
  return header;
}

void append_flag(ByteWriter& out, std::uint32_t number, const std::optional<bool>& flag) {
  if (flag) {
    hfile::append_integer_field(out, number, *flag ? 1 : 0);
  }
}

void append_class(ByteWriter& out, std::uint32_t number, const std::optional<std::string>& name) {
  if (name) {
    hfile::append_bytes_field(out, number, *name);
  }
}

// `sealed` is the field in the trailer's `record`, which begins at byte `begin`.
void read_trailer_seal(std::span<const std::byte> record, std::span<const std::byte> sealed,
                       std::uint64_t begin, LogTrailer& trailer) {
  trailer.entries = load_big64(sealed.data());
  trailer.seal = load_seal(&sealed[kTrailerSealBytes - kSealBytes]);
  const auto link_at =
      static_cast<std::size_t>(sealed.data() - record.data()) + kTrailerSealBytes - kLinkBytes;
  if (const std::uint32_t link = link_of(record, link_at); link != trailer.seal->link) {
    trailer.damage = Error::corruption(kLogSubject, begin + link_at,
                                       message("the link ", link, " of the trailer"), trailer.seal->link);
  }
}

constexpr std::string_view kNoSeal("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", kTrailerSealBytes);

}  // namespace

Result<HeaderRead> read_log_header(std::span<const std::byte> log) {
  const std::string_view front(reinterpret_cast<const char*>(log.data()),
                               std::min(log.size(), kLogMagic.size()));
  if (!kLogMagic.starts_with(front)) {
    return Error::corruption(kLogSubject, 0, "the magic PWAL", "other bytes");
  }
  if (log.size() <= kLogMagic.size()) {
    return HeaderRead{.is_cut = true};
  }
  const VarintGroups size = join_varint<5>(log.subspan(kLogMagic.size()));
  const std::size_t message_at = kLogMagic.size() + size.size_bytes;
  if (size.end == VarintEnd::kTooLong || size.value > kMostHeaderBytes) {
    return Error::corruption(kLogSubject, kLogMagic.size(),
                             message("a header of at most ", kMostHeaderBytes, " bytes"), size.value);
  }
  if (size.end == VarintEnd::kCut || size.value > log.size() - message_at) {
    return HeaderRead{.is_cut = true};
  }
  BLOOMERY_ASSIGN_OR_RETURN(LogHeader header, parse_header(log.first(message_at + size.value), message_at));
  return HeaderRead{.header = std::move(header)};
}

std::optional<Seal> append_log_header(ByteWriter& out, const LogHeader& header) {
  ByteWriter fields;
  append_flag(fields, kIsCompressed, header.is_compressed);
  append_flag(fields, kTagsCompressed, header.has_compressed_tags);
  append_class(fields, kWriterClass, header.writer_class);
  append_class(fields, kCodecClass, header.codec_class);
  append_flag(fields, kValuesCompressed, header.has_compressed_values);
  if (header.value_compression) {
    hfile::append_integer_field(fields, kValueCompression,
                                static_cast<std::uint32_t>(*header.value_compression));
  }
  if (header.seal) {
    hfile::append_bytes_field(fields, kSealField, kNoSeal.substr(0, kSealBytes));
  }
  const std::size_t begin = out.size();
  out.append(kLogMagic);
  hfile::append_delimited(out, fields.text());
  if (!header.seal) {
    return std::nullopt;
  }
  const std::span record(out.data() + begin, out.size() - begin);
  return store_seal(record, record.size(), header.seal->previous);
}

std::optional<LogTrailer> read_log_trailer(std::span<const std::byte> tail, std::uint64_t offset) {
  const std::string_view text(reinterpret_cast<const char*>(tail.data()), tail.size());
  if (tail.size() < kTrailerTailBytes || !text.ends_with(kTrailerMagic)) {
    return std::nullopt;
  }
  const std::uint32_t size = load_big32(&tail[tail.size() - kTrailerTailBytes]);
  if (size > tail.size() - kTrailerTailBytes) {
    return std::nullopt;
  }
  LogTrailer trailer{.size_bytes = size + kTrailerTailBytes};
  const auto record = tail.last(trailer.size_bytes);
  const std::uint64_t begin = offset + tail.size() - record.size();
  ProtobufReader reader(record.first(size), kLogSubject, begin);
  for (;;) {
    const auto field = reader.next();
    if (!field) {
      return std::nullopt;
    }
    if (!*field) {
      return trailer;
    }
    if ((*field)->number == kSealField && (*field)->bytes && (*field)->bytes->size() == kTrailerSealBytes) {
      read_trailer_seal(record, std::as_bytes(std::span(*(*field)->bytes)), begin, trailer);
    }
  }
}

void append_log_trailer(ByteWriter& out, std::uint64_t entries, std::optional<std::uint32_t> previous) {
  const std::size_t begin = out.size();
  if (previous) {
    hfile::append_bytes_field(out, kSealField, kNoSeal);
    store_big(out.data() + out.size() - kTrailerSealBytes, entries);
  }
  const std::size_t size = out.size() - begin;
  out.number(static_cast<std::uint32_t>(size));
  out.append(kTrailerMagic);
  if (previous) {
    store_seal({out.data() + begin, out.size() - begin}, size, *previous);
  }
}

}  // namespace bloomery::wal
