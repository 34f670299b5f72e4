// Reads any lines as a kept proof, with the checksum that they should have.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/crc32c.h"
#include "verify/proof_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  std::array<char, 24> line = {};
  std::snprintf(line.data(), line.size(), "crc32c %08x\n",
                bloomery::crc32c(std::as_bytes(std::span(text.data(), text.size()))));
  text += line.data();
  if (const auto record = bloomery::parse_proof_record(text)) {
    static_cast<void>(record->to_string());
  }
  return 0;
}
