"""Loaders with worker processes: what these do with accelerators."""

from __future__ import annotations

from dataclasses import dataclass

from devlint.api import (
    ON_CUDA,
    Analysis,
    Applying,
    DataIterated,
    Device,
    DeviceUsed,
    Ended,
    Function,
    LoaderCalled,
    LoaderCalling,
    LoaderMade,
    Origin,
    Problem,
    Run,
    Severity,
    Value,
    ir,
    loader_options,
    module_state,
    on,
    walk,
)
from devlint_rules.accelerator_in_worker.program_options import AFRESH, ProgramOptions

#: The cell of the program's first use of an accelerator.
USED = "accelerator"

#: Calls that make a CUDA context, or fail where a fork has broken it. Seeds are only queued there,
#: and `is_available` and `device_count` ask the driver. Source: torch.cuda, PyTorch 2.13.
CONTEXTS = frozenset(
    f"torch.cuda.{name}"
    for name in (
        "synchronize set_device current_stream default_stream init Stream "
        "get_device_name get_device_properties get_device_capability mem_get_info"
    ).split()
)
READS = frozenset({"numpy", "item", "tolist"})

PINNED = "the loader pins what it gives, and only tensors on the CPU can be pinned"
FORKED = "it raises there, since the processes are forked from one that has used CUDA before"
FIRST = (
    "each makes a CUDA context of its own, and raises if the program has used CUDA before the fork"
)


@dataclass(frozen=True, slots=True)
class Use:
    """`node` uses `device`."""

    node: ir.Node
    operation: str
    device: Device


@dataclass(frozen=True, slots=True)
class WorkerUse:
    """A use in a function that a loader calls; `is_returned`: what is there may be returned."""

    use: Use
    function: str
    is_returned: bool


@dataclass(frozen=True, slots=True, eq=False)
class Loader:
    """`parent` is where the program itself has used an accelerator before it is made."""

    node: ir.Node
    options: loader_options.LoaderOptions
    start_method: object
    parent: Origin | None
    uses: tuple[WorkerUse, ...]


class WorkerProcesses(Analysis[Run]):
    """Reports the accelerators that the functions of a loader use."""

    needs = (ProgramOptions,)

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        #: What the function uses that a loader calls, while one does.
        self.worker: list[Use] | None = None
        #: What the functions use of the loader that is being made.
        self.uses: list[WorkerUse] = []
        self.loaders: dict[ir.Node, Loader] = {}
        #: What the program had used when it first iterated over a loader.
        self.started: dict[ir.Node, Origin] = {}

    @on(Applying)
    def apply(self, signal: Applying) -> None:
        name = signal.call.name
        if name in CONTEXTS:
            self.note(Use(signal.call.node, f"{name}(..)", ON_CUDA))

    @on(DeviceUsed)
    def use(self, signal: DeviceUsed) -> None:
        self.note(Use(signal.node, signal.operation, signal.device))

    def note(self, use: Use) -> None:
        """Of a worker process also what it moves to the CPU."""
        device, state = use.device, self.run.here()
        if self.worker is not None:
            if device.is_accelerator or device.is_cpu:
                self.worker.append(use)
        elif device.is_accelerator and state.get(USED) is None:
            text = f"the program uses {device.told} here, before the loader runs"
            state.put(USED, Value(origin=Origin(use.node, text)))

    def first_use(self) -> Origin | None:
        """Where the program itself uses an accelerator for the first time."""
        use = self.run.here().get(USED)
        return use.origin if isinstance(use, Value) else None

    @on(DataIterated)
    def start(self, signal: DataIterated) -> None:
        """The worker processes of a loader are made of this one."""
        loader, use = signal.data.origin, self.first_use()
        if loader is not None and use is not None:
            self.started.setdefault(loader.node, use)

    @on(LoaderCalling)
    def enter(self, signal: LoaderCalling) -> None:
        self.worker = []

    @on(LoaderCalled)
    def leave(self, signal: LoaderCalled) -> None:
        """Whether what is on an accelerator is returned: where that cannot be seen, because
        nothing comes back from there."""
        found, self.worker = self.worker or [], None
        parts = list(module_state.parts(self.run, signal.value, set()))
        returned = {p.origin.node for p in parts if p.origin and p.device.is_accelerator}
        stays = not any(use.device.is_cpu for use in found) and not reads(signal.function)
        self.uses += [
            WorkerUse(use, signal.function.name, stays or use.node in returned)
            for use in {use.node: use for use in found if not use.device.is_cpu}.values()
        ]

    @on(LoaderMade)
    def make(self, signal: LoaderMade) -> None:
        if self.worker is not None:
            return
        uses, self.uses = tuple(self.uses), []
        node, arguments = signal.call.node, signal.call.arguments
        if uses:
            context = arguments.get(None, "multiprocessing_context")
            method = context.value.payload if context is not None else None
            options = loader_options.read(self.run, arguments)
            self.loaders[node] = Loader(node, options, method, self.first_use(), uses)

    @on(Ended)
    def end(self, signal: Ended) -> None:
        for loader in self.loaders.values():
            is_forked = self.forks(loader)
            for use in loader.uses:
                is_pinned = loader.options.pins_memory and use.is_returned
                if is_forked or is_pinned:
                    self.report(loader, use, is_pinned)

    def forks(self, loader: Loader) -> bool:
        """Whether it has worker processes that inherit what the program has used."""
        program, setting = self.run.analysis(ProgramOptions), loader.options.setting
        count = loader.options.workers if setting is None else program.settings.get(setting)
        method = loader.start_method or program.start_method
        return isinstance(count, int) and count > 0 and method not in AFRESH

    def report(self, loader: Loader, found: WorkerUse, is_pinned: bool) -> None:
        parent = None if is_pinned else loader.parent or self.started.get(loader.node)
        use, first = found.use, () if parent is None else ((parent.node, parent.text),)
        consequence = PINNED if is_pinned else FIRST if parent is None else FORKED
        where = "for each batch" if is_pinned else "in the worker processes of the loader"
        message = (
            f"`{use.operation}` uses {use.device.told} in `{found.function}`, which runs {where}: "
            f"{consequence}"
        )
        related = (*first, (loader.node, "the loader that runs it"))
        is_certain = is_pinned or parent is not None
        severity: Severity = "error" if is_certain else "warning"
        self.run.report(self, Problem(use.node, message, related, severity=severity))


def reads(function: Function) -> bool:
    """Whether it takes numbers or arrays out of tensors."""
    calls = (each.func for each in walk(function.node) if isinstance(each, ir.Call))
    return any(isinstance(func, ir.Attribute) and func.name in READS for func in calls)
