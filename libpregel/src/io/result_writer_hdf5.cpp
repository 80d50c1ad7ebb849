// HDF5 results without parallel HDF5. A contiguous dataset whose space is allocated at once is a plain array somewhere
// in the file: rank 0 lays the file out with the serial library and closes it, then every rank writes its rows at the
// arrays' places like in any other file. Nothing in the file depends on the number of ranks or on the time of day, so
// equal results are equal files.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/agreement.hpp"
#include "core/atomic_file.hpp"
#include "core/collectives.hpp"
#include "core/hdf5.hpp"
#include "core/metrics.hpp"
#include "pregel/error.hpp"
#include "result_names.hpp"
#include "result_writers.hpp"

namespace pregel {
namespace {

namespace hdf5 = core::hdf5;

/// Every row takes the room of the longest name: one name of a megabyte would make a file of a terabyte.
constexpr std::uint64_t kLongestName = 65535;
/// What a rank packs at a time, for each column of names.
constexpr std::size_t kPackedBytes = std::size_t{1} << 26;

enum class ElementKind { real, unsigned_integer, signed_integer, vertex, name };

struct DatasetPlan {
  std::string name;
  ElementKind kind;
  std::size_t element_bytes;
};

ElementKind kind_of(const ResultColumn& column) {
  return std::visit(
      [](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<T, double>)
          return ElementKind::real;
        else if constexpr (std::is_same_v<T, std::uint64_t>)
          return ElementKind::unsigned_integer;
        else if constexpr (std::is_same_v<T, std::int64_t>)
          return ElementKind::signed_integer;
        else
          return ElementKind::vertex;
      },
      column);
}

/// Names are strings of fixed length, ended by zeros.
hdf5::Datatype element_type(const DatasetPlan& plan) {
  const auto numeric = [&plan] {
    switch (plan.kind) {
      case ElementKind::real: return hdf5::native_type<double>();
      case ElementKind::signed_integer: return hdf5::native_type<std::int64_t>();
      default: return hdf5::native_type<std::uint64_t>();
    }
  };
  const std::string action = "make a type for " + plan.name;
  auto type = hdf5::own<hdf5::Datatype>(H5Tcopy(plan.kind == ElementKind::name ? H5T_C_S1 : numeric()), action);
  if (plan.kind == ElementKind::name) {
    hdf5::check(H5Tset_size(type.id(), plan.element_bytes), action);
    hdf5::check(H5Tset_strpad(type.id(), H5T_STR_NULLPAD), action);
    hdf5::check(H5Tset_cset(type.id(), H5T_CSET_UTF8), action);
  }
  return type;
}

/// Lays out the whole file under its temporary name; rank 0 does. Returns the datasets' places.
std::vector<std::uint64_t> lay_out_file(const std::string& path, const std::vector<DatasetPlan>& plans,
                                        std::uint64_t rows) {
  auto file = hdf5::File::create(path);
  std::vector<std::uint64_t> offsets;
  for (const DatasetPlan& plan : plans) {
    offsets.push_back(hdf5::create_contiguous_dataset(file, plan.name, element_type(plan).id(), rows));
    if (plan.kind == ElementKind::vertex) hdf5::write_attribute(file, plan.name, "none", number(kNoVertex));
  }
  hdf5::write_attribute(file, "/", "vertices", rows);
  hdf5::write_string_attribute(file, "/", "created_by",
                               "Superstep " + core::build_stamp().at("version").get<std::string>());
  file.close();
  return offsets;
}

/// Length of the longest name among the ids and in each column (zero for columns that hold no ids), over all ranks.
/// The names are fetched piece by piece. Collective.
std::vector<std::uint64_t> longest_names(const core::Communicator& comm, const ResultTable& table,
                                         const NameDirectory& names, std::size_t rows_per_piece) {
  std::vector<std::uint64_t> longest(1 + table.columns.size(), 0);
  const auto note = [](std::uint64_t& length, const std::vector<std::string>& some) {
    for (const std::string& name : some) length = std::max<std::uint64_t>(length, name.size());
  };
  const std::uint64_t most = core::all_reduce_value(comm, std::uint64_t{table.ids.size()}, core::Reduce::max);
  for (std::uint64_t begin = 0; begin < most; begin += rows_per_piece) {
    const auto piece_of = [&]<class T>(const std::vector<T>& all) {
      const auto first = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(begin, all.size()));
      const auto last = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(begin + rows_per_piece, all.size()));
      return std::vector<T>(all.begin() + first, all.begin() + last);
    };
    note(longest[0], names.names_of(comm, piece_of(table.ids)));
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (const auto* ids = std::get_if<std::vector<GlobalId>>(&table.columns[c].values))
        note(longest[1 + c], names_or_none(comm, names, piece_of(*ids)));
  }
  core::all_reduce(comm, std::span<std::uint64_t>(longest), core::Reduce::max);
  return longest;
}

/// Datasets of the file: the ids, then the columns. Collective when there are names.
std::vector<DatasetPlan> plan_datasets(const core::Communicator& comm, const ResultTable& table,
                                       const NameDirectory* names, std::size_t rows_per_stretch) {
  std::vector<DatasetPlan> plans{{"id", ElementKind::unsigned_integer, sizeof(std::uint64_t)}};
  for (const NamedColumn& column : table.columns)
    plans.push_back({column.name, kind_of(column.values), sizeof(std::uint64_t)}); // all numbers have eight bytes
  if (names == nullptr) return plans;
  const std::vector<std::uint64_t> longest = longest_names(comm, table, *names, rows_per_stretch);
  for (std::size_t d = 0; d < plans.size(); ++d) {
    if (d > 0 && plans[d].kind != ElementKind::vertex) continue;
    if (longest[d] > kLongestName) {
      throw GraphError(fmt::format("HDF5 results hold names of up to {} bytes, and one has {}: write text",
                                   kLongestName, longest[d]));
    }
    plans[d].kind = ElementKind::name;
    plans[d].element_bytes = std::max<std::size_t>(1, longest[d]); // HDF5 has no strings of length zero
  }
  return plans;
}

/// Fewer rows at a time where names are long.
std::size_t rows_that_fit(const std::vector<DatasetPlan>& plans, std::size_t rows) {
  for (const DatasetPlan& plan : plans)
    rows = std::min(rows, std::max<std::size_t>(1, kPackedBytes / plan.element_bytes));
  return rows;
}

std::vector<std::byte> pack(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::byte> packed(names.size() * width); // zeros
  for (std::size_t i = 0; i < names.size(); ++i)
    std::memcpy(packed.data() + i * width, names[i].data(), names[i].size());
  return packed;
}

} // namespace

std::uint64_t write_hdf5_results(const core::Communicator& comm, const ResultTable& table, const NameDirectory* names,
                                 const std::string& path, std::size_t rows_per_stretch) {
  const std::vector<DatasetPlan> plans = plan_datasets(comm, table, names, rows_per_stretch);
  const ResultStretches stretches(comm, table, rows_that_fit(plans, rows_per_stretch));
  core::SharedAtomicFile file(comm, path);
  std::vector<std::uint64_t> offsets(plans.size());
  core::agree(comm, [&] {
    try {
      if (comm.rank() == 0) offsets = lay_out_file(file.temporary_path(), plans, stretches.total_rows());
    } catch (const hdf5::Hdf5Error& error) { // it names the temporary file, which the user does not know
      throw GraphError(fmt::format("cannot write {}: {}", path, error.reason()));
    }
  });
  core::broadcast(comm, std::span<std::uint64_t>(offsets), 0);

  std::uint64_t rows_before = 0;
  for (std::size_t round = 0; round < stretches.rounds(); ++round) {
    const ResultTable rows = stretches.stretch(round);
    const TableNames row_names = names == nullptr ? TableNames{} : names_of_table(comm, *names, rows);
    const std::uint64_t count = rows.ids.size();
    const std::uint64_t first = rows_before + core::exclusive_scan_sum(comm, count);
    const auto write = [&](std::size_t dataset, const auto& values, const std::vector<std::string>* strings) {
      const DatasetPlan& plan = plans[dataset];
      const std::uint64_t place = offsets[dataset] + first * plan.element_bytes;
      if (plan.kind == ElementKind::name)
        file.write_at(pack(*strings, plan.element_bytes), place);
      else
        file.write_at(std::as_bytes(std::span(values)), place);
    };
    core::agree(comm, [&] {
      write(0, rows.ids, &row_names.ids);
      for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        const auto* strings = names == nullptr ? nullptr : &row_names.columns[c];
        std::visit([&](const auto& values) { write(1 + c, values, strings); }, rows.columns[c].values);
      }
    });
    rows_before += core::all_reduce_value(comm, count, core::Reduce::sum);
  }
  file.commit();
  const std::uint64_t bytes =
      core::agree(comm, [&] { return comm.rank() == 0 ? std::uint64_t{std::filesystem::file_size(path)} : 0; });
  return core::broadcast_value(comm, bytes, 0);
}

} // namespace pregel
