//===- Status.cpp - names of the status codes -----------------------------===//

#include "fovea/runtime.h"

extern "C" const char *fovea_status_string(int status) {
  switch (status) {
  case FOVEA_OK:
    return "ok";
  case FOVEA_INVALID_ARGUMENT:
    return "invalid argument";
  case FOVEA_OUT_OF_MEMORY:
    return "out of memory";
  case FOVEA_UNSUPPORTED_CPU:
    return "unsupported CPU";
  case FOVEA_WORKSPACE_TOO_SMALL:
    return "workspace too small";
  case FOVEA_DEVICE_ERROR:
    return "device error";
  }
  return "unknown status";
}
