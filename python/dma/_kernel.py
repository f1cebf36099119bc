"""Kernels: a source and a name, compiled for each device that they are launched on."""

import dataclasses
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ._arguments import Arguments, Grid, extents_of
from ._arrays import array_of, handle_of, stream_of
from ._compile import Compiled, compile
from ._description import Description, Kind, explain
from ._driver import check, current_device, driver, name_of as error_name_of
from ._errors import ArgumentError, LaunchError
from ._headers import Source, file_of
from ._host import HostKernel
from ._tensor_map import TensorMap, tensor_map_of
from ._verdict import Verdict

_WITHOUT_OPT_IN = 48 * 1024  #: bytes of shared memory
_PORTABLE_CLUSTER = 8  #: CTAs: more of them not every GPU has
_NOT_USABLE = "dma.kernel: this device cannot be used; look at it with nvidia-smi, and at errors of earlier kernels"
_FIRST_WITH_CLUSTERS = 9  #: compute capability
_ARCH_WITHOUT_GPU = "sm_90a"  #: what is described where no other is named


def kernel(
    source: Source,
    name: str,
    arch: str | None = None,
    *,
    threads: int = 0,
    include_path: Sequence[str | os.PathLike[str]] = (),
    define: Mapping[str, str | int] | None = None,
    **options: Any,
) -> "Kernel":
    """A kernel body or a `__global__` function of a source, to be launched as `kernel(grid, *arguments)`.

    Args:
        source: A file's path, or text.
        name: Of a kernel body or of a `__global__` function, with template arguments where it has any.
        arch: Compiles for it at once, and not at the first launch.
        threads: Of a `__global__` function that has no `__launch_bounds__`.
        include_path: Folders of the source's own headers, as `compile` takes them.
        define: Macros, as `compile` takes them.
        **options: Any others of `compile`.

    Raises:
        CompileError: Where an architecture is given, and the compiler refuses the source.
    """
    made = Kernel(source, name, threads, {"include_path": include_path, "define": define, **options})
    if arch is not None:
        made.compiled(arch)
    return made


class Kernel:
    """Made by `kernel`. May be used by several threads."""

    def __init__(self, source: Source, name: str, threads: int, options: Mapping[str, Any]) -> None:
        file = file_of(source)  # a path that is wrong is wrong here
        self._title = f"{name} of {file.name if file else 'a text'}"
        self._source = source
        self._name = name
        self._threads = threads
        self._options = options
        self._compiled: dict[str, Compiled] = {}
        self._loaded: dict[int, _Loaded] = {}
        self._on_host: HostKernel | None = None

    def __repr__(self) -> str:
        return f"<dma.Kernel {self._title}>"

    def __call__(self, grid: Grid, *args: Any, stream: Any = None) -> None:
        """Launches the kernel. Asynchronous, as launches are; may be captured into a graph.

        Arrays have to live until the kernel has ended, as PyTorch's and CuPy's do when they are released in the order of
        the same stream.

        Args:
            grid: CTAs: a number, or up to three of them.
            *args: What the kernel takes, after the CTA where it is a kernel body: for a pointer an array or an address
                or None, for a number a number, for a tensor map an array, a tuple of them (one for each part of the
                pattern) or a `TensorMap`, for any other type its bytes (or a `ctypes.Structure`).
            stream: Of PyTorch, CuPy or cuda.core, or its handle; without one the current stream of the library whose
                array is the first argument that is one.

        Raises:
            ArgumentError: A parameter does not take its argument, or the grid is none of the kernel's.
            LaunchError: The device refuses the launch.
            CompileError: The first launch on a device compiles, and the compiler refuses the source.
        """
        loaded = self._loaded.get(current_device()) or self._load()
        loaded.launch(grid, args, stream_of(args) if stream is None else handle_of(stream))

    def compiled(self, arch: str | None = None) -> Compiled:
        """The kernel's code for an architecture.

        Args:
            arch: Such as `"sm_90a"`; without one the current device's, and `"sm_90a"` where there is no GPU.
        """
        if arch is None:
            arch = _arch_here() or _ARCH_WITHOUT_GPU
        if arch not in self._compiled:
            self._compiled[arch] = compile(self._source, self._name, arch, **self._options)
        return self._compiled[arch]

    def description(self, arch: str | None = None) -> Description:
        """Threads, shared memory, traits and parameters.

        Args:
            arch: Such as `"sm_90a"`; without one the current device's, and `"sm_90a"` where there is no GPU.
        """
        description = self.compiled(arch).description
        return dataclasses.replace(description, threads=description.threads or self._threads)

    def explain(self, arch: str | None = None) -> str:
        """What a launch has, as text: threads and shared memory of a CTA, the grids that it takes, and what each argument
        is. Launches nothing.

        Args:
            arch: Such as `"sm_90a"`; without one the current device's, and `"sm_90a"` where there is no GPU.
        """
        compiled = self.compiled(arch)
        why = ", as there is no GPU here" if arch is None and _arch_here() is None else ""
        return f"{self._title} for {compiled.arch}{why}\n{explain(self.description(compiled.arch))}"

    def tensor_map(self, parameter: int, array: Any, *, l2_bytes: int = 128, outside: str = "zero") -> TensorMap:
        """A tensor map for a parameter, whose type has the box. An array that is passed itself gets the same map, with
        the defaults.

        Args:
            parameter: Its number, counted from 0.
            array: As many axes as the tile, whose last is contiguous, at a multiple of 16 bytes; or a tuple of them.
            l2_bytes: That the L2 fetches at a time: 0, 64, 128 or 256.
            outside: What a tile has outside the array: `"zero"` or `"nan"`.

        Raises:
            ArgumentError: The parameter is no tensor map, or none can describe the array.
        """
        parameters = self.description().parameters
        if not (0 <= parameter < len(parameters) and parameters[parameter].kind == Kind.TENSOR_MAP):
            raise ArgumentError(f"dma.tensor_map: parameter {parameter} of {self._name} is no dma::TensorMap; name one")
        return tensor_map_of(parameters[parameter], array, l2_bytes, outside)

    def prove(self, grid: Grid, *args: Any, seed: int = 0) -> Verdict:
        """Proves a kernel body for every schedule of its threads, for this grid and these arguments, on the CPU; see
        docs/trust/proof.md.

        Needs a C++ compiler: `CXX`, else g++. The first call compiles the emulator, in about half a minute, and a body's
        first call the body, in a few seconds. From g++ 12 or clang++ 15 on, each load and store of the body is seen.

        Args:
            grid: CTAs: a number, or up to three of them.
            *args: As for a launch. Arrays are NumPy's; those that the body may write are compared over its runs.
            seed: Of the first of its six runs, which are runs of `emulate` with this seed and the five after it.

        Returns:
            A verdict: true where the body is proved, else with the fault and a schedule that shows it.

        Raises:
            CompileError: The compiler refuses the source.
            ArgumentError: A parameter does not take its argument.
        """
        return self._host().run(grid, args, seed, is_proof=True)

    def emulate(self, grid: Grid, *args: Any, seed: int = 0) -> None:
        """Runs a kernel body on the CPU, every thread emulated.

        Args:
            grid: CTAs: a number, or up to three of them.
            *args: As for a launch. Arrays are NumPy's.
            seed: Another one is another order of the threads and of the ends of copies: 0 by rank, others as
                docs/guide/reference/proving.md lists them. The same one repeats a run.

        Raises:
            Error: A deadlock or a broken precondition, which the message names.
            CompileError: The compiler refuses the source.
        """
        self._host().run(grid, args, seed, is_proof=False)

    def _host(self) -> HostKernel:
        if self._on_host is None:
            self._on_host = HostKernel(
                self._source, self._name, self._options["include_path"], self._options["define"] or {}
            )
        return self._on_host

    def _load(self) -> "_Loaded":
        device = current_device()
        arch = _arch_of(device)
        compiled, description = self.compiled(arch), self.description(arch)
        # Code may be loaded while a stream is captured.
        relaxed = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        mode = check(driver.cuThreadExchangeStreamCaptureMode(relaxed), _NOT_USABLE)
        try:
            loaded = _Loaded(self._name, compiled, description, device)
        finally:
            driver.cuThreadExchangeStreamCaptureMode(mode)
        self._loaded[device] = loaded
        return loaded


def _arch_here() -> str | None:
    """Of the current device; None where there is no GPU."""
    try:
        return _arch_of(current_device())
    except LaunchError:
        return None


def _arch_of(device: int) -> str:
    attributes = driver.CUdevice_attribute
    major, minor = (
        check(driver.cuDeviceGetAttribute(attribute, device), _NOT_USABLE)
        for attribute in (
            attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
            attributes.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )
    # From 9.0 on some instructions are in the code for that one architecture only.
    return f"sm_{major}{minor}{'a' if major >= 9 else ''}"


class _Loaded:
    """A kernel on one device."""

    def __init__(self, name: str, compiled: Compiled, description: Description, device: int) -> None:
        self._name = name
        self._description = description
        if description.threads == 0:
            raise LaunchError(
                f"dma.kernel: {name} has no __launch_bounds__, so that its threads are not known; add them, or name "
                "threads="
            )
        library = check(
            driver.cuLibraryLoadData(compiled.code, [], [], 0, [], [], 0),
            f"dma.kernel: the code of {name} does not load; compile it for the architecture of this GPU",
        )
        self._library = library
        self._kernel = check(
            driver.cuLibraryGetKernel(library, compiled.symbol.encode()),
            f"dma.kernel: {name} is not in its code; compile it with this package, and empty the cache (DMA_CACHE_DIR)",
        )
        self._function = driver.CUfunction(int(self._kernel))
        self._set_attributes(compiled, device)
        self._arguments = Arguments(name, description.parameters, array_of, tensor_map_of)
        self._lock = threading.Lock()
        self._configuration: tuple[Any, Any] = (None, None)

    def launch(self, grid: Grid, args: tuple[Any, ...], stream: int) -> None:
        config = self._config_of(grid, stream)
        with self._lock:
            self._arguments.fill(args)
            (result,) = driver.cuLaunchKernelEx(config, self._function, self._arguments.address_of_addresses, 0)
        if result != driver.CUresult.CUDA_SUCCESS:
            raise self._failure(result, grid)

    def _set_attributes(self, compiled: Compiled, device: int) -> None:
        names = driver.CUfunction_attribute
        description = self._description

        def attribute(name: Any) -> int:
            return int(check(driver.cuKernelGetAttribute(name, self._kernel, device), _NOT_USABLE))

        def set_attribute(name: Any, value: int, what: str) -> None:
            check(driver.cuKernelSetAttribute(name, value, self._kernel, device), f"dma.kernel: {what}")

        shared = attribute(names.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + description.shared_bytes
        most = check(
            driver.cuDeviceGetAttribute(
                driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device
            ),
            _NOT_USABLE,
        )
        if shared > most:
            raise LaunchError(
                f"dma.kernel: {self._name} needs {shared} bytes of shared memory, and this device gives a CTA {most}; "
                "use fewer stages or smaller tiles"
            )
        if shared > _WITHOUT_OPT_IN:
            set_attribute(
                names.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                description.shared_bytes,
                "the device does not give a CTA this shared memory; use fewer stages or smaller tiles",
            )
        most_threads = attribute(names.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        if description.threads > most_threads:
            raise LaunchError(
                f"dma.kernel: {self._name} has {description.threads} threads and runs with at most {most_threads}; use "
                "fewer warps"
            )
        if description.cluster > _PORTABLE_CLUSTER:
            set_attribute(
                names.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                1,
                f"this device has no clusters of more than {_PORTABLE_CLUSTER} CTAs; make KernelTraits::cluster smaller",
            )
        major = int(compiled.arch.removeprefix("sm_").rstrip("af")) // 10
        if description.cluster > 1 and major < _FIRST_WITH_CLUSTERS:
            raise LaunchError(
                f"dma.kernel: {self._name} has clusters of {description.cluster} CTAs, and {compiled.arch} has none; "
                "use a GPU of sm_90 or newer"
            )
        self._has_early_launches = description.programmatic_launch and major >= _FIRST_WITH_CLUSTERS

    def _config_of(self, grid: Grid, stream: int) -> Any:
        """Kept from one launch to the next, as most have the same."""
        key, config = self._configuration
        if type(grid) in (int, tuple) and key == (grid, stream):
            return config
        extents = self._extents_of(grid)
        config = driver.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = extents
        config.blockDimX, config.blockDimY, config.blockDimZ = self._description.threads, 1, 1
        config.sharedMemBytes = self._description.shared_bytes
        config.hStream = driver.CUstream(stream)
        config.attrs = self._attributes()
        config.numAttrs = len(config.attrs)
        self._configuration = (tuple(grid) if isinstance(grid, Sequence) else grid, stream), config
        return config

    def _extents_of(self, grid: Grid) -> tuple[int, int, int]:
        x, y, z = extents_of(grid)
        if x % self._description.cluster != 0:
            raise LaunchError(
                f"dma.kernel: {self._name} has clusters of {self._description.cluster} CTAs along x, and the grid has "
                f"{x} CTAs there; launch a multiple of the cluster"
            )
        return x, y, z

    def _attributes(self) -> list[Any]:
        ids = driver.CUlaunchAttributeID
        attributes = []

        def add(id_: Any) -> Any:
            attribute = driver.CUlaunchAttribute()
            attribute.id = id_
            attributes.append(attribute)
            return attribute.value

        if self._description.cooperative:
            add(ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1
        if self._has_early_launches:
            add(ids.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1
        if self._description.cluster > 1:
            extents = add(ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim
            extents.x, extents.y, extents.z = self._description.cluster, 1, 1
        return attributes

    def _failure(self, result: Any, grid: Grid) -> LaunchError:
        if result == driver.CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
            return LaunchError(
                f"dma.kernel: the CTAs of {self._name} wait for one another (cooperative), and this device does not hold "
                f"a grid of {grid} at once; launch fewer"
            )
        return LaunchError(
            f"dma.kernel: the launch of {self._name} failed, or a kernel before it; run a checked build "
            f"(DMA_CHECKED=1), which names what is wrong: {error_name_of(result)}"
        )
