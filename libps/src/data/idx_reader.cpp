#include "data/idx_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "data/byte_source.hpp"
#include "data/labels.hpp"

namespace ps {
namespace {

constexpr unsigned kUnsignedBytes = 8;
constexpr std::size_t kLargestRow = std::size_t{1} << 28;     // bytes
constexpr std::size_t kReserveAtMost = std::size_t{64} << 20; // numbers; a header may promise what the file lacks

/// Where in `name` something like "idx3" stands.
std::size_t find_idx(const std::string& name) {
  for (std::size_t at = name.rfind("idx"); at != std::string::npos && at + 3 < name.size();) {
    if (name[at + 3] >= '1' && name[at + 3] <= '4') return at;
    if (at == 0) break;
    at = name.rfind("idx", at - 1);
  }
  return std::string::npos;
}

/// A file with its header read.
class IdxFile {
 public:
  explicit IdxFile(const std::string& path) : source_(path) {
    unsigned char magic[4];
    read_header(magic);
    if (magic[0] != 0 || magic[1] != 0) fail(0, "starts with no IDX magic number (2051 for images, 2049 for labels)");
    if (magic[2] != kUnsignedBytes) {
      fail(2, fmt::format("numbers of type 0x{:02x}; only unsigned bytes (0x08) are read", magic[2]));
    }
    if (magic[3] < 1 || magic[3] > 4) fail(3, fmt::format("{} dimensions; 1 to 4 are read", magic[3]));
    for (unsigned d = 0; d < magic[3]; ++d) {
      unsigned char size[4];
      read_header(size);
      sizes_.push_back(std::size_t{size[0]} << 24 | std::size_t{size[1]} << 16 | std::size_t{size[2]} << 8 | size[3]);
    }
    for (std::size_t d = 1; d < sizes_.size(); ++d) {
      if (sizes_[d] == 0) fail(4 + 4 * d, "a dimension of size 0");
      if (row_bytes_ > kLargestRow / sizes_[d]) {
        fail(4 + 4 * d, fmt::format("rows of more than {} MiB", kLargestRow >> 20));
      }
      row_bytes_ *= sizes_[d];
    }
  }

  [[noreturn]] void fail(std::size_t byte, const std::string& reason) const {
    throw core::InputError(fmt::format("{}: byte {}: {}", source_.path(), byte, reason));
  }

  [[nodiscard]] const std::string& path() const noexcept { return source_.path(); }
  [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }
  [[nodiscard]] std::size_t rows() const noexcept { return sizes_[0]; }
  [[nodiscard]] std::size_t row_bytes() const noexcept { return row_bytes_; }
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

  /// The next row's numbers.
  void read_row(std::size_t row, std::span<unsigned char> numbers) {
    const std::size_t got = read(numbers);
    if (got < numbers.size()) {
      fail(position_, fmt::format("the file ends in row {} of the {} that its header names", row + 1, rows()));
    }
  }
  void require_end() {
    unsigned char more[1];
    if (read(more) != 0) fail(position_ - 1, fmt::format("more bytes than the {} rows of the header need", rows()));
  }

 private:
  std::size_t read(std::span<unsigned char> bytes) {
    const std::size_t got = source_.read({reinterpret_cast<char*>(bytes.data()), bytes.size()});
    position_ += got;
    return got;
  }
  void read_header(std::span<unsigned char> bytes) {
    if (read(bytes) < bytes.size()) fail(position_, "the file ends within its header");
  }

  ByteSource source_;
  std::vector<std::size_t> sizes_;
  std::size_t row_bytes_ = 1;
  std::size_t position_ = 0;
};

/// `name` with the last `from` replaced, if it is there.
void replace_last(std::string& name, std::string_view from, std::string_view to) {
  const std::size_t at = name.rfind(from);
  if (at != std::string::npos) name.replace(at, from.size(), to);
}

std::string label_path(const std::string& images) {
  const std::filesystem::path path(images);
  std::string name = path.filename();
  if (name.find("images") == std::string::npos) {
    throw core::InputError(fmt::format(
        "{}: an IDX file of data needs `images` in its name (the labels' file is found by `labels` in its place)",
        images));
  }
  replace_last(name, "images", "labels");
  if (const std::size_t at = find_idx(name); at != std::string::npos) name[at + 3] = '1';
  const std::string found = path.parent_path() / name;
  if (std::filesystem::exists(found)) return found;
  const std::string other = found.ends_with(".gz") ? found.substr(0, found.size() - 3) : found + ".gz";
  if (std::filesystem::exists(other)) return other;
  throw core::InputError(fmt::format("{}: no such file (the labels of {})", found, path.filename().string()));
}

std::vector<unsigned char> read_labels(const IdxFile& images, const DataOptions& options, LabelRange& range) {
  IdxFile file(label_path(images.path()));
  if (file.sizes().size() != 1) file.fail(3, fmt::format("{} dimensions; labels have 1", file.sizes().size()));
  if (file.rows() != images.rows()) {
    file.fail(4, fmt::format("{} labels for {} images", file.rows(), images.rows()));
  }
  std::vector<unsigned char> labels;
  const std::size_t header = file.position();
  for (std::size_t r = 0; r < file.rows(); ++r) {
    unsigned char label[1];
    file.read_row(r, label);
    labels.push_back(label[0]);
    const std::string reason = check_label(label[0], options, 0, range);
    if (!reason.empty()) file.fail(header + r, reason);
  }
  file.require_end();
  return labels;
}

std::string test_path(const std::string& train) {
  const std::filesystem::path path(train);
  std::string name = path.filename();
  if (name.find("train") == std::string::npos) {
    throw core::InputError(fmt::format("{}: no `train` in the name, so no held-out part is known", train));
  }
  replace_last(name, "train", "t10k");
  return path.parent_path() / name;
}

/// What numbers are divided by.
unsigned scale_of(unsigned char greatest) {
  return greatest <= 1 ? 1 : greatest <= 16 ? 16 : 255;
}

void check_sizes(const IdxFile& images, const DataOptions& options) {
  if (images.sizes().size() == 1) images.fail(3, "one dimension; these are labels, data have 2 to 4");
  if (options.features != 0 && images.row_bytes() != options.features) {
    images.fail(8, fmt::format("{} features a row, the model has {}", images.row_bytes(), options.features));
  }
}

} // namespace

bool looks_like_idx(const std::string& path) {
  if (find_idx(name_of(path)) != std::string::npos) return true;
  char first[2] = {1, 1};
  ByteSource source(path);
  return source.read(first) == 2 && first[0] == 0 && first[1] == 0;
}

template <class T>
Part<T> read_idx(const std::string& path, const DataOptions& options, const WorkerRows& rows) {
  IdxFile images(options.test_part ? test_path(path) : path);
  check_sizes(images, options);
  Part<T> part;
  part.name = name_of(images.path());
  part.features = images.row_bytes();
  if (const auto& sizes = images.sizes(); sizes.size() >= 3) {
    part.image_rows = sizes[1];
    part.image_columns = sizes[2];
    part.channels = sizes.size() == 4 ? sizes[3] : 1;
  }
  const std::vector<unsigned char> labels = read_labels(images, options, part.labels);
  part.rows = options.max_rows != 0 ? std::min(options.max_rows, images.rows()) : images.rows();
  part.shares.resize(rows.shares());
  for (Examples<T>& share : part.shares) {
    share.dense.reserve(std::min(kReserveAtMost, (part.rows / rows.workers() + 1) * part.features));
  }
  std::vector<unsigned char> row(images.row_bytes());
  unsigned char greatest = 0;
  for (std::size_t r = 0; r < images.rows(); ++r) {
    images.read_row(r, row);
    greatest = std::max(greatest, *std::max_element(row.begin(), row.end()));
    if (r >= part.rows) continue;
    const std::size_t share = rows.share_of(r);
    if (share == WorkerRows::kNotMine) continue;
    Examples<T>& mine = part.shares[share];
    mine.dense.insert(mine.dense.end(), row.begin(), row.end());
    mine.labels.push_back(static_cast<T>(labels[r]));
    ++mine.rows;
  }
  images.require_end();
  const T scale = static_cast<T>(scale_of(greatest));
  for (Examples<T>& share : part.shares) {
    for (T& number : share.dense) number /= scale;
  }
  return part;
}

template Part<float> read_idx(const std::string&, const DataOptions&, const WorkerRows&);
template Part<double> read_idx(const std::string&, const DataOptions&, const WorkerRows&);

} // namespace ps
