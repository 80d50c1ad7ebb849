// From the ids that occur on a rank to ordinals 0 .. n-1 in ascending order of id.
//
// Ids below about 32 times their number (nearly all files, all generators) use a bitmap with a running count per word:
// an ordinal is one count plus a popcount, and the whole table of a million ids fits into the second-level cache.
// Others use an open-addressing hash table.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace pregel {

class IdIndex {
 public:
  IdIndex() = default;
  /// For ids <= `largest`, of which about `expected` distinct ones will come.
  IdIndex(std::uint64_t largest, std::uint64_t expected);

  /// Before finish(): notes that `id` occurs. Repeats are welcome.
  void insert(std::uint64_t id) {
    if (dense_)
      words_[id / 64].bits |= std::uint64_t{1} << (id % 64);
    else
      insert_sparse(id);
  }
  /// Ends insertion and assigns ordinals. Returns the ids in ascending order. Throws core::Error beyond 2^32-2 ids.
  std::vector<std::uint64_t> finish();

  /// After finish(), for an id that was inserted.
  [[nodiscard]] std::uint32_t ordinal(std::uint64_t id) const noexcept {
    if (dense_) {
      const Word& word = words_[id / 64];
      return word.before + static_cast<std::uint32_t>(std::popcount(word.bits & ((std::uint64_t{1} << (id % 64)) - 1)));
    }
    return table_[probe(id)].ordinal;
  }
  /// After finish(), for any id.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint64_t id) const noexcept;
  /// The ids inserted so far, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (dense_) {
      for (std::size_t w = 0; w < words_.size(); ++w) {
        for (std::uint64_t bits = words_[w].bits; bits != 0; bits &= bits - 1)
          visit(w * 64 + static_cast<unsigned>(std::countr_zero(bits)));
      }
    } else {
      for (const Entry& entry : table_) {
        if (entry.used) visit(entry.id);
      }
    }
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return words_.capacity() * sizeof(Word) + table_.capacity() * sizeof(Entry);
  }

 private:
  struct Word {
    std::uint64_t bits = 0;
    std::uint32_t before = 0; // ids in earlier words
  };
  struct Entry {
    std::uint64_t id = 0;
    std::uint32_t ordinal = 0;
    std::uint32_t used = 0;
  };

  void insert_sparse(std::uint64_t id);
  void grow();
  /// Position of `id` in the table, or of the free entry where it would go.
  [[nodiscard]] std::size_t probe(std::uint64_t id) const noexcept;

  bool dense_ = true;
  std::vector<Word> words_;
  std::vector<Entry> table_; // a power of two, at most two thirds full
  std::size_t used_ = 0;
};

} // namespace pregel
