#include "dynid/zero_phase.hpp"

#include <array>
#include <stdexcept>

namespace dynid
{
namespace
{

/// States of a section (transposed direct form II) at rest with an input of 1, and its output.
struct Rest
{
  double first, second, gain;
};

Rest at_rest(const SecondOrderSection & section)
{
  const double denominator = 1.0 + section.a1 + section.a2;
  if (denominator == 0.0) {
    throw std::invalid_argument("A section with a pole at 0 Hz has no state of rest.");
  }
  const double gain = (section.b0 + section.b1 + section.b2) / denominator;
  const double second = section.b2 - section.a2 * gain;
  return {section.b1 - section.a1 * gain + second, second, gain};
}

/// One pass over `width` signals, whose samples are `step` numbers apart; negative: backwards.
template <int width>
void pass(
  const std::vector<SecondOrderSection> & sections, double * sample, Eigen::Index samples,
  Eigen::Index step)
{
  using Signals = Eigen::Array<double, width, 1>;
  std::vector<std::array<Signals, 2>> states(sections.size());
  Signals input = Eigen::Map<const Signals>(sample);
  for (std::size_t s = 0; s < sections.size(); ++s) {
    const auto rest = at_rest(sections[s]);
    states[s] = {rest.first * input, rest.second * input};
    input *= rest.gain;
  }
  for (Eigen::Index i = 0; i < samples; ++i, sample += step) {
    Signals value = Eigen::Map<const Signals>(sample);
    for (std::size_t s = 0; s < sections.size(); ++s) {
      const auto & section = sections[s];
      auto & [first, second] = states[s];
      const Signals output = section.b0 * value + first;
      first = section.b1 * value - section.a1 * output + second;
      second = section.b2 * value - section.a2 * output;
      value = output;
    }
    Eigen::Map<Signals>{sample} = value;
  }
}

/// Filters as many of the signals from `first` on as there are whole groups of this width, each in
/// memory of its own: a group of the columns of a regressor fits in the cache, all do not.
template <int width>
Eigen::Index filter_groups(
  const std::vector<SecondOrderSection> & sections, const double * values, Eigen::Index samples,
  Eigen::Index signals, Eigen::Index pad, double * out, Eigen::Index first)
{
  using Signals = Eigen::Array<double, width, 1>;
  Eigen::Array<double, width, Eigen::Dynamic> group(width, samples + 2 * pad);
  for (; first + width <= signals; first += width) {
    const auto sample = [&](Eigen::Index i) {
      return Eigen::Map<const Signals>(values + i * signals + first);
    };
    for (Eigen::Index i = 0; i < samples; ++i) {
      group.col(pad + i) = sample(i);
    }
    for (Eigen::Index i = 1; i <= pad; ++i) {
      group.col(pad - i) = 2.0 * sample(0) - sample(i);
      group.col(pad + samples - 1 + i) = 2.0 * sample(samples - 1) - sample(samples - 1 - i);
    }
    pass<width>(sections, group.data(), group.cols(), width);
    pass<width>(sections, group.col(group.cols() - 1).data(), group.cols(), -width);
    for (Eigen::Index i = 0; i < samples; ++i) {
      Eigen::Map<Signals>{out + i * signals + first} = group.col(pad + i);
    }
  }
  return first;
}

}  // namespace

void filter_zero_phase(
  const std::vector<SecondOrderSection> & sections, const double * values, Eigen::Index samples,
  Eigen::Index signals, Eigen::Index pad, double * out)
{
  if (pad < 0 || pad >= samples) {
    throw std::invalid_argument("A signal can only be continued by fewer samples than it has.");
  }
  Eigen::Index done = filter_groups<8>(sections, values, samples, signals, pad, out, 0);
  done = filter_groups<4>(sections, values, samples, signals, pad, out, done);
  done = filter_groups<2>(sections, values, samples, signals, pad, out, done);
  filter_groups<1>(sections, values, samples, signals, pad, out, done);
}

}  // namespace dynid
