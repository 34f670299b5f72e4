#include "compress/gzip_writer.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <zlib.h>

namespace bloomery {
namespace {

constexpr std::size_t kOutputBytes = std::size_t{128} << 10;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

struct GzipWriter::Stream {
  explicit Stream(const Sink& to) : sink(to), output(kOutputBytes) {
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;
    ready = deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) ==
            Z_OK;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { deflateEnd(&zlib); }

  // Compresses the pending input, and with Z_FINISH also zlib's buffered data.
  Status run(int flush) {
    int code = Z_OK;
    do {
      zlib.next_out = reinterpret_cast<Bytef*>(output.data());
      zlib.avail_out = static_cast<uInt>(output.size());
      code = deflate(&zlib, flush);
      const std::size_t made = output.size() - zlib.avail_out;
      if (made > 0) {
        BLOOMERY_RETURN_IF_ERROR(sink(std::span(output).first(made)));
      }
    } while (zlib.avail_out == 0 || (flush == Z_FINISH && code == Z_OK));
    return {};
  }

  const Sink& sink;
  std::vector<std::byte> output;
  z_stream zlib{};
  bool ready = false;
};

GzipWriter::GzipWriter(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
GzipWriter::GzipWriter(GzipWriter&&) noexcept = default;
GzipWriter& GzipWriter::operator=(GzipWriter&&) noexcept = default;
GzipWriter::~GzipWriter() = default;

Result<GzipWriter> GzipWriter::create(const Sink& sink) {
  auto stream = std::make_unique<Stream>(sink);
  if (!stream->ready) {
    return Error::capacity("gzip", "not enough memory to begin");
  }
  return GzipWriter(std::move(stream));
}

Status GzipWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), kMostAtOnce));
    stream_->zlib.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));
    stream_->zlib.avail_in = static_cast<uInt>(piece.size());
    BLOOMERY_RETURN_IF_ERROR(stream_->run(Z_NO_FLUSH));
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Status GzipWriter::finish() {
  return stream_->run(Z_FINISH);
}

}  // namespace bloomery
