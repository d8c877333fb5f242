#pragma once

#include <pybind11/numpy.h>

#include <Eigen/Core>
#include <stdexcept>
#include <string>
#include <vector>

namespace dynid
{

using Array = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;
using Row = Eigen::Map<const Eigen::VectorXd>;

/// Rows of several arrays (N, n) at once, without the interpreter's lock.
class Rows
{
public:
  Rows(Eigen::Index columns, const std::vector<const Array *> & arrays) : columns_(columns)
  {
    for (const auto * array : arrays) {
      if (array->ndim() != 2 || array->shape(1) != columns) {
        throw std::invalid_argument(
          "An array of samples must have two dimensions, time and drive, with " +
          std::to_string(columns) + " columns.");
      }
      if (array->shape(0) != arrays.front()->shape(0)) {
        throw std::invalid_argument("Arrays of samples must have the same number of rows.");
      }
      data_.push_back(array->data());
    }
    count_ = arrays.front()->shape(0);
  }

  [[nodiscard]] Eigen::Index count() const { return count_; }
  [[nodiscard]] Row operator()(std::size_t array, Eigen::Index sample) const
  {
    return {data_[array] + sample * columns_, columns_};
  }

private:
  Eigen::Index columns_;
  Eigen::Index count_ = 0;
  std::vector<const double *> data_;
};

inline void put(Array & out, Eigen::Index sample, const Eigen::VectorXd & row)
{
  Eigen::Map<Eigen::VectorXd>(out.mutable_data() + sample * row.size(), row.size()) = row;
}

}  // namespace dynid
