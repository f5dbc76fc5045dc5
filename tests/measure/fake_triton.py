"""What tracelens touches of Triton 3.6 and of Inductor when it watches launches."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any


class Config:
    """A candidate, as Triton spells one."""

    def __init__(
        self, kwargs: dict[str, Any], num_warps: int = 4, num_stages: int = 3, num_ctas: int = 1
    ) -> None:
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas

    def all_kwargs(self) -> dict[str, Any]:
        options = {
            "num_warps": self.num_warps,
            "num_ctas": self.num_ctas,
            "num_stages": self.num_stages,
        }
        return self.kwargs | options

    def __str__(self) -> str:
        return str(self.all_kwargs())


class FakeTriton(ModuleType):
    """Kernels are compiled per configuration, as Triton does, and launched without a device."""

    def __init__(self, version: str = "3.6.0") -> None:
        super().__init__("triton")
        self.__version__ = version

        class CompiledKernel:
            def __init__(self, src: Any, metadata: Any) -> None:
                self.src = src
                self.metadata = metadata
                self.n_regs = 90
                self.n_spills = 0

            def launch_metadata(self, grid: Any, stream: int, *arguments: Any) -> None:
                return None

        class Autotuner:
            def __init__(self, fn: Any, configs: list[Config], times_ms: list[float]) -> None:
                self.fn = fn
                self.configs = configs
                self.times_ms = times_ms
                self.best_config: Config | None = None

            def _bench(self, *arguments: Any, config: Config, **meta: Any) -> list[float]:
                self.fn.run(*arguments, **meta, **config.all_kwargs())
                return [self.times_ms[self.configs.index(config)]] * 3

            def run(self, *arguments: Any, **meta: Any) -> None:
                if self.best_config is None:
                    benched = {c: self._bench(*arguments, config=c, **meta) for c in self.configs}
                    self.best_config = min(benched, key=lambda c: benched[c])
                self.fn.run(*arguments, **meta, **self.best_config.all_kwargs())

        self.CompiledKernel = CompiledKernel
        self.Autotuner = Autotuner
        self.compiler = SimpleNamespace(compiler=SimpleNamespace(CompiledKernel=CompiledKernel))
        self.runtime = SimpleNamespace(autotuner=SimpleNamespace(Autotuner=Autotuner))

    def jit(self, function: Callable[..., object], *constexprs: str) -> Any:
        """Return a function that compiles itself once for each set of constants and launches."""
        return _Jitted(self, function, constexprs)


class _Jitted:
    starting_line_number = 7

    def __init__(self, triton: FakeTriton, fn: Any, constexprs: tuple[str, ...]) -> None:
        self.fn = fn
        self.arg_names = [*fn.__code__.co_varnames[: fn.__code__.co_argcount]]
        self.constexprs = [self.arg_names.index(name) for name in constexprs]
        self._triton = triton
        self._compiled: dict[str, Any] = {}

    def run(self, *arguments: Any, grid: Any, **named: Any) -> Any:
        options = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None}
        options |= {name: named.pop(name) for name in options if name in named}
        key = str((named, options))
        if key not in self._compiled:
            constants = {(self.arg_names.index(name),): value for name, value in named.items()}
            target = SimpleNamespace(backend="cuda", arch=90, warp_size=32)
            metadata = SimpleNamespace(
                name=self.fn.__name__, shared=1024 * options["num_stages"], target=target, **options
            )
            source = SimpleNamespace(fn=self, constants=constants)
            self._compiled[key] = self._triton.CompiledKernel(source, metadata)
        kernel = self._compiled[key]
        kernel.launch_metadata(grid(named) if callable(grid) else grid, 0, *arguments)
        return kernel


class FakeInductor(ModuleType):
    """The module that holds Inductor's tuner; its kernels are launched statically or by Triton."""

    def __init__(self) -> None:
        super().__init__("torch._inductor.runtime.triton_heuristics")

        class CachingAutotuner:
            inductor_meta: dict[str, Any] = {}  # noqa: RUF012  # as Inductor has it
            heuristic_type = "HeuristicType.POINTWISE"
            device_props = SimpleNamespace(type="cuda", cc=90, warp_size=32)

            def __init__(self, name: str, config: Config, filename: str, kernel: Any) -> None:
                self.fn = SimpleNamespace(__name__=name)
                self.filename = filename
                self.kernel = kernel
                self.launchers = [SimpleNamespace(config=config, n_regs=32, n_spills=2, shared=512)]
                self.coordesc_tuner = SimpleNamespace(cached_benchmark_results={})

            def _interpret_args_grid(self, arguments: Any, config: Config) -> Any:
                return arguments, (-(-arguments[-1] // config.kwargs["XBLOCK"]), 1, 1)

            def run(self, *arguments: Any, stream: int, benchmark_run: bool = False) -> None:
                if self.kernel is not None:
                    self.kernel.launch_metadata((9, 1, 1), stream, *arguments)

        self.CachingAutotuner = CachingAutotuner
