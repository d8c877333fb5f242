#pragma once

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>

#include <initializer_list>

#include "dynid/declared_settings.hpp"

namespace dynid
{

/// Adds a struct of settings with all declared ones, and `declared`: a dict of each by its name.
template <typename Settings>
pybind11::class_<Settings> bind_declared(pybind11::module_ & module, const char * name)
{
  pybind11::class_<Settings> bound(module, name);
  bound.def(pybind11::init<>());
  pybind11::dict declared;
  Settings::visit([&bound, &declared](const Setting & setting, const auto member) {
    bound.def_readwrite(setting.name, member);
    declared[setting.name] = setting;
  });
  bound.attr("declared") = declared;
  return bound;
}

/// Adds an enumeration, whose values have these names in their order.
template <typename Value, typename Names = std::initializer_list<const char *>>
void bind_values(pybind11::module_ & module, const char * enumeration, const Names & names)
{
  pybind11::enum_<Value> bound(module, enumeration);
  int value = 0;
  for (const char * name : names) {
    bound.value(name, static_cast<Value>(value++));
  }
}

/// Adds the enumeration of a setting's choices.
template <typename Choice>
void bind_choices(pybind11::module_ & module, const char * name)
{
  bind_values<Choice>(module, name, choices(Choice()));
}

}  // namespace dynid
