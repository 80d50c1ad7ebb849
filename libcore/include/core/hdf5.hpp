// The part of serial HDF5 that we use, with handles that close themselves and errors that are exceptions.
//
// Several processes write one file without parallel HDF5: one creates the file with contiguous datasets whose space is
// allocated at once, closes it and tells the others at which byte each dataset begins; then every process writes its
// part with plain system calls (SharedAtomicFile::write_at). The numbers are stored in this machine's byte order, which
// HDF5 records, so any reader gets them right.
//
// HDF5 is not called from several threads. All functions are local. Names may be paths ("state/value"): groups on the
// way are created.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "core/error.hpp"

namespace core::hdf5 {

/// What HDF5 refused, or what we refuse to read: "cannot ACTION: REASON", where ACTION says what was being done to
/// which file.
class Hdf5Error : public Error {
 public:
  Hdf5Error(const std::string& action, std::string reason)
      : Error("cannot " + action + ": " + reason), reason_(std::move(reason)) {}
  /// For callers that know a better name for the file.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  std::string reason_;
};

/// Throws Hdf5Error with the deepest reason on HDF5's error stack: the operating system's where there is one.
[[noreturn]] void throw_hdf5_error(const std::string& action);

/// Owns an HDF5 identifier. Move-only; closing errors show up in File::close only.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) noexcept : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  [[nodiscard]] hid_t id() const noexcept { return id_; }
  /// Gives the identifier away.
  [[nodiscard]] hid_t release() noexcept { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using Dataset = Handle<H5Dclose>;
using Dataspace = Handle<H5Sclose>;
using Datatype = Handle<H5Tclose>;
using PropertyList = Handle<H5Pclose>;
using Attribute = Handle<H5Aclose>;
using Group = Handle<H5Gclose>;
using Object = Handle<H5Oclose>;

/// `id` in a handle; throws "cannot ACTION: ..." when the call that gave it failed.
template <class AnyHandle>
[[nodiscard]] AnyHandle own(hid_t id, const std::string& action) {
  if (id < 0) throw_hdf5_error(action);
  return AnyHandle(id);
}
/// Throws "cannot ACTION: ..." when `status`, a call's result, is negative.
inline void check(herr_t status, const std::string& action) {
  if (status < 0) throw_hdf5_error(action);
}

/// An open file. The first one switches off HDF5's own printing of errors, and its clean-up at exit (see hdf5.cpp).
class File {
 public:
  /// Creates `path` or empties what is there.
  [[nodiscard]] static File create(const std::string& path);
  [[nodiscard]] static File open(const std::string& path);
  [[nodiscard]] static File open_for_writing(const std::string& path);
  /// The same as create(), with objects of `alignment` bytes and more at multiples of it: for datasets that are written
  /// by large plain writes.
  [[nodiscard]] static File create_aligned(const std::string& path, std::size_t alignment);
  /// Creates a file that exists in memory only; image() gives its bytes. The first `user_block` bytes (0, or a power of
  /// two from 512 on) are left to the caller. `name` is for messages.
  [[nodiscard]] static File create_in_memory(const std::string& name, std::size_t user_block);
  /// Opens a copy of the bytes of a file. `name` is for messages.
  [[nodiscard]] static File open_image(const std::string& name, std::span<const std::byte> image);

  [[nodiscard]] hid_t id() const noexcept { return handle_.id(); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// The bytes of the file as it stands, with zeros in the user block.
  [[nodiscard]] std::vector<std::byte> image() const;
  /// Writes everything and closes; throws where the destructor would hide that the disk is full.
  void close();

 private:
  File(hid_t id, std::string path) : handle_(id), path_(std::move(path)) {}
  Handle<H5Fclose> handle_;
  std::string path_;
};

/// True if `path` is an HDF5 file (false too when it does not exist).
[[nodiscard]] bool is_hdf5_file(const std::string& path);

/// HDF5's type for T, which is arithmetic. bool is stored as one byte.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] hid_t native_type() noexcept {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, bool>)
    return H5T_NATIVE_UINT8;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? H5T_NATIVE_INT8
           : sizeof(T) == 2 ? H5T_NATIVE_INT16
           : sizeof(T) == 4 ? H5T_NATIVE_INT32
                            : H5T_NATIVE_INT64;
  else
    return sizeof(T) == 1   ? H5T_NATIVE_UINT8
           : sizeof(T) == 2 ? H5T_NATIVE_UINT16
           : sizeof(T) == 4 ? H5T_NATIVE_UINT32
                            : H5T_NATIVE_UINT64;
}

namespace detail {
void write_dataset(const File&, const std::string& name, hid_t type, const void* data, std::size_t count);
void read_dataset(const File&, const std::string& name, hid_t type, void* data, std::size_t first, std::size_t count);
void write_array(const File&, const std::string& name, hid_t type, const void* data,
                 std::span<const std::size_t> shape);
void read_array(const File&, const std::string& name, hid_t type, void* data, std::span<const std::size_t> shape);
void write_attribute(const File&, const std::string& object, const std::string& name, hid_t type, const void* value);
void read_attribute(const File&, const std::string& object, const std::string& name, hid_t type, void* value);
} // namespace detail

/// Creates a one-dimensional dataset whose `count` elements of an HDF5 type have their place in the file at once,
/// without writing them, and returns the byte at which they begin (0 when there are none). No dataset of ours carries
/// the time of its making, so that equal contents are equal files.
std::uint64_t create_contiguous_dataset(const File& file, const std::string& name, hid_t type, std::size_t count);
/// The same for elements of type T.
template <class T>
std::uint64_t create_contiguous_dataset(const File& file, const std::string& name, std::size_t count) {
  return create_contiguous_dataset(file, name, native_type<T>(), count);
}
/// Creates a one-dimensional dataset with this content.
template <class T>
void write_dataset(const File& file, const std::string& name, std::span<const T> data) {
  detail::write_dataset(file, name, native_type<T>(), data.data(), data.size());
}

/// True if the file has an object of this name.
[[nodiscard]] bool has_object(const File& file, const std::string& name);
/// Number of elements of a one-dimensional dataset; throws if there is none of this name or it has another rank.
[[nodiscard]] std::size_t dataset_length(const File& file, const std::string& name);

/// Elements `first` .. `first` + `count` - 1 of a one-dimensional dataset of any numeric type that T can represent:
/// integers are not read as floating-point numbers nor the reverse, and nothing is cut off.
template <class T>
[[nodiscard]] std::vector<T> read_dataset(const File& file, const std::string& name, std::size_t first,
                                          std::size_t count) {
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no storage to read into");
  std::vector<T> data(count);
  detail::read_dataset(file, name, native_type<T>(), data.data(), first, count);
  return data;
}
/// The whole dataset.
template <class T>
[[nodiscard]] std::vector<T> read_dataset(const File& file, const std::string& name) {
  return read_dataset<T>(file, name, 0, dataset_length(file, name));
}

/// The same for a dataset of several dimensions; its elements come row by row, and are as many as `shape` says.
template <class T>
void write_array(const File& file, const std::string& name, std::span<const T> data,
                 std::span<const std::size_t> shape) {
  detail::write_array(file, name, native_type<T>(), data.data(), shape);
}
/// Reads a dataset that has exactly this shape into `data`; refuses other shapes, and types as read_dataset() does.
template <class T>
void read_array(const File& file, const std::string& name, std::span<T> data, std::span<const std::size_t> shape) {
  detail::read_array(file, name, native_type<T>(), data.data(), shape);
}

/// Attributes of `object` ("/" is the file itself; else a dataset or a group that exists). Writing replaces.
template <class T>
void write_attribute(const File& file, const std::string& object, const std::string& name, T value) {
  detail::write_attribute(file, object, name, native_type<T>(), &value);
}
void write_string_attribute(const File& file, const std::string& object, const std::string& name,
                            const std::string& text);
[[nodiscard]] bool has_attribute(const File& file, const std::string& object, const std::string& name);
template <class T>
[[nodiscard]] T read_attribute(const File& file, const std::string& object, const std::string& name) {
  T value{};
  detail::read_attribute(file, object, name, native_type<T>(), &value);
  return value;
}
/// Reads strings of fixed and of variable length.
[[nodiscard]] std::string read_string_attribute(const File& file, const std::string& object, const std::string& name);

} // namespace core::hdf5
