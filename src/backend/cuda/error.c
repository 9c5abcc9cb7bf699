/* CUDA's failures as sentences that say what to do.
 *
 * The kinds that a user can do something about: the device is missing, busy, lost, has no memory left, the driver does
 * not fit or is not ready. What is left keeps CUDA's own words alone.
 */
#include "backend/cuda/state.h"

static const char MISSING[] =
    "no GPU is to be seen any more: look at `nvidia-smi`, CUDA_VISIBLE_DEVICES and the system's "
    "log (dmesg, lines with Xid), or use the cpu backend";
static const char BUSY[] =
    "another program holds the GPU, or its compute mode allows one program alone (nvidia-smi shows both): wait, choose "
    "another GPU with CUDA_VISIBLE_DEVICES, or use the cpu backend";
static const char LOST[] =
    "the GPU is lost to this program: look at `nvidia-smi` and the system's log (dmesg, lines with Xid), and run again "
    "on another GPU or with the cpu backend";
static const char FULL[] = "the GPU has too little free memory (nvidia-smi shows who uses it): use a smaller grid, "
                           "solver.precision = single, or "
                           "the cpu backend";
static const char DRIVER[] = "the NVIDIA driver and the installed libraries do not fit together; after an update of "
                             "the driver the machine must be "
                             "started anew";
static const char WAITING[] =
    "a service of the driver is not running, or not yet (on machines with NVSwitch the fabric "
    "manager): wait or start it, or use the cpu backend";
static const char BUG[] = "a kernel did something wrong: please report it, and use the cpu backend until then";

/* What can be done about a failure; NULL: nothing is known. */
static const char *advice(cudaError_t code)
{
  switch (code) {
  case cudaErrorDevicesUnavailable:
  case cudaErrorDeviceAlreadyInUse:
  case cudaErrorMpsMaxClientsReached:
  case cudaErrorMpsMaxConnectionsReached: return BUSY;
  case cudaErrorNoDevice:
  case cudaErrorInvalidDevice: return MISSING;
  case cudaErrorMemoryAllocation: return FULL;
  case cudaErrorDeviceUninitialized:
  case cudaErrorContextIsDestroyed:
  case cudaErrorCudartUnloading:
  case cudaErrorECCUncorrectable:
  case cudaErrorNvlinkUncorrectable:
  case cudaErrorHardwareStackError:
  case cudaErrorLaunchFailure:
  case cudaErrorLaunchTimeout:
  case cudaErrorExternalDevice:
  case cudaErrorMpsRpcFailure:
  case cudaErrorMpsClientTerminated:
  case cudaErrorUnknown: return LOST;
  case cudaErrorInsufficientDriver:
  case cudaErrorSystemDriverMismatch:
  case cudaErrorCompatNotSupportedOnDevice:
  case cudaErrorStartupFailure:
  case cudaErrorInitializationError: return DRIVER;
  case cudaErrorSystemNotReady:
  case cudaErrorMpsConnectionFailed:
  case cudaErrorMpsServerNotReady: return WAITING;
  case cudaErrorIllegalAddress:
  case cudaErrorMisalignedAddress:
  case cudaErrorIllegalInstruction:
  case cudaErrorInvalidPc:
  case cudaErrorAssert: return BUG;
  default: return NULL;
  }
}

hs_status hs_cuda_check(cudaError_t code, const char *doing, struct hs_error *err)
{
  const char *hint;
  if (code == cudaSuccess) return HS_OK;
  (void)cudaGetLastError();
  hint = advice(code);
  return hs_error_set(err, HS_ERR_DEVICE, "%s failed on the GPU: %s (%s)%s%s", doing, cudaGetErrorString(code),
                      cudaGetErrorName(code), hint ? "; " : "", hint ? hint : "");
}
