// Writing and reading a part; see the header for the idea.
#include "part_file.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/checkpoint/checksum.hpp"
#include "core/error.hpp"
#include "new_file.hpp"

namespace core::checkpoint {
namespace {

/// Datasets of a page and more begin at a page: a block of a write is then a number of whole pages.
constexpr std::size_t kAlignment = 4096;
/// What is checksummed and written (or read and checksummed) at a time: it should stay in the cache between the two.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

template <class F>
void for_each_block(std::size_t bytes, F&& block) {
  for (std::size_t first = 0; first < bytes; first += kBlockBytes) block(first, std::min(kBlockBytes, bytes - first));
}

/// A dataset's place in the file.
struct Stretch {
  std::uint64_t begin = 0, end = 0;
};

/// The places of all datasets, ascending.
std::vector<Stretch> stretches_of(const PartRecord& record) {
  std::vector<Stretch> stretches;
  const auto add = [&](const DatasetRecord& dataset, std::uint64_t element_bytes) {
    if (dataset.elements > 0) stretches.push_back({dataset.offset, dataset.offset + dataset.elements * element_bytes});
  };
  for (const TableRecord& table : record.tables)
    for (const ColumnRecord& column : table.columns) {
      add(column.values, column.type.bytes);
      add(column.counts, sizeof(std::uint64_t));
    }
  std::ranges::sort(stretches, {}, &Stretch::begin);
  return stretches;
}

/// Checksum of the bytes outside the datasets: HDF5's own structures and the padding between.
template <class File>
std::uint32_t structure_checksum(const File& file, const PartRecord& record) {
  Checksum checksum;
  std::vector<std::byte> buffer;
  std::uint64_t position = 0;
  const auto add_until = [&](std::uint64_t end) {
    if (end <= position) return;
    for_each_block(end - position, [&](std::size_t first, std::size_t bytes) {
      buffer.resize(bytes);
      file.read_at(buffer, position + first);
      checksum.add(buffer);
    });
  };
  for (const Stretch& stretch : stretches_of(record)) {
    add_until(stretch.begin);
    position = stretch.end;
  }
  add_until(record.bytes);
  return checksum.value();
}

/// Has HDF5 make the file, and notes where each dataset's bytes belong.
std::vector<TableRecord> lay_out(const std::string& path, const Part& tables) {
  std::vector<TableRecord> records;
  hdf5::File file = hdf5::File::create_aligned(path, kAlignment);
  const hdf5::Datatype count_type = hdf5_type(element_type<std::uint64_t>());
  for (const Table& table : tables) {
    TableRecord& record = records.emplace_back(TableRecord{table.name(), table.rows(), {}});
    for (const Column& column : table.columns()) {
      ColumnRecord entry{column.name, column.type, column.is_list, {}, {}};
      const hdf5::Datatype type = hdf5_type(column.type);
      entry.values.elements = column.elements();
      entry.values.offset =
          hdf5::create_contiguous_dataset(file, values_path(record, entry), type.id(), column.elements());
      if (column.is_list) {
        entry.counts.elements = column.counts.size();
        entry.counts.offset =
            hdf5::create_contiguous_dataset(file, counts_path(record, entry), count_type.id(), column.counts.size());
      }
      record.columns.push_back(std::move(entry));
    }
  }
  file.close();
  return records;
}

void write_dataset(NewFile& file, std::span<const std::byte> data, DatasetRecord& record) {
  Checksum checksum;
  for_each_block(data.size(), [&](std::size_t first, std::size_t bytes) {
    const auto block = data.subspan(first, bytes);
    checksum.add(block);
    file.write_at(block, record.offset + first);
  });
  record.checksum = checksum.value();
}

/// Reads a dataset into `data`, which has its size.
void read_dataset(const OldFile& file, std::span<std::byte> data, const DatasetRecord& record, const std::string& path,
                  const std::string& name) {
  Checksum checksum;
  for_each_block(data.size(), [&](std::size_t first, std::size_t bytes) {
    const auto block = data.subspan(first, bytes);
    file.read_at(block, record.offset + first);
    checksum.add(block);
  });
  if (checksum.value() != record.checksum)
    throw Error(fmt::format("{}: dataset {} is damaged (its checksum does not match)", path, name));
}

void require_distinct_names(const Part& tables) {
  for (std::size_t i = 0; i < tables.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (tables[i].name() == tables[j].name())
        throw Error(fmt::format("two tables of a checkpoint are called '{}'", tables[i].name()));
}

} // namespace

std::string part_name(int part) {
  return fmt::format("part-{:05}.h5", part);
}

hdf5::Datatype hdf5_type(const ElementType& type) {
  const auto copy_of = [](hid_t native) { return hdf5::own<hdf5::Datatype>(H5Tcopy(native), "create a type"); };
  switch (type.kind) {
    case ElementKind::unsigned_integer:
      switch (type.bytes) {
        case 1: return copy_of(H5T_NATIVE_UINT8);
        case 2: return copy_of(H5T_NATIVE_UINT16);
        case 4: return copy_of(H5T_NATIVE_UINT32);
        case 8: return copy_of(H5T_NATIVE_UINT64);
      }
      break;
    case ElementKind::signed_integer:
      switch (type.bytes) {
        case 1: return copy_of(H5T_NATIVE_INT8);
        case 2: return copy_of(H5T_NATIVE_INT16);
        case 4: return copy_of(H5T_NATIVE_INT32);
        case 8: return copy_of(H5T_NATIVE_INT64);
      }
      break;
    case ElementKind::real:
      if (type.bytes == sizeof(float)) return copy_of(H5T_NATIVE_FLOAT);
      if (type.bytes == sizeof(double)) return copy_of(H5T_NATIVE_DOUBLE);
      if (type.bytes == sizeof(long double)) return copy_of(H5T_NATIVE_LDOUBLE);
      break;
    case ElementKind::opaque: break;
  }
  return hdf5::own<hdf5::Datatype>(H5Tcreate(H5T_OPAQUE, type.bytes), "create a type");
}

PartRecord write_part(const std::string& directory, int part, const Part& tables) {
  for (const Table& table : tables)
    if (table.name().empty()) throw Error("a table of a checkpoint has no name");
  require_distinct_names(tables);
  PartRecord record{part_name(part), 0, 0, {}};
  const std::string path = directory + '/' + record.file;
  NewFile file(path);
  about_to_write(path);
  try {
    record.tables = lay_out(file.temporary_path(), tables);
  } catch (const hdf5::Hdf5Error& error) {
    throw Error(fmt::format("cannot write {}: {}", path, error.reason())); // not the temporary name
  }
  for (std::size_t i = 0; i < tables.size(); ++i)
    for (std::size_t j = 0; j < tables[i].columns().size(); ++j) {
      const Column& column = tables[i].columns()[j];
      ColumnRecord& entry = record.tables[i].columns[j];
      write_dataset(file, column.data, entry.values);
      if (column.is_list) write_dataset(file, std::as_bytes(std::span(column.counts)), entry.counts);
    }
  record.bytes = file.size();
  record.structure = structure_checksum(file, record);
  file.commit();
  sync_directory(directory);
  return record;
}

Part read_part(const std::string& directory, const PartRecord& record) {
  const std::string path = directory + '/' + record.file;
  const OldFile file(path);
  if (const std::uint64_t bytes = file.size(); bytes != record.bytes)
    throw Error(fmt::format("{} has {} bytes, but {} were written", path, bytes, record.bytes));
  if (structure_checksum(file, record) != record.structure)
    throw Error(fmt::format("{}: its HDF5 structure is damaged (its checksum does not match)", path));
  Part part;
  for (const TableRecord& entry : record.tables) {
    Table& table = part.emplace_back(entry.name, entry.rows);
    for (const ColumnRecord& stored : entry.columns) {
      Column column{stored.name, stored.type, stored.is_list, {}, {}};
      column.data.resize(stored.values.elements * stored.type.bytes);
      read_dataset(file, column.data, stored.values, path, values_path(entry, stored));
      column.counts.resize(stored.counts.elements);
      read_dataset(file, std::as_writable_bytes(std::span(column.counts)), stored.counts, path,
                   counts_path(entry, stored));
      table.add_column(std::move(column));
    }
  }
  return part;
}

} // namespace core::checkpoint
