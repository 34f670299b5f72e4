// The files that HBase wrote, tests/golden/hbase/, and HBase's readings of them beside.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "bloomery/hfile/hfile_reader.h"
#include "bloomery/hfile/tag.h"

namespace bloomery {

inline std::string hbase_golden(const std::string& name) {
  return std::string(BLOOMERY_SOURCE) + "/tests/golden/hbase/" + name;
}

// The names of all golden HFiles, without their endings.
inline std::vector<std::string> golden_hfiles() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(hbase_golden(""))) {
    if (entry.path().extension() == ".hfile") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The lines of NAME or, where there is none, of NAME.gz.
inline std::vector<std::string> golden_lines(const std::string& name) {
  const std::string plain = hbase_golden(name);
  gzFile file = gzopen((std::filesystem::exists(plain) ? plain : plain + ".gz").c_str(), "rb");
  std::string text;
  std::array<char, 65536> buffer;
  for (int count = 1; file != nullptr && count > 0;) {
    count = gzread(file, buffer.data(), buffer.size());
    text.append(buffer.data(), static_cast<std::size_t>(std::max(count, 0)));
  }
  if (file != nullptr) {
    gzclose(file);
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// Fields between tabs; empty ones count.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

inline std::string escaped(std::string_view bytes, char also = '\\') {
  std::string text;
  for (const char c : bytes) {
    if (c > 0x20 && c < 0x7f && c != '\\' && c != also) {
      text += c;
    } else {
      std::array<char, 5> code;
      std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(c));
      text += code.data();
    }
  }
  return text;
}

inline std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

// The cell as a line of a .cells file.
inline std::string line_of(const Cell& cell) {
  std::string tags;
  std::string_view left = cell.tags;
  for (auto tag = read_tag(left); tag; tag = read_tag(left)) {
    tags += (tags.empty() ? "" : ",") + std::to_string(tag->type) + ':' + escaped(tag->bytes, ',');
  }
  tags += left.empty() ? "" : " and damage";
  return escaped(cell.key.row) + '\t' + escaped(cell.key.family) + '\t' + escaped(cell.key.qualifier) + '\t' +
         std::to_string(cell.key.timestamp) + '\t' + std::to_string(static_cast<int>(cell.key.type)) + '\t' +
         escaped(cell.value) + '\t' + tags + '\t' + std::to_string(cell.mvcc);
}

inline HFileReader opened_golden(const std::string& name) {
  auto reader = HFileReader::open(hbase_golden(name + ".hfile"));
  EXPECT_TRUE(reader) << reader.error().to_string();
  return *std::move(reader);
}

// What a scan from the first cell to the last gives; the error's text as its last line, should there be one.
inline std::vector<std::string> scanned(const HFileReader& reader) {
  std::vector<std::string> lines;
  HFileScanner scanner = reader.scan();
  Result<bool> found = scanner.seek_to_first();
  for (; found && *found; found = scanner.next()) {
    lines.push_back(line_of(scanner.cell()));
  }
  if (!found) {
    lines.push_back(found.error().to_string());
  }
  return lines;
}

}  // namespace bloomery
