import pytest

from tracelens.analyze.owners import Owner, owner_of, owner_of_stack
from tracelens.model.functions import Frame


def frame(file, function="f", text=""):
    return Frame(function=function, file=file, line=2, defined=1, text=text)


JIT = "triton/runtime/jit.py"
RUN = "JITFunction.run"


@pytest.mark.parametrize(
    ("text", "purpose"),
    [
        # Lines of triton 3.6 and, where they differ, of 3.3.
        ("bound_args, specialization, options = binder(*args, **kwargs)", "specialisation"),
        ("key = compute_cache_key(kernel_key_cache, specialization, options)", "cache key"),
        ("key = str(specialization) + str(options)", "cache key"),
        ("kernel = kernel_cache.get(key, None)", "cache key"),
        ("device = driver.active.get_current_device()", "stream and device"),
        ("stream = driver.active.get_current_stream(device)", "stream and device"),
        (
            "kernel_cache, kernel_key_cache, target, backend, binder = self.device_caches[device]",
            "stream and device",
        ),
        ('kwargs["debug"] = kwargs.get("debug", self.debug) or knobs.runtime.debug', "options"),
        ("for hook in self.pre_run_hooks:", "hooks"),
        (
            "for (name, _), (val, globals_dict) in self.used_global_vals.items():",
            "global variables check",
        ),
        ("grid = grid(bound_args)", "grid"),
        ("grid_1 = grid[1] if grid_size > 1 else 1", "grid"),
        (
            "launch_metadata = kernel.launch_metadata(grid, stream, *bound_args.values())",
            "launch metadata",
        ),
        (
            "kernel.run(grid_0, grid_1, grid_2, stream, kernel.function, kernel.packed_metadata, "
            "launch_metadata,",
            "C launcher",
        ),
        (
            "knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook, *bound.values())",
            "C launcher",
        ),
        ("return kernel", None),
    ],
)
def test_the_lines_of_tritons_run_are_told_apart_by_what_they_say(text, purpose):
    assert owner_of(frame(JIT, RUN, text)) == Owner("triton launcher", purpose)


@pytest.mark.parametrize(
    ("file", "function", "owner"),
    [
        ("<op file>", "op", Owner("op's own code")),
        ("neighbour.py", "helper", Owner("op's own code")),
        ("<string>", "dynamic_func", Owner("triton launcher", "specialisation")),
        (JIT, "compute_cache_key", Owner("triton launcher", "cache key")),
        (JIT, "KernelInterface.__getitem__.<locals>.<lambda>", Owner("triton launcher", "binding")),
        (
            "triton/compiler/compiler.py",
            "CompiledKernel.launch_metadata",
            Owner("triton launcher", "launch metadata"),
        ),
        (
            "triton/compiler/compiler.py",
            "CompiledKernel.run",
            Owner("triton launcher", "C launcher"),
        ),
        (
            "triton/backends/nvidia/driver.py",
            "CudaLauncher.__call__",
            Owner("triton launcher", "C launcher"),
        ),
        (
            "triton/runtime/driver.py",
            "DriverConfig.active",
            Owner("triton launcher", "stream and device"),
        ),
        ("flag_gems/utils/libentry.py", "LibEntry.key", Owner("FlagGems", "cache key")),
        ("flag_gems/ops/sigmoid.py", "sigmoid", Owner("FlagGems")),
        (
            "<flag_gems code cache>/pointwise.py",
            "wrapper",
            Owner("FlagGems", "generated wrapper"),
        ),
        ("liger_kernel/ops/rms_norm.py", "rms_norm_forward", Owner("liger")),
        ("torch/autograd/function.py", "Function.apply", Owner("autograd")),
        ("torch/_dynamo/eval_frame.py", "compile_wrapper", Owner("torch.compile guards")),
        ("torch/_inductor/utils.py", "run", Owner("inductor wrapper")),
        ("<torchinductor>/cabc.py", "call", Owner("inductor wrapper", "generated code")),
        ("<string>", "launcher", Owner("inductor wrapper", "triton launch")),
        # C++ that torch's Python calls is the op's work, and no matter of its dispatcher.
        ("torch/nn/functional.py", "rms_norm", Owner("torch")),
        ("torch/_prims_common/__init__.py", "elementwise_dtypes", Owner("torch", "type promotion")),
        ("torch/cuda/__init__.py", "current_stream", Owner("torch", "stream and device")),
        ("torch/utils/_pytree.py", "tree_map", Owner("torch")),
        ("torch/_ops.py", "OpOverload.__call__", Owner("torch dispatch")),
        ("torch/library.py", "Library.impl", Owner("torch dispatch")),
        ("torch/_library/custom_ops.py", "CustomOpDef.__call__", Owner("torch dispatch")),
        ("torch/overrides.py", "handle_torch_function", Owner("torch dispatch")),
        (
            "torch/utils/_python_dispatch.py",
            "TorchDispatchMode.__enter__",
            Owner("torch dispatch"),
        ),
        ("torch/_python_dispatcher.py", "PythonDispatcher", Owner("torch dispatch")),
        ("numpy/core.py", "f", Owner("other libraries")),
        ("logging/__init__.py", "Logger.debug", Owner("standard library")),
    ],
)
def test_a_frame_belongs_to_whoever_wrote_its_file(file, function, owner):
    assert owner_of(frame(file, function)) == owner


def test_a_file_of_the_standard_library_is_known_by_the_text_that_only_public_files_have():
    assert owner_of(frame("functools.py", "wraps", "return partial(update)")) == Owner(
        "standard library"
    )
    assert owner_of(frame("functools.py", "wraps")) == Owner("op's own code")


def test_the_standard_library_works_for_whoever_called_it():
    own, gems = frame("<op file>", "op"), frame("flag_gems/ops/sigmoid.py", "sigmoid")
    logs = frame("logging/__init__.py", "Logger.debug", "if self.isEnabledFor(DEBUG):")

    assert owner_of_stack([own, gems, logs]) == Owner("FlagGems")
    assert owner_of_stack([own]) == Owner("op's own code")
    assert owner_of_stack([]) == Owner("op's own code", "C function")
