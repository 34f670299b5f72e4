#include "filter/scalable/blocked_layers.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "bloomery/filter/native_filter.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kAll64 = ~std::uint64_t{0};

// The bits of so many hashes.
std::uint64_t first_bits(std::size_t count) {
  return count == 0 ? 0 : kAll64 >> (64 - count);
}

}  // namespace

// ---- making and opening

Result<std::unique_ptr<BlockedLayers::Layer>> BlockedLayers::new_layer(const LayerSize& size) {
  auto layer = std::make_unique<Layer>();
  layer->size = size;
  if (size.fingerprint_bits != 0) {
    BLOOMERY_ASSIGN_OR_RETURN(const LateShape shape, late_shape(size.shape, size.fingerprint_bits));
    layer->late.emplace(shape);
    return layer;
  }
  BLOOMERY_ASSIGN_OR_RETURN(layer->own, AlignedBuffer::zeroed(size.bytes()));
  layer->words = reinterpret_cast<std::uint64_t*>(layer->own.bytes().data());
  return layer;
}

Result<std::unique_ptr<BlockedLayers>> BlockedLayers::create(const GrowingPlan& plan) {
  BLOOMERY_ASSIGN_OR_RETURN(const LayerSize first, next_layer_size(plan, {}));
  BLOOMERY_ASSIGN_OR_RETURN(auto layer, new_layer(first));
  std::unique_ptr<BlockedLayers> made(new BlockedLayers(plan, Storage()));
  made->writable_ = true;
  made->slots_[0] = std::move(layer);
  made->count_ = 1;
  return made;
}

Result<std::unique_ptr<BlockedLayers>> BlockedLayers::over(Storage payload, const GrowingPlan& plan) {
  std::unique_ptr<BlockedLayers> opened(new BlockedLayers(plan, std::move(payload)));
  BLOOMERY_RETURN_IF_ERROR(opened->open_layers());
  return opened;
}

Status BlockedLayers::open_layers() {
  const std::span<std::byte> bytes = home_.raw();
  BLOOMERY_ASSIGN_OR_RETURN(LayerFront front, read_layer_front(bytes, bytes.size(), plan_));
  std::uint64_t at = front.bytes;
  plan_.expansion = front.expansion;
  for (std::size_t i = 0; i < front.layers.size(); ++i) {
    auto layer = std::make_unique<Layer>();
    layer->keys = front.layers[i].keys;
    layer->size = front.layers[i].size;
    std::uint64_t layer_bytes = layer->size.bytes();
    if (layer->size.fingerprint_bits != 0) {
      BLOOMERY_ASSIGN_OR_RETURN(const LateShape shape,
                                late_shape(layer->size.shape, layer->size.fingerprint_bits));
      Result<LateBits> late = LateBits::of_file(shape, front.layers[i].states, bytes.subspan(at));
      if (!late) {
        return bad_payload(at, late.error().subject() + ": " + late.error().detail());
      }
      layer_bytes = late->file_bytes();
      layer->late = std::move(late).value();
    } else if (layer_bytes > bytes.size() - at) {
      return bad_payload(at, "expected " + std::to_string(layer_bytes) + " bytes of a layer, found " +
                                 std::to_string(bytes.size() - at));
    } else {
      layer->words = reinterpret_cast<std::uint64_t*>(bytes.data() + at);
    }
    at += layer_bytes;
    slots_[i] = std::move(layer);
  }
  if (at != bytes.size()) {
    return bad_payload(
        at, "expected nothing after the last layer, found " + std::to_string(bytes.size() - at) + " bytes");
  }
  count_ = front.layers.size();
  return {};
}

// ---- queries

// Asks the newest and largest layer first: it has most keys, if these came one by one. The last of all layers
// may change meanwhile.
bool BlockedLayers::is_in_first(std::size_t layers, std::uint64_t hash) const {
  const BlockedKernel& kernel = chosen_blocked_kernel();
  const std::size_t changing = changing_layer();
  for (std::size_t i = layers; i-- > 0;) {
    const Layer& layer = *slots_[i];
    if (!layer.late) {
      if (kernel.one.may_contain(layer.table(), hash)) {
        return true;
      }
      continue;
    }
    const LateBits::Place place = layer.late->place_of(hash);
    const std::unique_lock lock =
        i == changing ? std::unique_lock(pieces_.of(place.piece)) : std::unique_lock<std::mutex>();
    if (layer.late->contains(place)) {
      return true;
    }
  }
  return false;
}

// Returns the layer that an insert may change meanwhile; none if nobody may insert.
std::size_t BlockedLayers::changing_layer() const {
  return writable_ ? count() - 1 : kMostScalableLayers;
}

bool BlockedLayers::contains(std::uint64_t hash) const {
  return is_in_first(count(), hash);
}

// Answers hashes from late bits that an insert may change meanwhile.
void BlockedLayers::ask_changing(const LateBits& late, std::span<const Hash128> hashes,
                                 std::uint64_t* answers) const {
  std::fill_n(answers, answer_words(hashes.size()), 0);
  std::array<LateBits::Place, kPiece> places;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    places[i] = late.place_of(hashes[i].low);
    const std::lock_guard lock(pieces_.of(places[i].piece));
    late.prefetch(places[i]);
  }
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::lock_guard lock(pieces_.of(places[i].piece));
    answers[i / 64] |= std::uint64_t{late.contains(places[i])} << (i % 64);
  }
}

// Answers at most kPiece hashes from the first `layers` layers. A key that one layer has answered maybe is
// not asked of another.
BlockedLayers::PieceAnswers BlockedLayers::ask(std::size_t layers, std::span<const Hash128> hashes) const {
  PieceAnswers answers{};
  if (layers == 0) {
    return answers;
  }
  const BlockedKernel& kernel = chosen_blocked_kernel();
  const std::size_t changing = changing_layer();
  PieceAnswers found;
  std::array<Hash128, kPiece> open;
  std::array<std::uint16_t, kPiece> places;
  std::size_t left = hashes.size();
  std::copy(hashes.begin(), hashes.end(), open.begin());
  std::iota(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(left), std::uint16_t{0});
  for (std::size_t layer = layers; layer-- > 0 && left != 0;) {
    const auto asked = std::span<const Hash128>(open).first(left);
    if (const std::optional<LateBits>& late = slots_[layer]->late; !late) {
      kernel.may_contain_batch(slots_[layer]->table(), asked, found.data());
    } else if (layer == changing) {
      ask_changing(*late, asked, found.data());
    } else {
      for (std::size_t i = 0; i < left; i += 64) {
        const auto some = asked.subspan(i, std::min<std::size_t>(64, left - i));
        found[i / 64] = late->ask(some, first_bits(some.size()));
      }
    }
    const auto words = std::span(found).first(answer_words(left));
    if (std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; })) {
      continue;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      if ((found[i / 64] >> (i % 64) & 1) != 0) {
        answers[places[i] / 64U] |= std::uint64_t{1} << (places[i] % 64U);
      } else {
        open[kept] = open[i];
        places[kept++] = places[i];
      }
    }
    left = kept;
  }
  return answers;
}

void BlockedLayers::contains_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  const std::size_t layers = count();
  if (layers == 1 && !hashes.empty()) {
    chosen_blocked_kernel().may_contain_batch(slots_[0]->table(), hashes, answers.data());
    return;
  }
  for (std::size_t first = 0; first < hashes.size(); first += kPiece) {
    const auto piece = hashes.subspan(first, std::min(kPiece, hashes.size() - first));
    const PieceAnswers found = ask(layers, piece);
    std::copy_n(found.begin(), answer_words(piece.size()),
                answers.begin() + static_cast<std::ptrdiff_t>(first / 64));
  }
}

// ---- inserts

BlockedLayers::Outcome BlockedLayers::insert_alone(std::uint64_t hash) {
  if (is_in_first(count() - 1, hash)) {
    return Outcome::kKnown;
  }
  const Outcome outcome = put_in_last(hash);
  return outcome == Outcome::kRefused && grow() ? put_in_last(hash) : outcome;
}

void BlockedLayers::insert_piece(std::span<const Hash128> hashes, std::span<Outcome> outcomes) {
  for (std::size_t done = 0; done < hashes.size();) {
    done += insert_until_growth(hashes.subspan(done), outcomes.subspan(done));
  }
}

// Inserts keys up to the one that needs a next layer, or all, and returns how many. The layers before the
// last are asked for all keys at once. Once there is a new last layer, one more layer precedes it.
std::size_t BlockedLayers::insert_until_growth(std::span<const Hash128> hashes, std::span<Outcome> outcomes) {
  constexpr std::size_t kAhead = 16;
  const std::size_t before = count() - 1;
  const PieceAnswers known = ask(before, hashes);
  const Layer& last = *slots_[before];
  const auto prefetch = [&](std::uint64_t hash) {
    if (last.late) {
      last.late->prefetch(last.late->place_of(hash));  // no other thread inserts
    } else {
      prefetch_window(place_of(last.table(), hash));
    }
  };
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      prefetch(hashes[i + kAhead].low);
    }
    const bool is_known = (known[i / 64] >> (i % 64) & 1) != 0;
    outcomes[i] = is_known ? Outcome::kKnown : put_in_last(hashes[i].low);
    if (outcomes[i] == Outcome::kRefused && grow()) {
      return i;
    }
  }
  return hashes.size();
}

// Inserts into the last layer. The outcome is kRefused if the layer is full and does not know the key, or
// memory is lacking.
BlockedLayers::Outcome BlockedLayers::put_in_last(std::uint64_t hash) {
  const BlockedKernel& kernel = chosen_blocked_kernel();
  Layer& last = *slots_[count() - 1];
  if (last.late) {
    return put_in_late(last, hash);
  }
  const std::uint64_t keys = last.keys.load(std::memory_order_relaxed);
  if (keys >= last.size.capacity) {
    return kernel.one.may_contain(last.table(), hash) ? Outcome::kKnown : Outcome::kRefused;
  }
  if (!kernel.one.insert(last.table(), hash)) {
    return Outcome::kKnown;
  }
  last.keys.store(keys + 1, std::memory_order_relaxed);
  return Outcome::kNew;
}

BlockedLayers::Outcome BlockedLayers::put_in_late(Layer& last, std::uint64_t hash) {
  const LateBits::Place place = last.late->place_of(hash);
  if (last.late->contains(place)) {
    return Outcome::kKnown;
  }
  const std::uint64_t keys = last.keys.load(std::memory_order_relaxed);
  if (keys >= last.size.capacity) {
    return Outcome::kRefused;
  }
  const std::lock_guard lock(pieces_.of(place.piece));
  if (!last.late->insert(place)) {
    return Outcome::kRefused;
  }
  last.keys.store(keys + 1, std::memory_order_relaxed);
  return Outcome::kNew;
}

// Adds the next layer if the last one is full. Returns false if it is not, if there is no such layer, no
// memory for it, or no slot.
bool BlockedLayers::grow() {
  const std::size_t layers = count();
  const Layer& last = *slots_[layers - 1];
  if (layers == kMostScalableLayers || last.keys.load(std::memory_order_relaxed) < last.size.capacity) {
    return false;
  }
  LayersBefore before;
  for (std::size_t i = 0; i < layers; ++i) {
    before.add(slots_[i]->size.capacity);
  }
  const Result<LayerSize> size = next_layer_size(plan_, before);
  if (!size || !layer_may_follow(last.size, *size)) {
    return false;
  }
  auto layer = new_layer(*size);
  if (!layer) {
    return false;
  }
  slots_[layers] = std::move(*layer);
  count_.store(layers + 1, std::memory_order_release);
  return true;
}

// ---- merging

// Decides where each layer of another filter goes, and allocates the memory for it. Only then it changes
// anything.
class BlockedLayers::Merger {
 public:
  explicit Merger(BlockedLayers& into) : into_(into), keys_(into.count()) {
    std::transform(into.slots_.begin(), into.slots_.begin() + static_cast<std::ptrdiff_t>(keys_.size()),
                   keys_.begin(), [](const auto& layer) { return layer->keys.load(); });
  }

  Status take(const Layer& layer) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const Layer& ours = into_[i];
      if (ours.size == layer.size && layer.keys <= ours.size.capacity - keys_[i]) {
        keys_[i] += layer.keys;
        return join(i, layer);
      }
    }
    if (keys_.size() + added_.size() == kMostScalableLayers) {
      return Error::capacity("merge", "expected filters that have at most " +
                                          std::to_string(kMostScalableLayers) +
                                          " layers together, found more");
    }
    BLOOMERY_ASSIGN_OR_RETURN(auto copy, new_layer(layer.size));
    copy->keys = layer.keys.load();
    if (!layer.late) {
      std::ranges::copy(layer.bits(), copy->words);
    } else if (!copy->late->unite(*layer.late)) {
      return no_memory();
    }
    added_.push_back(std::move(copy));
    return {};
  }

  void commit() {
    for (auto& [i, joined] : joined_) {
      into_.slots_[i]->late = std::move(joined);
    }
    for (const auto& [i, theirs] : joins_) {
      Layer& ours = *into_.slots_[i];
      std::ranges::transform(ours.bits(), theirs->bits(), ours.words, std::bit_or<>());
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      into_.slots_[i]->keys = keys_[i];
    }
    const std::size_t count = keys_.size() + added_.size();
    std::move(added_.begin(), added_.end(), into_.slots_.begin() + static_cast<std::ptrdiff_t>(keys_.size()));
    // Among the layers of a capacity the one with the fewest keys comes last, where it may be filled.
    std::stable_sort(into_.slots_.begin(), into_.slots_.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const auto& a, const auto& b) {
                       return a->size.capacity != b->size.capacity ? a->size.capacity < b->size.capacity
                                                                   : a->keys > b->keys;
                     });
    into_.count_ = count;
  }

 private:
  using JoinedLate = std::pair<std::size_t, LateBits>;

  static Error no_memory() { return Error::capacity("merge", "memory is lacking"); }

  Status join(std::size_t i, const Layer& layer) {
    if (!layer.late) {
      joins_.emplace_back(i, &layer);
      return {};
    }
    auto found = std::ranges::find(joined_, i, &JoinedLate::first);
    if (found == joined_.end()) {
      found = joined_.emplace(joined_.end(), i, *into_[i].late);
    }
    return found->second.unite(*layer.late) ? Status() : Status(no_memory());
  }

  BlockedLayers& into_;
  std::vector<std::uint64_t> keys_;                          // keys of our layers, once all layers are joined
  std::vector<std::pair<std::size_t, const Layer*>> joins_;  // of layers that have their bits
  std::vector<JoinedLate> joined_;                           // our late layers with theirs in them
  std::vector<std::unique_ptr<Layer>> added_;
};

Status BlockedLayers::merge(const BlockedLayers& other) {
  Merger merger(*this);
  for (std::size_t i = 0; i < other.count(); ++i) {
    BLOOMERY_RETURN_IF_ERROR(merger.take(other[i]));
  }
  merger.commit();
  return {};
}

// ---- content

LayerContent BlockedLayers::content(std::size_t i) const {
  const Layer& layer = *slots_[i];
  if (!layer.late) {
    return content_of_bits(layer.table(), layer.size.shape);
  }
  const std::lock_guard lock(inserts_);
  return layer.late->content();
}

double BlockedLayers::predicted_fpp(std::size_t i) const {
  const Layer& layer = *slots_[i];
  const std::uint64_t keys = layer.keys.load(std::memory_order_relaxed);
  const double as_bits = bloomery::predicted_fpp(layer.size.shape, keys);
  if (!layer.late) {
    return as_bits;
  }
  const std::lock_guard lock(inserts_);
  return std::min(layer.late->fpp(keys, as_bits), 1.0);
}

std::uint64_t BlockedLayers::layer_bytes(std::size_t i) const {
  const Layer& layer = *slots_[i];
  if (!layer.late) {
    return layer.size.bytes();
  }
  const std::lock_guard lock(inserts_);
  return layer.late->file_bytes();
}

// ---- bytes

std::uint64_t BlockedLayers::byte_size() const {
  const std::size_t layers = count();
  std::uint64_t pieces = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < layers; ++i) {
    pieces += slots_[i]->late ? slots_[i]->late->piece_count() : 0;
    bytes += layer_bytes(i);
  }
  return written_front_bytes(layers, pieces) + bytes;
}

LayerFront BlockedLayers::front() const {
  LayerFront front{.bytes = 0, .expansion = plan_.expansion, .layers = {}};
  for (std::size_t i = 0; i < count(); ++i) {
    const Layer& layer = *slots_[i];
    front.add(layer.size, layer.keys.load(std::memory_order_relaxed),
              layer.late ? layer.late->states() : std::span<const std::uint8_t>());
  }
  return front;
}

SegmentedPayload::Image BlockedLayers::image() const {
  Image image;
  image.front = write_layer_front(front());
  for (std::size_t i = 0; i < count(); ++i) {
    const Layer& layer = *slots_[i];
    if (layer.late) {
      for (std::size_t piece = 0; piece < layer.late->piece_count(); ++piece) {
        layer.late->for_piece_in_file(
            piece, [&](std::span<const std::byte> bytes) { image.pieces.push_back(bytes); });
      }
    } else {
      image.pieces.push_back(std::as_bytes(layer.bits()));
    }
  }
  return image;
}

// The first layer always has its bits.
void BlockedLayers::clear() {
  const std::size_t layers = count();
  count_ = 1;
  std::for_each(slots_.begin() + 1, slots_.begin() + static_cast<std::ptrdiff_t>(layers),
                [](auto& layer) { layer.reset(); });
  Layer& first = *slots_[0];
  first.keys = 0;
  std::fill_n(first.words, first.size.shape.words, 0);
}

}  // namespace bloomery
