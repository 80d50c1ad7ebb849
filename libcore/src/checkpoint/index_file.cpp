// Writing and reading the index; the virtual datasets are in index_views.cpp.
#include "index_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/checkpoint/checksum.hpp"
#include "core/error.hpp"
#include "core/hdf5.hpp"
#include "index_views.hpp"
#include "new_file.hpp"

namespace core::checkpoint {
namespace {

/// Raised when a reader of the older format would misunderstand the newer one.
constexpr std::uint32_t kFormatVersion = 1;

constexpr std::size_t kHeadBytes = 512;
constexpr std::string_view kTitle = "Superstep checkpoint index, format ";

const char* byte_order() noexcept {
  return std::endian::native == std::endian::little ? "little" : "big";
}

/// The user block of an index whose other bytes are `rest`.
std::string head_of(std::span<const std::byte> rest) {
  Checksum checksum;
  checksum.add(rest);
  std::string head = fmt::format("{}{}\nHDF5 follows: {} bytes from byte {} on, CRC-32 {:08x}\n", kTitle,
                                 kFormatVersion, rest.size(), kHeadBytes, checksum.value());
  head.resize(kHeadBytes, '\n');
  return head;
}

std::vector<std::byte> build(const Index& index, const std::string& path) {
  hdf5::File file = hdf5::File::create_in_memory(path, kHeadBytes);
  hdf5::write_attribute(file, "/", "format_version", kFormatVersion);
  hdf5::write_attribute(file, "/", "number", index.number);
  hdf5::write_string_attribute(file, "/", "byte_order", byte_order());
  hdf5::write_string_attribute(file, "/", "checksum", "CRC-32");
  hdf5::write_string_attribute(file, "/", "meta", index.meta.dump());
  hdf5::write_string_attribute(file, "/", "parts", nlohmann::json(index.parts).dump());
  create_views(file, index.parts);
  std::vector<std::byte> image = file.image();
  const std::string head = head_of(std::span(image).subspan(kHeadBytes));
  std::ranges::copy(std::as_bytes(std::span(head)), image.begin());
  return image;
}

/// The format's version, if the block says one.
std::uint32_t version_in(std::string_view head, const std::string& path) {
  std::uint32_t version = 0;
  const bool titled = head.starts_with(kTitle);
  if (titled) std::from_chars(head.data() + kTitle.size(), head.data() + head.size(), version);
  if (version == 0) throw Error(path + " is damaged (it does not begin as an index does)");
  return version;
}

/// Throws unless `image` is what build() made.
void verify(std::span<const std::byte> image, const std::string& path) {
  if (image.size() < kHeadBytes) throw Error(fmt::format("{} is damaged (it has only {} bytes)", path, image.size()));
  const std::string_view head(reinterpret_cast<const char*>(image.data()), kHeadBytes);
  if (const std::uint32_t version = version_in(head, path); version > kFormatVersion)
    throw Error(
        fmt::format("{} has format version {}; this program reads versions up to {}", path, version, kFormatVersion));
  if (head != head_of(image.subspan(kHeadBytes))) throw Error(path + " is damaged (its checksum does not match)");
}

Index parse(std::span<const std::byte> image, const std::string& path) {
  const hdf5::File file = hdf5::File::open_image(path, image);
  if (const std::string order = hdf5::read_string_attribute(file, "/", "byte_order"); order != byte_order())
    throw Error(fmt::format("{} was written on a machine of {}-endian byte order", path, order));
  try {
    return {hdf5::read_attribute<std::uint64_t>(file, "/", "number"),
            nlohmann::json::parse(hdf5::read_string_attribute(file, "/", "meta")),
            nlohmann::json::parse(hdf5::read_string_attribute(file, "/", "parts")).get<std::vector<PartRecord>>()};
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("cannot read {}: {}", path, error.what()));
  }
}

bool all_finite(const nlohmann::json& json) {
  if (json.is_structured()) return std::ranges::all_of(json, all_finite);
  return !json.is_number_float() || std::isfinite(json.get<double>());
}

} // namespace

std::string index_to_text(const Index& index) {
  return nlohmann::json{{"number", index.number}, {"meta", index.meta}, {"parts", index.parts}}.dump();
}

Index index_from_text(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  return {json.at("number"), std::move(json.at("meta")), json.at("parts").get<std::vector<PartRecord>>()};
}

void require_storable(const nlohmann::json& meta) {
  if (!all_finite(meta)) throw Error("the metadata of a checkpoint has a real number that is not finite");
  try {
    (void)meta.dump();
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("the metadata of a checkpoint cannot be stored: {}", error.what()));
  }
}

std::uint64_t write_index(const std::string& directory, const Index& index) {
  const std::string path = directory + '/' + kIndexName;
  const std::vector<std::byte> image = build(index, path);
  NewFile file(path);
  file.write_at(image, 0);
  file.commit();
  return image.size();
}

Index read_index(const std::string& directory) {
  const std::string path = directory + '/' + kIndexName;
  const OldFile file(path);
  std::vector<std::byte> image(file.size());
  file.read_at(image, 0);
  verify(image, path);
  return parse(image, path);
}

} // namespace core::checkpoint
