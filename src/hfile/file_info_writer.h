// Collects the file info of an HFile and writes it; file_info.h has the layout.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "hfile/byte_writer.h"

namespace bloomery::hfile {

class FileInfoWriter {
 public:
  // A number becomes HBase's int (4 bytes) or long (8 bytes).
  void set(std::string_view name, std::string_view value);
  void set_int32(std::string_view name, std::uint64_t value);
  void set_int64(std::string_view name, std::int64_t value);
  void set_bool(std::string_view name, bool value);

  void append_to(ByteWriter& out) const;

 private:
  std::map<std::string, std::string, std::less<>> entries_;
};

}  // namespace bloomery::hfile
