#pragma once

#include <pybind11/eigen.h>
#include <pybind11/pybind11.h>

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

/// Adds the enumeration of a setting's choices.
template <typename Choice>
void bind_choices(pybind11::module_ & module, const char * name)
{
  pybind11::enum_<Choice> bound(module, name);
  int value = 0;
  for (const char * choice : choices(Choice())) {
    bound.value(choice, static_cast<Choice>(value++));
  }
}

}  // namespace dynid
