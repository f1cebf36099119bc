"""Kernels of Triton, Numba and CuPy: their PTX for a named architecture, and their arguments as its entry takes them. None of the
three is imported here: who has a kernel of theirs has imported it."""

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from ._cuda_source import ptx_by_nvrtc
from ._errors import ArgumentError, Error
from ._launch_line import Args, PtxMap
from ._ptx import entries_of


@dataclasses.dataclass(frozen=True)
class Launch:
    """What `prove_ptx` takes."""

    ptx: str
    entry: str | None
    args: Args
    shared_bytes: int = 0
    cluster: int = 1


Of = Callable[[Any, int, Args, str, Mapping[str, Any]], Launch]


def kind_of(kernel: Any) -> Of | None:
    """How it is read, by what it has."""
    if isinstance(getattr(kernel, "asm", None), Mapping) and "ptx" in kernel.asm:
        return _of_compiled_triton
    if hasattr(kernel, "arg_names") and hasattr(kernel, "params") and "triton" in sys.modules:
        return _of_triton
    if hasattr(kernel, "py_func") and hasattr(kernel, "targetoptions") and "numba" in sys.modules:
        return _of_numba
    if isinstance(getattr(kernel, "code", None), str) and hasattr(kernel, "options") and hasattr(kernel, "name"):
        return _of_cupy
    return None


def _number_of(arch: str) -> int:
    """90 of sm_90a."""
    found = re.fullmatch(r"sm_(\d+)[af]?", arch)
    if found is None:
        raise Error(f"dma.prove: {arch!r} is no architecture; give one such as sm_90")
    return int(found[1])


def _by_name(names: list[str], args: Args, kernel: str) -> dict[str, Any]:
    """Arguments by the names of their parameters; a sequence may leave the last out."""
    given = dict(args) if isinstance(args, Mapping) else dict(zip(names, args, strict=False))
    if set(given) - set(names) or (not isinstance(args, Mapping) and len(args) > len(names)):
        raise ArgumentError(f"dma.prove: {kernel} has the parameters {', '.join(names)}; pass no others")
    return given


def _expect_no(options: Mapping[str, Any], kernel: str) -> None:
    if options:
        raise ArgumentError(f"dma.prove: {kernel} has its compiler's options already; leave {', '.join(options)} out")


# --- Triton -----------------------------------------------------------------------------------------------------------------------

_STEMS = {"float": "fp", "bfloat": "bf", "int": "i", "uint": "u", "bool": "i1"}  #: of types, by NumPy's
_INT, _LONG = range(-(1 << 31), 1 << 31), range(-(1 << 63), 1 << 63)


def _of_triton(kernel: Any, ctas: int, args: Args, arch: str, options: Mapping[str, Any]) -> Launch:
    """Compiled as a launch of it compiles it: what is divisible by 16 is known to be, and a one is a constant."""
    names = list(kernel.arg_names)
    given = _by_name(names, args, kernel.__name__)
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    divisible: dict[tuple[int], list[list[Any]]] = {}
    for index, parameter in enumerate(kernel.params):
        name = parameter.name
        if name not in given and getattr(parameter, "has_default", False):
            given[name] = parameter.default
        if name not in given:
            raise ArgumentError(f"dma.prove: {kernel.__name__} needs its parameter {name}; pass it in args=")
        value = given[name]
        specializes = not getattr(parameter, "do_not_specialize", False)
        is_one = isinstance(value, int) and not isinstance(value, bool) and value == 1 and specializes
        if parameter.is_constexpr or value is None or is_one:
            signature[name] = "constexpr"
            constants[name] = value
            continue
        signature[name] = _triton_type_of(value, getattr(parameter, "annotation_type", None))
        if specializes and (signature[name][0] == "*" or (isinstance(value, int) and value % 16 == 0)):
            divisible[(index,)] = [["tt.divisibility", 16]]
    triton = sys.modules["triton"]
    source = triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=divisible)
    target = sys.modules["triton.backends.compiler"].GPUTarget("cuda", _number_of(arch), 32)
    compiled = triton.compile(source, target=target, options=dict(options))
    return _launch_of_triton(compiled, ctas, {name: given[name] for name in names if signature[name] != "constexpr"})


def _triton_type_of(value: Any, annotation: str | None) -> str:
    """As Triton's launcher has it."""
    import numpy

    if hasattr(value, "block_shape"):  # a TensorDescriptor
        return f"tensordesc<{_triton_type_of(value.base, None)[1:]}[{', '.join(map(str, value.block_shape))}]>"
    is_scalar = isinstance(value, numpy.generic)
    if hasattr(value, "dtype") and not (is_scalar and annotation):
        stem, bits = re.fullmatch(r"(?:torch\.)?([a-z]+)(\d*)", str(value.dtype)).groups()  # type: ignore[union-attr]
        return ("" if is_scalar else "*") + _STEMS.get(stem, stem) + bits
    if annotation:
        return annotation
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if value in _INT else "i64" if value in _LONG else "u64"
    return "fp32"


def _of_compiled_triton(kernel: Any, ctas: int, args: Args, arch: str, options: Mapping[str, Any]) -> Launch:
    _expect_no(options, kernel.metadata.name)
    signature = dict(getattr(getattr(kernel, "src", None), "signature", None) or {})
    passed = [name for name, type_ in signature.items() if type_ != "constexpr"]
    if isinstance(args, Mapping):
        given: Args = {name: value for name, value in args.items() if signature.get(name) != "constexpr"}
    elif len(args) == len(signature) > len(passed):
        given = {name: value for name, value in zip(signature, args, strict=True) if signature[name] != "constexpr"}
    else:
        given = dict(zip(passed, args, strict=True)) if len(args) == len(passed) else args
    return _launch_of_triton(kernel, ctas, given)


def _launch_of_triton(kernel: Any, ctas: int, given: Args) -> Launch:
    """With the scratch memory that Triton's launcher passes behind the arguments."""
    import numpy

    metadata = kernel.metadata
    passed = dict(given) if isinstance(given, Mapping) else {f"argument_{index}": value for index, value in enumerate(given)}
    args: dict[str, Any] = {}
    boxes = iter(getattr(metadata, "tensordesc_meta", None) or ())
    for name, value in passed.items():
        if hasattr(value, "block_shape"):
            args |= {name: _map_of(value, next(boxes))}
            args |= {f"{name}.axis[{index}]": number for index, number in enumerate((*value.shape, *value.strides))}
        else:
            args[name] = value
    ptx = kernel.asm["ptx"]
    expected = next((len(entry.parameters) for entry in entries_of(ptx) if entry.name == metadata.name), 0)
    for name in ("global_scratch", "profile_scratch"):
        if len(args) < expected:
            size = getattr(metadata, f"{name}_size", 0)
            args[name] = numpy.zeros(size * ctas, numpy.uint8) if size else None
    return Launch(ptx, metadata.name, args, metadata.shared, getattr(metadata, "num_ctas", 1))


def _map_of(descriptor: Any, box: Mapping[str, Any]) -> PtxMap:
    """As Triton's launcher makes it of a TensorDescriptor."""
    if box.get("is_im2col") or box.get("fp4_padded"):
        raise Error("dma.prove: a tensor descriptor of this kind is not judged; give one of tiles, of elements of a byte or more")
    size = descriptor.base.dtype.itemsize
    strides = [size * stride for stride in descriptor.strides[:-1]]
    return PtxMap(descriptor.base, box["block_size"], (0, 32, 64, 128)[box["swizzle"]], descriptor.shape, strides)


# --- Numba ------------------------------------------------------------------------------------------------------------------------


def _of_numba(kernel: Any, ctas: int, args: Args, arch: str, options: Mapping[str, Any]) -> Launch:
    import numpy

    function = kernel.py_func
    names = list(function.__code__.co_varnames[: function.__code__.co_argcount])
    given = _by_name(names, args, function.__name__)
    if len(given) != len(names):
        raise ArgumentError(f"dma.prove: {function.__name__} has the parameters {', '.join(names)}; pass each")
    typeof = sys.modules["numba"].typeof
    signature = tuple(typeof(given[name]) for name in names)
    number = _number_of(arch)
    settings = {"lineinfo": True, "cc": (number // 10, number % 10), **options}
    ptx, _ = sys.modules["numba.cuda"].compile_ptx(function, signature, **settings)
    passed: dict[str, Any] = {}
    for name in names:
        value = given[name]
        if isinstance(value, numpy.ndarray):  # as Numba's launcher does
            numbers = [0, 0, value.size, value.itemsize]
            passed |= {f"{name}[{index}]": number for index, number in enumerate(numbers)} | {name: value}
            passed |= {f"{name}.axis[{index}]": number for index, number in enumerate((*value.shape, *value.strides))}
        elif isinstance(value, tuple | complex):
            raise ArgumentError(f"dma.prove: {name} of {function.__name__} is a {type(value).__name__}; pass its numbers alone")
        else:
            passed[name] = value
    return Launch(ptx, None, passed)


# --- CuPy -------------------------------------------------------------------------------------------------------------------------


def _of_cupy(kernel: Any, ctas: int, args: Args, arch: str, options: Mapping[str, Any]) -> Launch:
    """By the NVRTC that this package has; CuPy's own compiles where there is a GPU."""
    _expect_no(options, kernel.name)
    words = [f"--gpu-architecture=compute_{_number_of(arch)}", *kernel.options]
    ptx, symbol = ptx_by_nvrtc(kernel.code, f"{kernel.name}.cu", words, kernel.name)
    return Launch(ptx, symbol, args)
