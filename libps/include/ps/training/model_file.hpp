// A trained model as an HDF5 file: a dataset for each tensor, by its name and in its shape; what is needed to make the
// model again, and how it was trained, as attributes of the file.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "ps/models/model.hpp"

namespace ps {

/// Writes the whole file or nothing (core/atomic_file.hpp). `notes` become attributes: strategy, data, … Local.
template <class T>
void write_model(const std::string& path, const ModelOptions& options, const Model<T>& model,
                 std::span<const T> parameters, const std::map<std::string, std::string>& notes);

struct StoredModel {
  ModelOptions options;
  bool single_precision = false; ///< float, else double
};
/// What the file says of its model. InputError when it is not one of ours. Local.
[[nodiscard]] StoredModel read_model_options(const std::string& path);
/// Its parameters, for the model made from these options. InputError naming file and tensor when one is missing or has
/// another shape. Local.
template <class T>
[[nodiscard]] std::vector<T> read_model_parameters(const std::string& path, const Model<T>& model);

} // namespace ps
