#include "compress/decompress.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <zlib.h>
#include <zstd.h>

namespace bloomery {
namespace {

constexpr std::size_t kInputBytes = std::size_t{128} << 10;
constexpr std::array<std::byte, 2> kGzipMagic = {std::byte{0x1f}, std::byte{0x8b}};
constexpr std::array<std::byte, 4> kZstdMagic = {std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f},
                                                 std::byte{0xfd}};

// Returns bytes that were already read to look at them, then the rest of the stream.
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

// The compressed bytes that were read, refilled from the source.
class Input {
 public:
  explicit Input(std::unique_ptr<ByteSource> source) : source_(std::move(source)), buffer_(kInputBytes) {}

  std::span<const std::byte> pending() const { return {buffer_.data() + begin_, end_ - begin_}; }
  // Returns the position of the next byte in the compressed stream.
  std::uint64_t offset() const { return consumed_; }
  void consume(std::size_t count) {
    begin_ += count;
    consumed_ += count;
  }
  // Returns false at the end of the source. Precondition: nothing pending.
  Result<bool> refill() {
    BLOOMERY_ASSIGN_OR_RETURN(end_, source_->read(buffer_));
    begin_ = 0;
    return end_ > 0;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t consumed_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> source, std::string name)
      : input_(std::move(source)), name_(std::move(name)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    if (!ready_) {
      return Error::capacity(name_, "gzip: not enough memory to begin");
    }
    const std::size_t room = std::min<std::size_t>(out.size(), 1U << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(room);
    while (stream_.avail_out == room) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool more, step());
      if (!more) {
        break;
      }
    }
    return room - stream_.avail_out;
  }

 private:
  // Advances by some bytes of input or output. Returns false at the end of the last member.
  Result<bool> step() {
    if (input_.pending().empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool filled, input_.refill());
      if (!filled && between_members_) {
        return false;
      }
      if (!filled) {
        return Error::corruption(name_, input_.offset(), "gzip: expected more data, found the end");
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
      return Error::corruption(name_, input_.offset(), std::string("gzip: ") + reason);
    }
    return true;
  }

  Input input_;
  std::string name_;
  z_stream stream_{};
  bool ready_ = false;
  bool between_members_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> source, std::string name)
      : input_(std::move(source)), name_(std::move(name)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    if (context_ == nullptr) {
      return Error::capacity(name_, "zstd: not enough memory to begin");
    }
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos == 0) {
      if (input_.pending().empty() && !flushing_) {
        BLOOMERY_ASSIGN_OR_RETURN(const bool filled, input_.refill());
        if (!filled && hint_ == 0) {
          break;
        }
        if (!filled) {
          return Error::corruption(name_, input_.offset(), "zstd: expected more data, found the end");
        }
      }
      const std::span<const std::byte> pending = input_.pending();
      ZSTD_inBuffer in{pending.data(), pending.size(), 0};
      hint_ = ZSTD_decompressStream(context_.get(), &output, &in);
      input_.consume(in.pos);
      if (ZSTD_isError(hint_) != 0) {
        return Error::corruption(name_, input_.offset(), std::string("zstd: ") + ZSTD_getErrorName(hint_));
      }
      // The decoder may hold more than fitted into the output. This is not so after a frame's end, where a
      // call without input would already ask for the next frame.
      flushing_ = hint_ != 0 && output.pos == output.size;
    }
    return output.pos;
  }

 private:
  Input input_;
  std::string name_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  std::size_t hint_ = 0;  // 0 between frames
  bool flushing_ = false;
};

template <std::size_t N>
bool begins(std::span<const std::byte> bytes, const std::array<std::byte, N>& magic) {
  return bytes.size() >= N && std::equal(magic.begin(), magic.end(), bytes.begin());
}

// Returns whether more bytes could still complete `magic`.
template <std::size_t N>
bool may_begin(std::span<const std::byte> bytes, const std::array<std::byte, N>& magic) {
  return bytes.size() < N && std::equal(bytes.begin(), bytes.end(), magic.begin());
}

}  // namespace

Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source,
                                                 const std::string& name) {
  std::vector<std::byte> front;
  while (may_begin(std::span<const std::byte>(front), kGzipMagic) ||
         may_begin(std::span<const std::byte>(front), kZstdMagic)) {
    std::array<std::byte, 4> bytes{};
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count,
                              source->read(std::span(bytes).first(4 - front.size())));
    if (count == 0) {
      break;
    }
    front.insert(front.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  }
  const bool gzip = begins(std::span<const std::byte>(front), kGzipMagic);
  const bool zstd = begins(std::span<const std::byte>(front), kZstdMagic);
  std::unique_ptr<ByteSource> whole = std::make_unique<PeekedSource>(std::move(front), std::move(source));
  if (gzip) {
    whole = std::make_unique<GzipSource>(std::move(whole), name);
  }
  if (zstd) {
    whole = std::make_unique<ZstdSource>(std::move(whole), name);
  }
  return whole;
}

}  // namespace bloomery
