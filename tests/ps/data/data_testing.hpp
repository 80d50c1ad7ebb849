// What the tests of data sources share: files that rank 0 writes for all, and the message of a refusal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/collectives.hpp"
#include "core/communicator.hpp"
#include "core/error.hpp"
#include "core/temporary_directory.hpp"
#include "ps/data/dataset.hpp"

namespace ps {

inline const core::Communicator& world() {
  static const core::Communicator comm = core::Communicator::world();
  return comm;
}

/// Writes `bytes` for all ranks. Collective.
inline std::string write_file(const test::TemporaryDirectory& directory, const std::string& name,
                              std::string_view bytes) {
  if (world().rank() == 0) {
    std::ofstream(directory.file(name), std::ios::binary) << bytes;
  }
  core::barrier(world());
  return directory.file(name);
}

/// The same, gzipped. Collective.
inline std::string write_gzip(const test::TemporaryDirectory& directory, const std::string& name,
                              std::string_view bytes) {
  if (world().rank() == 0) {
    const gzFile file = gzopen(directory.file(name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }
  core::barrier(world());
  return directory.file(name);
}

/// The workers that this rank carries when they are dealt to the ranks in turn.
inline std::vector<std::size_t> my_workers(std::size_t workers) {
  std::vector<std::size_t> mine;
  for (std::size_t w = static_cast<std::size_t>(world().rank()); w < workers;
       w += static_cast<std::size_t>(world().size())) {
    mine.push_back(w);
  }
  return mine;
}

template <class T = double>
Dataset<T> load(const DataOptions& options, std::size_t workers) {
  return load_dataset<T>(world(), options, my_workers(workers), workers);
}

/// What load_dataset() throws; the same on all ranks, or the test fails. Collective.
template <class T = double>
std::string refusal(const DataOptions& options, std::size_t workers = 3) {
  std::string message = "nothing was thrown";
  try {
    (void)load<T>(options, workers);
  } catch (const core::InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(core::broadcast_string(world(), message, 0), message) << "ranks disagree";
  return message;
}

/// A row in words, so that rows of any kind and from any rank can be compared: "label key:value …".
inline std::string text_of(const Examples<double>& share, std::size_t row) {
  std::string text = std::to_string(share.labels[row]);
  if (share.is_sparse()) {
    for (std::size_t e = share.row_begin[row]; e < share.row_begin[row + 1]; ++e) {
      text += " " + std::to_string(share.keys[e]) + ":" + std::to_string(share.values[e]);
    }
  } else {
    for (std::size_t k = 0; k < share.features; ++k) {
      text += " " + std::to_string(share.dense[row * share.features + k]);
    }
  }
  return text;
}

/// All rows in the order of the source, put together from the shares of all ranks. Collective.
inline std::vector<std::string> all_rows(const Dataset<double>& data, std::size_t workers) {
  std::vector<std::string> rows(data.shape.rows);
  for (std::size_t w = 0; w < workers; ++w) {
    const int owner = static_cast<int>(w % static_cast<std::size_t>(world().size()));
    for (std::size_t r = w, i = 0; r < data.shape.rows; r += workers, ++i) {
      std::string text;
      if (owner == world().rank()) {
        const Examples<double>& share = data.shares.at(w / static_cast<std::size_t>(world().size()));
        if (i < share.rows) text = text_of(share, i);
      }
      rows[r] = core::broadcast_string(world(), text, owner);
    }
  }
  return rows;
}

} // namespace ps
