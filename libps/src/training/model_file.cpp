#include "ps/training/model_file.hpp"

#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/hdf5.hpp"

namespace ps {
namespace {

namespace hdf5 = core::hdf5;

constexpr const char* kFormat = "superstep model 1";

/// The numbers of a shape and where they are, once for writing and reading.
constexpr std::array<std::pair<const char*, std::size_t DataShape::*>, 5> kShape{
    {{"features", &DataShape::features},
     {"classes", &DataShape::classes},
     {"image_rows", &DataShape::image_rows},
     {"image_columns", &DataShape::image_columns},
     {"channels", &DataShape::channels}}};

std::vector<std::size_t> numbers_in(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::size_t> numbers;
  for (std::size_t n = 0; words >> n;) numbers.push_back(n);
  return numbers;
}

hdf5::File open(const std::string& path) {
  try {
    return hdf5::File::open(path);
  } catch (const hdf5::Hdf5Error& error) {
    throw core::InputError(fmt::format("{}: {}", path, error.reason()));
  }
}

} // namespace

template <class T>
void write_model(const std::string& path, const ModelOptions& options, const Model<T>& model,
                 std::span<const T> parameters, const std::map<std::string, std::string>& notes) {
  const hdf5::File file = hdf5::File::create_in_memory(path, 0);
  for (const Tensor& tensor : model.tensors())
    hdf5::write_array<T>(file, tensor.name, parameters.subspan(tensor.first, tensor.count), tensor.shape);
  hdf5::write_string_attribute(file, "/", "format", kFormat);
  hdf5::write_string_attribute(file, "/", "model", options.kind);
  hdf5::write_string_attribute(file, "/", "precision", sizeof(T) == sizeof(float) ? "float" : "double");
  hdf5::write_string_attribute(file, "/", "hidden", fmt::format("{}", fmt::join(options.hidden, " ")));
  hdf5::write_attribute(file, "/", "l2", options.l2);
  for (const auto& [name, member] : kShape) hdf5::write_attribute(file, "/", name, options.shape.*member);
  for (const auto& [name, text] : notes) hdf5::write_string_attribute(file, "/", name, text);
  const std::vector<std::byte> image = file.image();
  core::AtomicFile target(path);
  target.write({reinterpret_cast<const char*>(image.data()), image.size()});
  target.commit();
}

StoredModel read_model_options(const std::string& path) {
  const hdf5::File file = open(path);
  StoredModel stored;
  try {
    if (!hdf5::has_attribute(file, "/", "format") || hdf5::read_string_attribute(file, "/", "format") != kFormat)
      throw core::InputError(path + ": not a model that pstrain has written");
    stored.options.kind = hdf5::read_string_attribute(file, "/", "model");
    stored.options.hidden = numbers_in(hdf5::read_string_attribute(file, "/", "hidden"));
    stored.options.l2 = hdf5::read_attribute<double>(file, "/", "l2");
    for (const auto& [name, member] : kShape)
      stored.options.shape.*member = hdf5::read_attribute<std::size_t>(file, "/", name);
    stored.single_precision = hdf5::read_string_attribute(file, "/", "precision") == "float";
  } catch (const hdf5::Hdf5Error& error) {
    throw core::InputError(fmt::format("{}: a damaged model: {}", path, error.reason()));
  }
  return stored;
}

template <class T>
std::vector<T> read_model_parameters(const std::string& path, const Model<T>& model) {
  const hdf5::File file = open(path);
  std::vector<T> parameters(model.parameter_count());
  for (const Tensor& tensor : model.tensors()) {
    try {
      hdf5::read_array<T>(file, tensor.name, std::span(parameters).subspan(tensor.first, tensor.count), tensor.shape);
    } catch (const hdf5::Hdf5Error& error) {
      throw core::InputError(fmt::format("{}: {}: {}", path, tensor.name, error.reason()));
    }
  }
  return parameters;
}

#define SUPERSTEP_INSTANTIATE(T)                                                                          \
  template void write_model(const std::string&, const ModelOptions&, const Model<T>&, std::span<const T>, \
                            const std::map<std::string, std::string>&);                                   \
  template std::vector<T> read_model_parameters(const std::string&, const Model<T>&)
SUPERSTEP_INSTANTIATE(float);
SUPERSTEP_INSTANTIATE(double);
#undef SUPERSTEP_INSTANTIATE

} // namespace ps
