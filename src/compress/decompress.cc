#include "compress/decompress.h"

#include <algorithm>
#include <array>
#include <bzlib.h>
#include <cstdint>
#include <lzma.h>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>
#include <zstd.h>

namespace bloomery {
namespace {

constexpr std::size_t kInputBytes = std::size_t{128} << 10;
// The memory limit of an xz decoder. The highest preset of the tool needs 65 MiB.
constexpr std::uint64_t kXzMemory = std::uint64_t{1} << 30;

// Returns bytes that were already read for inspection, then the rest of the stream.
class PeekedSource final : public ByteSource {
 public:
  PeekedSource(std::vector<std::byte> peeked, std::unique_ptr<ByteSource> rest)
      : peeked_(std::move(peeked)), rest_(std::move(rest)) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), peeked_.size() - given_);
    if (count == 0) {
      return rest_->read(out);
    }
    std::copy_n(peeked_.begin() + static_cast<std::ptrdiff_t>(given_), count, out.begin());
    given_ += count;
    return count;
  }

 private:
  std::vector<std::byte> peeked_;
  std::size_t given_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

// A buffer of compressed bytes, refilled from the source. `format` is the name of the format in errors.
class Input {
 public:
  Input(std::unique_ptr<ByteSource> source, std::string name, const char* format)
      : source_(std::move(source)), name_(std::move(name)), format_(format), buffer_(kInputBytes) {}

  std::span<const std::byte> pending() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t count) {
    begin_ += count;
    consumed_ += count;
  }
  // Returns false at the end of the source, which is an error unless `may_end`.
  // Precondition: nothing pending.
  Result<bool> refill(bool may_end) {
    BLOOMERY_ASSIGN_OR_RETURN(end_, source_->read(buffer_));
    begin_ = 0;
    if (end_ == 0 && !may_end) {
      return damaged("expected more data, found the end");
    }
    return end_ > 0;
  }
  // Returns an error at the next byte of the compressed stream.
  Error damaged(const std::string& reason) const {
    return Error::corruption(name_, consumed_, std::string(format_) + ": " + reason);
  }
  // Returns an error of a codec that lacks memory.
  Error lacks_memory(const std::string& reason) const {
    return Error::capacity(name_, std::string(format_) + ": " + reason);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  const char* format_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t consumed_ = 0;
};

// Fills `out` through a stream of zlib, liblzma or libbz2, whose fields have the same names. step() advances
// by some bytes of input or output, and returns false at the end of the input.
template <typename Stream, typename Step>
Result<std::size_t> read_by_steps(Stream& stream, std::span<std::byte> out, const Step& step) {
  const std::size_t room = std::min<std::size_t>(out.size(), 1U << 30);
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(out.data());
  stream.avail_out = static_cast<decltype(stream.avail_out)>(room);
  while (stream.avail_out == room) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, step());
    if (!more) {
      break;
    }
  }
  return room - stream.avail_out;
}

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> source, std::string name)
      : input_(std::move(source), std::move(name), "gzip") {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    if (!ready_) {
      return input_.lacks_memory("not enough memory to begin");
    }
    return read_by_steps(stream_, out, [this] { return step(); });
  }

 private:
  // Advances by some bytes of input or output. Returns false at the end of the last member.
  Result<bool> step() {
    if (input_.pending().empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool filled, input_.refill(between_members_));
      if (!filled) {
        return false;
      }
    }
    between_members_ = false;
    const std::span<const std::byte> pending = input_.pending();
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(pending.data()));
    stream_.avail_in = static_cast<uInt>(pending.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input_.consume(pending.size() - stream_.avail_in);
    if (code == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      const char* const reason = stream_.msg != nullptr ? stream_.msg : "damaged data";
      return input_.damaged(reason);
    }
    return true;
  }

  Input input_;
  z_stream stream_{};
  bool ready_ = false;
  bool between_members_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> source, std::string name)
      : input_(std::move(source), std::move(name), "zstd"), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    if (context_ == nullptr) {
      return input_.lacks_memory("not enough memory to begin");
    }
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos == 0) {
      if (input_.pending().empty() && !flushing_) {
        BLOOMERY_ASSIGN_OR_RETURN(const bool filled, input_.refill(hint_ == 0));
        if (!filled) {
          break;
        }
      }
      const std::span<const std::byte> pending = input_.pending();
      ZSTD_inBuffer in{pending.data(), pending.size(), 0};
      hint_ = ZSTD_decompressStream(context_.get(), &output, &in);
      input_.consume(in.pos);
      if (ZSTD_isError(hint_) != 0) {
        return input_.damaged(ZSTD_getErrorName(hint_));
      }
      // The decoder may hold more than fitted into the output, except after a frame's end: there, a call
      // without input would already start the next frame.
      flushing_ = hint_ != 0 && output.pos == output.size;
    }
    return output.pos;
  }

 private:
  Input input_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::size_t hint_ = 0;  // 0 between frames
  bool flushing_ = false;
};

class XzSource final : public ByteSource {
 public:
  XzSource(std::unique_ptr<ByteSource> source, std::string name)
      : input_(std::move(source), std::move(name), "xz") {
    begin_stream();
  }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;
  ~XzSource() override { lzma_end(&stream_); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    return read_by_steps(stream_, out, [this] { return step(); });
  }

 private:
  // Reuses the memory of the previous stream.
  void begin_stream() { ready_ = lzma_stream_decoder(&stream_, kXzMemory, 0) == LZMA_OK; }

  // Advances by some bytes of input or output. Returns false at the end of the last stream.
  Result<bool> step() {
    if (input_.pending().empty() && !flushing_) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool filled, input_.refill(between_streams_));
      if (!filled) {
        return false;
      }
    }
    if (!ready_) {
      return input_.lacks_memory("not enough memory to begin");
    }
    between_streams_ = false;
    const std::span<const std::byte> pending = input_.pending();
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(pending.data());
    stream_.avail_in = pending.size();
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    input_.consume(pending.size() - stream_.avail_in);
    flushing_ = code == LZMA_OK && stream_.avail_out == 0;
    if (code == LZMA_STREAM_END) {
      begin_stream();
      between_streams_ = true;
      return true;
    }
    if (code == LZMA_MEM_ERROR || code == LZMA_MEMLIMIT_ERROR) {
      return input_.lacks_memory("expected to need at most 1 GiB of memory, found that it needs more");
    }
    if (code != LZMA_OK && code != LZMA_BUF_ERROR) {
      return input_.damaged(code == LZMA_OPTIONS_ERROR ? "an option that liblzma does not know"
                                                       : "damaged data");
    }
    return true;
  }

  Input input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
  bool between_streams_ = false;
  bool flushing_ = false;  // the decoder may hold output that did not fit the last buffer
};

class Bzip2Source final : public ByteSource {
 public:
  Bzip2Source(std::unique_ptr<ByteSource> source, std::string name)
      : input_(std::move(source), std::move(name), "bzip2") {
    begin_stream();
  }
  Bzip2Source(const Bzip2Source&) = delete;
  Bzip2Source& operator=(const Bzip2Source&) = delete;
  ~Bzip2Source() override { end_stream(); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    return read_by_steps(stream_, out, [this] { return step(); });
  }

 private:
  void begin_stream() {
    bz_stream fresh{};
    fresh.next_out = stream_.next_out;
    fresh.avail_out = stream_.avail_out;
    stream_ = fresh;
    ready_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
  }
  void end_stream() {
    if (ready_) {
      BZ2_bzDecompressEnd(&stream_);
    }
    ready_ = false;
  }

  // Advances by some bytes of input or output. Returns false at the end of the last stream.
  Result<bool> step() {
    if (input_.pending().empty() && !flushing_) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool filled, input_.refill(between_streams_));
      if (!filled) {
        return false;
      }
    }
    if (!ready_) {
      return input_.lacks_memory("not enough memory to begin");
    }
    between_streams_ = false;
    const std::span<const std::byte> pending = input_.pending();
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(pending.data()));
    stream_.avail_in = static_cast<unsigned>(pending.size());
    const int code = BZ2_bzDecompress(&stream_);
    input_.consume(pending.size() - stream_.avail_in);
    flushing_ = code == BZ_OK && stream_.avail_out == 0;
    if (code == BZ_STREAM_END) {
      end_stream();
      begin_stream();
      between_streams_ = true;
      return true;
    }
    if (code == BZ_MEM_ERROR) {
      return input_.lacks_memory("not enough memory");
    }
    if (code != BZ_OK) {
      return input_.damaged("damaged data");
    }
    return true;
  }

  Input input_;
  bz_stream stream_{};
  bool ready_ = false;
  bool between_streams_ = false;
  bool flushing_ = false;  // the decoder may hold output that did not fit the last buffer
};

// The result of comparing a stream's first bytes with a format.
enum class Match { kNo, kPartly, kYes };

Match match_prefix(std::span<const std::byte> bytes, std::string_view magic) {
  const std::size_t size = std::min(bytes.size(), magic.size());
  const std::string_view front(reinterpret_cast<const char*>(bytes.data()), size);
  if (front != magic.substr(0, size)) {
    return Match::kNo;
  }
  return size == magic.size() ? Match::kYes : Match::kPartly;
}

// Matches "BZh", a digit, and the magic number of a block or of the end. All ten bytes are compared, because
// text may begin with the first four.
Match match_bzip2(std::span<const std::byte> bytes) {
  constexpr std::size_t kDigitAt = 3;
  if (bytes.size() > kDigitAt && (bytes[kDigitAt] < std::byte{'1'} || bytes[kDigitAt] > std::byte{'9'})) {
    return Match::kNo;
  }
  const Match front = match_prefix(bytes.first(std::min(bytes.size(), kDigitAt)), "BZh");
  if (front != Match::kYes || bytes.size() <= kDigitAt) {
    return front == Match::kYes ? Match::kPartly : front;
  }
  const std::span<const std::byte> rest = bytes.subspan(kDigitAt + 1);
  return std::max(match_prefix(rest, "\x31\x41\x59\x26\x53\x59"),
                  match_prefix(rest, "\x17\x72\x45\x38\x50\x90"));
}

struct Format {
  Match (*match)(std::span<const std::byte> bytes);
  std::unique_ptr<ByteSource> (*open)(std::unique_ptr<ByteSource> source, std::string name);
};

template <typename Source>
std::unique_ptr<ByteSource> open_as(std::unique_ptr<ByteSource> source, std::string name) {
  return std::make_unique<Source>(std::move(source), std::move(name));
}

constexpr std::array<Format, 4> kFormats = {{
    {[](std::span<const std::byte> bytes) { return match_prefix(bytes, "\x1f\x8b"); }, open_as<GzipSource>},
    {[](std::span<const std::byte> bytes) { return match_prefix(bytes, "\x28\xb5\x2f\xfd"); },
     open_as<ZstdSource>},
    {[](std::span<const std::byte> bytes) {
       return match_prefix(bytes, std::string_view("\xfd"
                                                   "7zXZ\0",
                                                   6));
     },
     open_as<XzSource>},
    {match_bzip2, open_as<Bzip2Source>},
}};

// Bytes that are read at once to detect the format: more than any magic has.
constexpr std::size_t kFrontBytes = std::size_t{16} << 10;

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source,
                                                 const std::string& name) {
  std::vector<std::byte> front;
  const auto matches = [&front](Match wanted) {
    return [&front, wanted](const Format& format) { return format.match(front) == wanted; };
  };
  while (std::ranges::any_of(kFormats, matches(Match::kPartly))) {
    // Reads all available bytes instead of ten, so that one read by the source stays one read for the caller.
    std::array<std::byte, kFrontBytes> bytes;
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, source->read(bytes));
    if (count == 0) {
      break;
    }
    front.insert(front.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const auto* const format = std::ranges::find_if(kFormats, matches(Match::kYes));
  std::unique_ptr<ByteSource> whole = std::make_unique<PeekedSource>(std::move(front), std::move(source));
  return format == kFormats.end() ? std::move(whole) : format->open(std::move(whole), name);
}

}  // namespace bloomery
