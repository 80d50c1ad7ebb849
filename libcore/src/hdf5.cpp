// HDF5's C interface behind handles and exceptions.
#include "core/hdf5.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace core::hdf5 {
namespace {

/// Before HDF5's first use. Its clean-up at exit is left out: after a close that failed (disk full) that of HDF5 1.10
/// walks into freed memory, and handles close everything anyway. And its error stack goes to standard error unless told
/// otherwise; our users get one line.
void prepare_library() {
  static const bool prepared = [] {
    (void)H5dont_atexit(); // refused where somebody else has used HDF5 before
    return H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  }();
  (void)prepared;
}

extern "C" herr_t superstep_keep_first_reason(unsigned depth, const H5E_error2_t* error, void* reason) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 0;
}

/// HDF5's text on one line. Where the system refused something, HDF5 tells more than a user wants to read and puts the
/// time, with a newline, in front ("file write failed: time = ..., errno = 28, error message = 'No space left on
/// device', buf = ..."): the system's own words remain.
std::string readable(std::string reason) {
  constexpr std::string_view kBefore = "error message = '";
  if (const std::size_t before = reason.find(kBefore); before != std::string::npos) {
    reason.erase(0, before + kBefore.size());
    reason.resize(std::min(reason.find('\''), reason.size()));
  }
  std::ranges::replace(reason, '\n', ' ');
  return reason.empty() ? "unknown HDF5 error" : reason;
}

std::string about(const File& file, const char* verb, const std::string& name) {
  return fmt::format("{} {} in {}", verb, name, file.path());
}

PropertyList intermediate_groups() {
  auto list = own<PropertyList>(H5Pcreate(H5P_LINK_CREATE), "create a property list");
  check(H5Pset_create_intermediate_group(list.id(), 1), "create a property list");
  return list;
}

/// Of a dataset without a time stamp.
PropertyList creation_list(const std::string& action) {
  auto list = own<PropertyList>(H5Pcreate(H5P_DATASET_CREATE), action);
  check(H5Pset_obj_track_times(list.id(), false), action);
  return list;
}

/// Of a file that stays in memory.
PropertyList memory_access(const std::string& action) {
  constexpr std::size_t kGrowBy = std::size_t{64} << 10;
  auto list = own<PropertyList>(H5Pcreate(H5P_FILE_ACCESS), action);
  check(H5Pset_fapl_core(list.id(), kGrowBy, false), action);
  return list;
}

bool begins_as_hdf5(std::span<const std::byte> image) noexcept {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  return image.size() >= kSignature.size() && std::memcmp(image.data(), kSignature.data(), kSignature.size()) == 0;
}

Dataspace one_dimensional(std::size_t count) {
  const hsize_t length = count;
  return own<Dataspace>(H5Screate_simple(1, &length, nullptr), "create a dataspace");
}

Dataset open_dataset(const File& file, const std::string& name) {
  return own<Dataset>(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), about(file, "open dataset", name));
}

Object open_object(const File& file, const std::string& name) {
  return own<Object>(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT), about(file, "open", name));
}

std::size_t length_of(const File& file, const std::string& name, const Dataset& dataset) {
  const auto space = own<Dataspace>(H5Dget_space(dataset.id()), about(file, "read dataset", name));
  if (H5Sget_simple_extent_ndims(space.id()) != 1)
    throw Hdf5Error(about(file, "read dataset", name), "it is not one-dimensional");
  return static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.id()));
}

/// HDF5 converts numbers silently and clips what does not fit; what could change a value is refused.
void require_lossless(const std::string& action, hid_t stored, hid_t wanted) {
  const H5T_class_t stored_class = H5Tget_class(stored);
  bool fits = stored_class == H5Tget_class(wanted) && H5Tget_size(stored) <= H5Tget_size(wanted);
  if (fits && stored_class == H5T_INTEGER && H5Tget_sign(stored) != H5Tget_sign(wanted))
    fits = H5Tget_sign(stored) == H5T_SGN_NONE && H5Tget_size(stored) < H5Tget_size(wanted);
  if (!fits) throw Hdf5Error(action, "it holds numbers of another type");
}

Datatype text_type() {
  auto type = own<Datatype>(H5Tcopy(H5T_C_S1), "create a string type");
  check(H5Tset_size(type.id(), H5T_VARIABLE), "create a string type");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "create a string type");
  return type;
}

Attribute create_attribute(const File& file, const std::string& object, const std::string& name, hid_t type) {
  const Object owner = open_object(file, object);
  const std::string action = about(file, "write attribute", name);
  const htri_t exists = H5Aexists(owner.id(), name.c_str());
  check(exists, action);
  if (exists > 0) check(H5Adelete(owner.id(), name.c_str()), action);
  const auto space = own<Dataspace>(H5Screate(H5S_SCALAR), action);
  return own<Attribute>(H5Acreate2(owner.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), action);
}

Attribute open_attribute(const File& file, const std::string& object, const std::string& name) {
  const std::string action = about(file, "read attribute", name);
  auto attribute =
      own<Attribute>(H5Aopen_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), action);
  const auto space = own<Dataspace>(H5Aget_space(attribute.id()), action);
  if (H5Sget_simple_extent_npoints(space.id()) != 1) throw Hdf5Error(action, "it is not a single value");
  return attribute;
}

} // namespace

void throw_hdf5_error(const std::string& action) {
  std::string reason;
  // Upwards from the deepest function, which knows the cause ("No space left on device").
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, superstep_keep_first_reason, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Hdf5Error(action, readable(std::move(reason)));
}

File File::create(const std::string& path) {
  prepare_library();
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (id < 0) throw_hdf5_error("create " + path);
  return {id, path};
}

File File::open(const std::string& path) {
  prepare_library();
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) throw_hdf5_error("open " + path);
  return {id, path};
}

File File::open_for_writing(const std::string& path) {
  prepare_library();
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  if (id < 0) throw_hdf5_error("open " + path);
  return {id, path};
}

File File::create_aligned(const std::string& path, std::size_t alignment) {
  prepare_library();
  const std::string action = "create " + path;
  const auto access = own<PropertyList>(H5Pcreate(H5P_FILE_ACCESS), action);
  check(H5Pset_alignment(access.id(), alignment, alignment), action);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id());
  if (id < 0) throw_hdf5_error(action);
  return {id, path};
}

File File::create_in_memory(const std::string& name, std::size_t user_block) {
  prepare_library();
  const std::string action = "create " + name;
  const auto creation = own<PropertyList>(H5Pcreate(H5P_FILE_CREATE), action);
  check(H5Pset_userblock(creation.id(), user_block), action);
  const PropertyList access = memory_access(action);
  const hid_t id = H5Fcreate((name + " (in memory)").c_str(), H5F_ACC_TRUNC, creation.id(), access.id());
  if (id < 0) throw_hdf5_error(action);
  return {id, name};
}

File File::open_image(const std::string& name, std::span<const std::byte> image) {
  prepare_library();
  const std::string action = "open " + name;
  const PropertyList access = memory_access(action);
  // HDF5 copies the image; its interface merely lacks the const.
  check(H5Pset_file_image(access.id(), const_cast<std::byte*>(image.data()), image.size()), action);
  // HDF5 refuses the name of a file that exists.
  const hid_t id = H5Fopen((name + " (in memory)").c_str(), H5F_ACC_RDONLY, access.id());
  if (id < 0) throw_hdf5_error(action);
  return {id, name};
}

std::vector<std::byte> File::image() const {
  const std::string action = "copy " + path_;
  check(H5Fflush(handle_.id(), H5F_SCOPE_GLOBAL), action);
  const auto creation = own<PropertyList>(H5Fget_create_plist(handle_.id()), action);
  hsize_t user_block = 0;
  check(H5Pget_userblock(creation.id(), &user_block), action);
  const ssize_t bytes = H5Fget_file_image(handle_.id(), nullptr, 0);
  if (bytes < 0) throw_hdf5_error(action);
  std::vector<std::byte> image(static_cast<std::size_t>(bytes));
  if (H5Fget_file_image(handle_.id(), image.data(), image.size()) != bytes) throw_hdf5_error(action);
  // HDF5 1.10 leaves the user block out, and does not say whether it should.
  if (begins_as_hdf5(image)) image.insert(image.begin(), user_block, std::byte{0});
  return image;
}

void File::close() {
  check(H5Fflush(handle_.id(), H5F_SCOPE_GLOBAL), "write " + path_);
  check(H5Fclose(handle_.release()), "write " + path_);
}

bool is_hdf5_file(const std::string& path) {
  prepare_library();
  return H5Fis_hdf5(path.c_str()) > 0;
}

bool has_object(const File& file, const std::string& name) {
  // H5Oexists_by_name fails, instead of saying no, when a group on the way is missing: ask for each in turn.
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string prefix = name.substr(0, end);
    if (prefix == "/" || prefix.empty()) return true;
    if (H5Lexists(file.id(), prefix.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return H5Oexists_by_name(file.id(), name.c_str(), H5P_DEFAULT) > 0;
  }
}

std::size_t dataset_length(const File& file, const std::string& name) {
  return length_of(file, name, open_dataset(file, name));
}

void write_string_attribute(const File& file, const std::string& object, const std::string& name,
                            const std::string& text) {
  const Datatype type = text_type();
  const Attribute attribute = create_attribute(file, object, name, type.id());
  const char* const pointer = text.c_str();
  check(H5Awrite(attribute.id(), type.id(), &pointer), about(file, "write attribute", name));
}

bool has_attribute(const File& file, const std::string& object, const std::string& name) {
  return has_object(file, object) && H5Aexists_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string read_string_attribute(const File& file, const std::string& object, const std::string& name) {
  const std::string action = about(file, "read attribute", name);
  const Attribute attribute = open_attribute(file, object, name);
  const auto stored = own<Datatype>(H5Aget_type(attribute.id()), action);
  if (H5Tget_class(stored.id()) != H5T_STRING) throw Hdf5Error(action, "it is not a string");
  if (H5Tis_variable_str(stored.id()) > 0) {
    char* text = nullptr;
    check(H5Aread(attribute.id(), stored.id(), &text), action);
    const std::unique_ptr<char, void (*)(char*)> owned(text, [](char* pointer) { H5free_memory(pointer); });
    return text != nullptr ? text : "";
  }
  std::string text(H5Tget_size(stored.id()), '\0');
  check(H5Aread(attribute.id(), stored.id(), text.data()), action);
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

std::uint64_t create_contiguous_dataset(const File& file, const std::string& name, hid_t type, std::size_t count) {
  const std::string action = about(file, "create dataset", name);
  const PropertyList creation = creation_list(action);
  check(H5Pset_layout(creation.id(), H5D_CONTIGUOUS), action);
  check(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), action);
  // The content comes from elsewhere: filling first would write the file twice.
  check(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), action);
  const Dataspace space = one_dimensional(count);
  const PropertyList links = intermediate_groups();
  const auto dataset = own<Dataset>(
      H5Dcreate2(file.id(), name.c_str(), type, space.id(), links.id(), creation.id(), H5P_DEFAULT), action);
  if (count == 0) return 0;
  const haddr_t offset = H5Dget_offset(dataset.id());
  if (offset == HADDR_UNDEF) throw_hdf5_error(action);
  return offset;
}

namespace detail {

void write_dataset(const File& file, const std::string& name, hid_t type, const void* data, std::size_t count) {
  const std::string action = about(file, "write dataset", name);
  const Dataspace space = one_dimensional(count);
  const PropertyList links = intermediate_groups();
  const PropertyList creation = creation_list(action);
  const auto dataset = own<Dataset>(
      H5Dcreate2(file.id(), name.c_str(), type, space.id(), links.id(), creation.id(), H5P_DEFAULT), action);
  if (count > 0) check(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), action);
}

void read_dataset(const File& file, const std::string& name, hid_t type, void* data, std::size_t first,
                  std::size_t count) {
  const std::string action = about(file, "read dataset", name);
  const Dataset dataset = open_dataset(file, name);
  const std::size_t length = length_of(file, name, dataset);
  if (first > length || count > length - first) throw Hdf5Error(action, fmt::format("it has only {} elements", length));
  const auto stored = own<Datatype>(H5Dget_type(dataset.id()), action);
  require_lossless(action, stored.id(), type);
  if (count == 0) return;
  const auto in_file = own<Dataspace>(H5Dget_space(dataset.id()), action);
  const hsize_t start = first, extent = count;
  check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, &start, nullptr, &extent, nullptr), action);
  const Dataspace in_memory = one_dimensional(count);
  check(H5Dread(dataset.id(), type, in_memory.id(), in_file.id(), H5P_DEFAULT, data), action);
}

void write_array(const File& file, const std::string& name, hid_t type, const void* data,
                 std::span<const std::size_t> shape) {
  const std::string action = about(file, "write dataset", name);
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const auto space =
      own<Dataspace>(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), action);
  const PropertyList links = intermediate_groups();
  const PropertyList creation = creation_list(action);
  const auto dataset = own<Dataset>(
      H5Dcreate2(file.id(), name.c_str(), type, space.id(), links.id(), creation.id(), H5P_DEFAULT), action);
  check(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), action);
}

void read_array(const File& file, const std::string& name, hid_t type, void* data, std::span<const std::size_t> shape) {
  const std::string action = about(file, "read dataset", name);
  const Dataset dataset = open_dataset(file, name);
  const auto stored = own<Datatype>(H5Dget_type(dataset.id()), action);
  require_lossless(action, stored.id(), type);
  const auto space = own<Dataspace>(H5Dget_space(dataset.id()), action);
  const int dimensions = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(dimensions, 0)));
  if (dimensions > 0) check(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), action);
  if (!std::ranges::equal(extents, shape))
    throw Hdf5Error(action,
                    fmt::format("its shape is {}, expected {}", fmt::join(extents, " x "), fmt::join(shape, " x ")));
  check(H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), action);
}

void write_attribute(const File& file, const std::string& object, const std::string& name, hid_t type,
                     const void* value) {
  const Attribute attribute = create_attribute(file, object, name, type);
  check(H5Awrite(attribute.id(), type, value), about(file, "write attribute", name));
}

void read_attribute(const File& file, const std::string& object, const std::string& name, hid_t type, void* value) {
  const std::string action = about(file, "read attribute", name);
  const Attribute attribute = open_attribute(file, object, name);
  const auto stored = own<Datatype>(H5Aget_type(attribute.id()), action);
  require_lossless(action, stored.id(), type);
  check(H5Aread(attribute.id(), type, value), action);
}

} // namespace detail
} // namespace core::hdf5
