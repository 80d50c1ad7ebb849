// HDF5 virtual datasets: a one-dimensional array that is made of one array in each of several other files.
//
// HDF5 1.10 shows elements of a file that is missing as the fill value, without an error, and its default is zero. The
// fill value here is what no job stores by accident.
#include "index_views.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "part_file.hpp"

namespace core::checkpoint {
namespace {

struct Source {
  const std::string* file;
  std::uint64_t elements;
};

/// One array over all parts that have it.
struct View {
  std::string path;
  ElementType type;
  std::uint64_t elements = 0;
  std::vector<Source> sources;
};

/// The views of all columns, in the order in which parts first name them.
class Views {
 public:
  void add(const std::string& path, const ElementType& type, const std::string& file, std::uint64_t elements) {
    const auto [found, is_new] = places_.try_emplace(path, views_.size());
    if (is_new) views_.push_back({path, type, 0, {}});
    View& view = views_[found->second];
    if (view.type != type)
      throw Error(fmt::format("ranks disagree on {}: {} in one part, {} in {}", path, describe(view.type),
                              describe(type), file));
    view.elements += elements;
    if (elements > 0) view.sources.push_back({&file, elements});
  }
  [[nodiscard]] const std::vector<View>& all() const noexcept { return views_; }

 private:
  std::vector<View> views_;
  std::unordered_map<std::string, std::size_t> places_;
};

Views views_over(std::span<const PartRecord> parts) {
  Views views;
  for (const PartRecord& part : parts)
    for (const TableRecord& table : part.tables)
      for (const ColumnRecord& column : table.columns) {
        views.add(values_path(table, column), column.type, part.file, column.values.elements);
        if (column.is_list)
          views.add(counts_path(table, column), element_type<std::uint64_t>(), part.file, column.counts.elements);
      }
  return views;
}

/// NaN for reals (all bits set), the largest integer, bytes of 0xff.
std::vector<std::byte> fill_value(const ElementType& type) {
  std::vector<std::byte> fill(type.bytes, std::byte{0xff});
  if (type.kind == ElementKind::signed_integer) {
    // The largest one has all bits but the sign's; which byte that is in tells the machine's byte order.
    const bool little = std::endian::native == std::endian::little;
    fill[little ? type.bytes - 1 : 0] = std::byte{0x7f};
  }
  return fill;
}

/// HDF5 reads "%b" in a name as the number of a block.
std::string without_patterns(const std::string& path) {
  std::string escaped;
  for (const char c : path) escaped.append(c == '%' ? 2 : 1, c);
  return escaped;
}

hdf5::Dataspace array_of(std::uint64_t elements) {
  const hsize_t length = elements;
  return hdf5::own<hdf5::Dataspace>(H5Screate_simple(1, &length, nullptr), "create a dataspace");
}

void map_sources(const View& view, hid_t creation, const hdf5::Dataspace& whole, const std::string& action) {
  const std::string source_path = without_patterns(view.path);
  hsize_t first = 0;
  for (const Source& source : view.sources) {
    const hsize_t extent = source.elements;
    hdf5::check(H5Sselect_hyperslab(whole.id(), H5S_SELECT_SET, &first, nullptr, &extent, nullptr), action);
    const hdf5::Dataspace there = array_of(source.elements);
    hdf5::check(H5Pset_virtual(creation, whole.id(), source.file->c_str(), source_path.c_str(), there.id()), action);
    first += extent;
  }
}

void create_view(const hdf5::File& index, const View& view) {
  const hdf5::Datatype type = hdf5_type(view.type);
  if (view.sources.empty()) {
    (void)hdf5::create_contiguous_dataset(index, view.path, type.id(), 0);
    return;
  }
  const std::string action = fmt::format("create dataset {} in {}", view.path, index.path());
  const auto creation = hdf5::own<hdf5::PropertyList>(H5Pcreate(H5P_DATASET_CREATE), action);
  hdf5::check(H5Pset_obj_track_times(creation.id(), false), action);
  const std::vector<std::byte> fill = fill_value(view.type);
  hdf5::check(H5Pset_fill_value(creation.id(), type.id(), fill.data()), action);
  const hdf5::Dataspace whole = array_of(view.elements);
  map_sources(view, creation.id(), whole, action);
  hdf5::check(H5Sselect_all(whole.id()), action);
  const auto links = hdf5::own<hdf5::PropertyList>(H5Pcreate(H5P_LINK_CREATE), action);
  hdf5::check(H5Pset_create_intermediate_group(links.id(), 1), action);
  (void)hdf5::own<hdf5::Dataset>(
      H5Dcreate2(index.id(), view.path.c_str(), type.id(), whole.id(), links.id(), creation.id(), H5P_DEFAULT), action);
}

} // namespace

void create_views(const hdf5::File& index, std::span<const PartRecord> parts) {
  const Views views = views_over(parts);
  for (const View& view : views.all()) create_view(index, view);
}

} // namespace core::checkpoint
