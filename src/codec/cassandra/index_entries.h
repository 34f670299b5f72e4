// Reads Index.db, the keys of an sstable in the format `big`, in the order of the partitioner.
//
//   entry          u16 length, the bytes of the key      position      size      size bytes: the rows' index
//   up to la                                             u64           u32
//   from ma on                                           vint          vint
//
// The position is that of the partition in Data.db before compression. Entries follow each other up to the
// end of the file, and their positions ascend. The file has no checksum. Source: docs/formats/cassandra.md.
//
// Not here: the order of the keys (partition_order.h), the index of a partition's rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/endian.h"
#include "bloomery/base/result.h"
#include "codec/cassandra/sstable_name.h"
#include "codec/cassandra/vint.h"

namespace bloomery {

class IndexEntries {
 public:
  // `file` must outlive this object and the keys.
  IndexEntries(std::span<const std::byte> file, const CassandraLayout& layout)
      : file_(file), has_vints_(layout.has_vints) {}

  // Moves to the next entry. Returns false after the last entry and at damage; status() tells which.
  bool next() {
    begin_ = end_;
    if (begin_ == file_.size()) {
      return false;
    }
    return (read_key() && read_numbers()) || damaged();
  }
  // Errors: kCorruption.
  const Status& status() const { return status_; }

  // The entry. Precondition: next() returned true.
  std::string_view key() const { return key_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t begin() const { return begin_; }  // in Index.db
  std::uint64_t end() const { return end_; }

 private:
  bool read_key() {
    if (file_.size() - end_ < 2) {
      return false;
    }
    const std::size_t length = load_big16(file_.data() + end_);
    end_ += 2;
    if (file_.size() - end_ < length) {
      return false;
    }
    key_ = {reinterpret_cast<const char*>(file_.data()) + end_, length};
    end_ += length;
    return true;
  }
  bool read_number(std::size_t old_bytes, std::uint64_t& number) {
    if (has_vints_) {
      const CassandraVint vint = read_cassandra_vint(file_.subspan(end_));
      number = vint.value;
      end_ += vint.size_bytes;
      return vint.size_bytes != 0;
    }
    if (file_.size() - end_ < old_bytes) {
      return false;
    }
    number = old_bytes == 8 ? load_big64(file_.data() + end_) : load_big32(file_.data() + end_);
    end_ += old_bytes;
    return true;
  }
  bool read_numbers() {
    std::uint64_t position = 0;
    std::uint64_t rows_index = 0;
    if (!read_number(8, position) || !read_number(4, rows_index) || file_.size() - end_ < rows_index) {
      return false;
    }
    end_ += rows_index;
    is_ascending_ = begin_ == 0 || position > position_;
    position_ = position;
    return is_ascending_;
  }
  bool damaged();  // returns false

  std::span<const std::byte> file_;
  bool has_vints_;
  bool is_ascending_ = true;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string_view key_;
  std::uint64_t position_ = 0;
  Status status_;
};

}  // namespace bloomery
