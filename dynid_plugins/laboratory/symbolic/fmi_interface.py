"""The functions of FMI 3.0 in C99 around generated C code, without states and events."""

from __future__ import annotations

_UNSUPPORTED = (
    *(
        f"{access}{kind}"
        for access in ("Get", "Set")
        for kind in (
            *("Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64"),
            *("Boolean", "String", "Binary", "Clock", "FMUState"),
            *("IntervalDecimal", "IntervalFraction", "ShiftDecimal", "ShiftFraction"),
        )
    ),
    *("FreeFMUState", "SerializedFMUStateSize", "SerializeFMUState", "DeserializeFMUState"),
    *("GetNumberOfVariableDependencies", "GetVariableDependencies"),
    *("GetDirectionalDerivative", "GetAdjointDerivative", "GetOutputDerivatives"),
    "ActivateModelPartition",
)
"""Functions of variables and capabilities that the model does not have."""

_STATELESS = (
    *("EnterConfigurationMode", "ExitConfigurationMode", "ExitInitializationMode"),
    *("EnterEventMode", "EnterContinuousTimeMode", "EnterStepMode", "EvaluateDiscreteStates"),
    *("Terminate", "SetDebugLogging"),
    *("SetContinuousStates", "GetContinuousStates", "GetContinuousStateDerivatives"),
    *("GetNominalsOfContinuousStates", "GetEventIndicators"),
)
"""Functions that have nothing to do, because there are neither states nor events."""

_BODY = r"""
/* FMI 3.0, model exchange and co-simulation, of an algebraic model: outputs follow from inputs. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "@name@.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define N @NAME@_JOINTS

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
enum { TIME, Q, DQ, DDQ, TAU, GRAVITY, FRICTION }; /* value references */

typedef struct {
  double time;
  double in[3][N];
} Model;

/* Any arguments: of functions that use none of theirs. */
#define RETURNING(status, name) EXPORT fmi3Status name() { return status; }
@unsupported@
@stateless@

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

static void *instantiated(const char *token) {
  return strcmp(token, "@token@") == 0 ? calloc(1, sizeof(Model)) : NULL;
}

EXPORT void *fmi3InstantiateModelExchange(
  const char *name, const char *token, const char *resources, bool visible, bool logging,
  void *environment, void *log) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)environment, (void)log;
  return instantiated(token);
}

EXPORT void *fmi3InstantiateCoSimulation(
  const char *name, const char *token, const char *resources, bool visible, bool logging,
  bool events, bool early_return, const uint32_t intermediate[], size_t intermediates,
  void *environment, void *log, void *update) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early_return;
  (void)intermediate, (void)intermediates, (void)environment, (void)log, (void)update;
  return instantiated(token);
}

EXPORT void *fmi3InstantiateScheduledExecution() { return NULL; }

EXPORT void fmi3FreeInstance(void *model) { free(model); }

EXPORT fmi3Status fmi3Reset(void *model) {
  memset(model, 0, sizeof(Model));
  return fmi3OK;
}

EXPORT fmi3Status fmi3EnterInitializationMode(
  void *model, bool toleranced, double tolerance, double start, bool ends, double stop) {
  (void)toleranced, (void)tolerance, (void)ends, (void)stop;
  ((Model *)model)->time = start;
  return fmi3OK;
}

EXPORT fmi3Status fmi3SetTime(void *model, double time) {
  ((Model *)model)->time = time;
  return fmi3OK;
}

EXPORT fmi3Status fmi3SetFloat64(
  void *model, const uint32_t references[], size_t count, const double values[], size_t size) {
  if (size != count * N) return fmi3Error;
  for (size_t k = 0; k < count; ++k) {
    if (references[k] < Q || references[k] > DDQ) return fmi3Error;
    memcpy(((Model *)model)->in[references[k] - Q], values + k * N, N * sizeof(double));
  }
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetFloat64(
  void *instance, const uint32_t references[], size_t count, double values[], size_t size) {
  const Model *const model = instance;
  for (size_t k = 0; k < count; ++k) {
    const size_t length = references[k] == TIME ? 1 : N;
    if (size < length) return fmi3Error;
    switch (references[k]) {
      case TIME: *values = model->time; break;
      case Q: case DQ: case DDQ:
        memcpy(values, model->in[references[k] - Q], N * sizeof(double)); break;
      case TAU: @name@_inverse_dynamics(model->in[0], model->in[1], model->in[2], values); break;
      case GRAVITY: @name@_gravity(model->in[0], values); break;
      case FRICTION: @name@_friction(model->in[0], model->in[1], values); break;
      default: return fmi3Error;
    }
    values += length;
    size -= length;
  }
  return size ? fmi3Error : fmi3OK;
}

EXPORT fmi3Status fmi3UpdateDiscreteStates(
  void *model, bool *update, bool *terminate, bool *nominals, bool *states, bool *event,
  double *event_time) {
  (void)model, (void)event_time;
  *update = *terminate = *nominals = *states = *event = false;
  return fmi3OK;
}

EXPORT fmi3Status fmi3CompletedIntegratorStep(
  void *model, bool final, bool *event, bool *terminate) {
  (void)model, (void)final;
  *event = *terminate = false;
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfContinuousStates(void *model, size_t *count) {
  (void)model;
  *count = 0;
  return fmi3OK;
}

EXPORT fmi3Status fmi3GetNumberOfEventIndicators(void *model, size_t *count) {
  (void)model;
  *count = 0;
  return fmi3OK;
}

EXPORT fmi3Status fmi3DoStep(
  void *model, double time, double step, bool final, bool *event, bool *terminate, bool *early,
  double *reached) {
  (void)final;
  *event = *terminate = *early = false;
  ((Model *)model)->time = *reached = time + step;
  return fmi3OK;
}
"""


def fmi_interface(name: str, token: str) -> str:
    """Return the source of the functions of FMI for the C code of a model.

    Args:
        name: with which all names of the C code begin.
        token: the ``instantiationToken`` of the model's description.
    """
    text = _BODY.lstrip().replace("@name@", name).replace("@NAME@", name.upper())
    text = text.replace("@token@", token)
    for place, functions, status in (
        ("@unsupported@", _UNSUPPORTED, "fmi3Error"),
        ("@stateless@", _STATELESS, "fmi3OK"),
    ):
        lines = [f"RETURNING({status}, fmi3{function})" for function in functions]
        text = text.replace(place, "\n".join(lines))
    return text
