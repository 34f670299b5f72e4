#include "table/store_file_cursor.h"

#include <string>

namespace bloomery::table {

Status StoreFileCursor::named(const Status& status) const {
  return status ? status : Status(status.error().in_file(file_->path()));
}

Status StoreFileCursor::start_block() {
  const hfile::BlockAddress address = index_.address();
  const auto key = parse_flat_key(index_.key());
  if (!key) {
    return Error::corruption(hfile::block_kind_name(address.kind), address.offset,
                             "expected a key in its entry of the index, found other bytes");
  }
  separator_ = *key;
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::BlockPointer block, file_->source().read(address));
  BLOOMERY_RETURN_IF_ERROR(cells_.start(block, file_->encoding(), file_->layout()));
  BLOOMERY_ASSIGN_OR_RETURN(const bool has_cell, cells_.next());
  if (!has_cell) {
    return Error::corruption(hfile::block_kind_name(address.kind), address.offset,
                             "expected a cell at least, found none");
  }
  is_first_in_block_ = true;
  is_at_end_ = false;
  return {};
}

Status StoreFileCursor::to_first() {
  block_ = 1;
  is_first_in_block_ = false;
  is_at_end_ = true;
  const Result<bool> found = index_.first();
  if (!found || !*found) {
    return found ? Status() : named(found.error());
  }
  return named(start_block());
}

Status StoreFileCursor::to_block_of(std::string_view row) {
  const Result<bool> within = index_.seek(first_on_row(row));
  if (!within) {
    return named(within.error());
  }
  if (!*within) {
    return to_first();
  }
  block_ = 2;  // not 1, so that landing() can return the block before it
  return named(start_block());
}

Status StoreFileCursor::next() {
  is_first_in_block_ = false;
  const Result<bool> within = cells_.next();
  if (!within || *within) {
    return within ? Status() : named(within.error());
  }
  const std::uint64_t before = index_.address().offset;
  const Result<bool> found = index_.next();
  if (!found) {
    return named(found.error());
  }
  if (!*found) {
    is_at_end_ = true;
    return {};
  }
  if (index_.address().offset <= before) {  // a damaged index could loop for ever
    return named(Error::corruption(hfile::block_kind_name(index_.address().kind), index_.address().offset,
                                   "a data block behind the one at " + std::to_string(before), "it before"));
  }
  ++block_;
  return named(start_block());
}

}  // namespace bloomery::table
