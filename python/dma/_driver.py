"""CUDA's driver, through cuda.bindings."""

from typing import Any

from ._errors import Error, LaunchError


class _Driver:
    """The module cuda.bindings.driver, imported when it is first used: compiling and proving need none."""

    def __getattr__(self, name: str) -> Any:
        try:
            from cuda.bindings import driver
        except ImportError as error:
            raise Error(f"dma: launches need cuda-bindings, which is not installed; install it: {error}") from None
        value = getattr(driver, name)
        setattr(self, name, value)
        return value


driver: Any = _Driver()


def name_of(result: Any) -> str:
    """For messages: "too many resources requested for launch (CUDA_ERROR_...)"."""
    _, text = driver.cuGetErrorString(result)
    return f"{text.decode() if text else 'unknown error'} ({result.name})"


def check(outcome: tuple[Any, ...], what: str) -> Any:
    """The value of a call of the driver's. Raises LaunchError where it failed."""
    result, *values = outcome
    if result != driver.CUresult.CUDA_SUCCESS:
        raise LaunchError(f"{what}: {name_of(result)}")
    return values[0] if len(values) == 1 else values


def current_device() -> int:
    """The device of the calling thread's context; the first device, and its primary context, where there is none."""
    try:
        result, device = driver.cuCtxGetDevice()
    except RuntimeError as error:  # of cuda.pathfinder
        raise LaunchError(f"dma.kernel: no GPU's driver is here; emulate or prove the kernel: {error}") from None
    if result == driver.CUresult.CUDA_SUCCESS:
        return int(device)
    why = "dma.kernel: there is no GPU; emulate or prove the kernel, or look at nvidia-smi"
    check(driver.cuInit(0), why)
    context = check(driver.cuCtxGetCurrent(), why)
    if int(context) == 0:
        context = check(driver.cuDevicePrimaryCtxRetain(check(driver.cuDeviceGet(0), why)), why)
        check(driver.cuCtxSetCurrent(context), why)
    return int(check(driver.cuCtxGetDevice(), why))
