// The dialect `hbase`: the general Bloom filter of an HFile, queried in place for rows.
//
// The filter's chunks are stored between the blocks of cells. So a filter is built together with its file
// (`hfile write`) and accepts no later inserts. Opening reads all chunks, and a damaged chunk is an error.
//
// Keys are rows:
//
//   ROW                       the row itself
//   ROWPREFIX_FIXED_LENGTH    the filter contains the row's first bytes
//   ROWCOL                    refused, because it contains no rows; `hfile filter` queries it for columns
//
// The dialect is here and not in codec, because codec may not include hfile.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "dialects/dialect_rows.h"
#include "hfile/bloom_fill.h"
#include "hfile/chunk_keeper.h"
#include "hfile/recognition.h"

namespace bloomery {
namespace {

constexpr const char* kName = "hbase";

Error made_with_its_file() {
  return {
      ErrorCode::kUnsupported, kName,
      "a filter of this dialect is made with its HFile and takes no keys later: `bloomery hfile write` makes "
      "both"};
}

class HFileFilter final : public DialectFilter {
 public:
  HFileFilter(hfile::OpenFilePointer file, const hfile::BloomFill& fill)
      : file_(std::move(file)), fill_(fill) {}

  std::string dialect() const override { return kName; }
  DialectFacts facts() const override;
  bool may_contain(std::string_view key) const override { return file_->may_contain_row(key); }
  bool is_static() const override { return true; }
  Result<bool> insert(std::string_view) override { return made_with_its_file(); }
  Status merge(const DialectFilter&) override { return made_with_its_file(); }
  double current_fpp() const override { return fill_.fpp_of_lookup(file_->bloom_type()); }
  Result<double> estimated_count() const override;
  Status write(const Sink&) const override {
    return Error::invalid_argument(kName, made_with_its_file().detail());
  }

 private:
  hfile::OpenFilePointer file_;
  hfile::BloomFill fill_;
};

DialectFacts HFileFilter::facts() const {
  const hbase::BloomMeta& meta = file_->bloom()->meta();
  DialectFacts facts;
  facts.bits = fill_.bits;
  facts.hash_count = meta.hash_count;
  facts.set_bits = fill_.set_bits;
  if (meta.hash_count != 0) {  // a filter without hashes has room for 0 keys and cannot overflow
    facts.capacity = meta.max_keys;
  }
  facts.inserted = meta.key_count;
  facts.integrity = "checksums of every chunk";
  facts.more = {{"bloom_type", hbase::bloom_type_name(file_->bloom_type())},
                {"hash", hbase::bloom_hash_name(meta.hash)},
                {"chunks", std::to_string(meta.chunks.size())}};
  if (meta.hash_count == 0) {
    facts.more.emplace_back("note", hfile::kWithoutHashes);
  }
  return facts;
}

Result<double> HFileFilter::estimated_count() const {
  if (file_->bloom()->meta().hash_count == 0) {
    return Error::capacity(kName, "expected a hash at least, found none: keys set no bits");
  }
  if (fill_.set_bits == fill_.bits) {
    return Error::capacity(kName, "expected a bit that is not set, found none");
  }
  return -static_cast<double>(fill_.bits) / file_->bloom()->meta().hash_count * std::log1p(-fill_.ratio());
}

RecognisedDialect recognise(std::span<const std::byte> file) {
  return {kName, hfile::looks_like_hfile(file) ? Recognition::kCertain : Recognition::kNo};
}

Status check_knows_rows(const hfile::OpenFile& file) {
  if (const Status& sound = file.filter_status(); !sound) {
    return sound;
  }
  switch (file.bloom_type()) {
    case hbase::BloomType::kNone:
      return Error::invalid_argument(kName, "expected an HFile with a Bloom filter, found one without");
    case hbase::BloomType::kRowCol:
      return Error::invalid_argument(
          kName, "expected a filter of rows, found one of columns (ROWCOL): `bloomery hfile filter` asks it");
    case hbase::BloomType::kRow:
    case hbase::BloomType::kRowPrefix:
      break;
  }
  return {};
}

Result<std::unique_ptr<DialectFilter>> open(const DialectSource& source, std::string_view option) {
  if (!option.empty()) {
    return Error::invalid_argument(kName, "expected no option, found '" + std::string(option) + "'");
  }
  if (source.path.empty()) {
    return Error(ErrorCode::kUnsupported, kName,
                 "an HFile is read from disk, block by block, not from memory");
  }
  BLOOMERY_ASSIGN_OR_RETURN(hfile::OpenFilePointer file,
                            hfile::open_hfile(source.path, hfile::ChunkKeeper::surroundings(),
                                              {.limit_bytes = source.memory ? source.memory->limit() : 0}));
  BLOOMERY_RETURN_IF_ERROR(check_knows_rows(*file));
  BLOOMERY_ASSIGN_OR_RETURN(const hfile::BloomFill fill, hfile::measure_fill(*file, *file->bloom()));
  std::unique_ptr<DialectFilter> filter = std::make_unique<HFileFilter>(std::move(file), fill);
  return filter;
}

Result<std::unique_ptr<DialectBuilder>> build(const DialectPlan&, std::string_view) {
  return made_with_its_file();
}

}  // namespace

Dialect hfile_dialect() {
  return {.description = {.name = kName,
                          .options = "",
                          .summary = "the Bloom filter of rows in an HFile, read only",
                          .sized_by = SizedBy::kKeys,
                          .usual_key_form = KeyForm::kText},
          .recognise = recognise,
          .open = open,
          .build = build,
          .magic = {"DATABLK*", "an HFile"},
          .holds_data = true};
}

}  // namespace bloomery
