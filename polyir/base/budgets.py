"""How many of its operations isl may take for each step that has another way out.

isl counts its operations the same way on every computer, so that the same input and options give
the same output everywhere. Time never decides that (`base.limits`): it only ends a run.

All budgets of polyir are here. A number is round, and follows from how long a user would wait for
what the step gives: isl does between half a million and fifty million operations in a second,
fewer where sets have more dimensions and integer divisions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True)
class Budget:
    """A number of isl's operations for a step.

    `step` is a noun, as in "STEP takes isl more than 1000 operations". `otherwise` says what
    happens when the budget is used up, and `reason` why it is this number.
    """

    step: str
    operations: int
    otherwise: str
    reason: str

    @property
    def exceeded(self) -> str:
        """What a remark says when the budget is used up."""
        return f"{self.step} takes isl more than {self.operations} operations"

    def scaled(self, factor: int = 1, divisor: int = 1) -> Budget:
        """The budget for a larger input, or for one on which each operation takes longer."""
        return replace(self, operations=max(1, self.operations * factor // divisor))


# From text to scops.

SUBSCRIPT_PROOF: Final = Budget(
    "a proof about indices of C",
    20_000,
    "what was to be refuted counts as possible",
    "There are many for a C file, so each must be a matter of milliseconds; most take hundreds.",
)

RAISING: Final = Budget(
    "raising the function",
    10_000_000,
    "the pass ends with an error",
    "Well above what a million lines of loops take.",
)

VALUE_DEPENDENCES: Final = Budget(
    "the analysis of value-based dependences",
    2_000_000,
    "memory-based dependences are used",
    "For ten statements without integer divisions: a second or a few. Kernels take a tenth, and "
    "with remainders it can be any number.",
)

MEMORY_DEPENDENCES: Final = Budget(
    "the analysis of memory-based dependences",
    150_000_000,
    "the scop is left alone",
    "As above, with nothing cheaper behind them: mostly one to three seconds, seven in the "
    "slowest of a hundred hard programs.",
)

FACTS: Final = Budget(
    "the use of facts about index arrays",
    200_000,
    "a dependence keeps pairs that the facts may exclude",
    "For one pair of accesses, or for a dependence in all: there may be hundreds. Sparse matrix "
    "kernels take a tenth.",
)

REQUIREMENTS: Final = Budget(
    "the bounds of subscripts",
    1_000_000,
    "calls are not checked for subscripts beyond an array",
    "A check that calls do without costs a second of compilation at most.",
)

# What a program does.

COALESCING: Final = Budget(
    "the coalescing of a dependence",
    50_000,
    "the relation keeps its polyhedra",
    "It only makes what follows faster. Kernels take 30,000 at most; with hundreds of polyhedra, "
    "isl compares each with each.",
)

FARKAS_FORMS: Final = Budget(
    "the affine forms that are not negative on a dependence",
    1_000_000,
    "those of its hull are used, or of loops around it",
    "A second for each dependence. Kernels take 60,000 at most; with remainders and minima, "
    "relations have many polyhedra.",
)

TRANSFERS: Final = Budget(
    "the search for what is read of an array before it is written",
    2_000_000,
    "the whole array is copied to the device",
    "A second for each array.",
)

NEEDED_ELEMENTS: Final = Budget(
    "the search for the elements that copies need",
    1_000_000,
    "all elements that are accessed are copied",
    "A second for each array at most; the copy is right either way.",
)

LIVE_ELEMENTS: Final = Budget(
    "the search for elements that are live at once",
    10_000_000,
    "the array keeps its size",
    "Some seconds for an array whose memory would otherwise grow with all its iterations.",
)

UNEQUAL_WORK: Final = Budget(
    "the comparison of the iterations of a parallel loop",
    100_000,
    "they count as equal",
    "Hundredths of a second, for a hint to OpenMP. Skewed tiles of three dimensions take more "
    "than a million, so that their loops count as balanced.",
)

# New schedule trees.

TRANSFORMATION: Final = Budget(
    "the transformation",
    30_000_000,
    "the schedule is left as it was",
    "Some ten seconds, half of the default time limit. Schedulers of kernels take a tenth at most.",
)

INTEGER_PROGRAM: Final = Budget(
    "one integer program of a scheduler",
    50_000,
    "the rows that it stands for are left out",
    "Up to ten seconds: an operation is a step on all of a tableau, with numbers that grow, and "
    "may take a hundred times as long as others. The kernels of PolyBench take a tenth at most.",
)

REDUNDANT_CONSTRAINTS: Final = Budget(
    "the search for redundant constraints of a scheduler",
    500_000_000,
    "they stay, and integer programs take longer",
    "Divided by the entries of the matrix, for each operation is a step on all of it: a second or "
    "two. Kernels take milliseconds; heat-3d as a system of equations would take hours.",
)

STRATEGY: Final = Budget(
    "the search for a schedule",
    60_000_000,
    "the strategies that share a scheduler are not possible",
    "A scheduler and the passes after it: twice as much as one transformation may take.",
)

NEST_CHOICE: Final = Budget(
    "the choice of a schedule for each nest",
    2_000_000,
    "all nests are those of the best strategy",
    "Half a second. Kernels take a fortieth, and the best strategy is known by then.",
)

EXPECTED_SIZES: Final = Budget(
    "what arrays and conditions say of sizes",
    1_000_000,
    "they say nothing",
    "A fraction of a second, before anything is tried. Kernels take hundreds or thousands.",
)

COMPARED_SCHEDULE: Final = Budget(
    "the scheduler of a comparison",
    30_000_000,
    "its line says that it is not finished",
    "As for a transformation.",
)

INTERLEAVINGS: Final = Budget(
    "the interleavings",
    30_000_000,
    "they are neither printed nor tried",
    "As for a transformation: each statement that is added multiplies them.",
)

FREED_LOOPS: Final = Budget(
    "the search for temporaries",
    2_000_000,
    "no advice is given",
    "Half a second. Kernels take a tenth, and it is only advice.",
)

# Loops from schedule trees.

USUAL_LOOPS: Final = Budget(
    "the generation of the usual loops",
    8_000_000,
    "cheaper loops are generated, over whole tiles or with tests inside",
    "About two seconds for one loop, and divided by the depth of the tree: a constraint has a "
    "column for each loop, so that an operation takes longer in proportion. Who waits longer for "
    "loops that are a little better would rather have the others.",
)

TILE_LOOPS: Final = Budget(
    "the generation of loops over whole tiles",
    2_000_000,
    "atomic loops are generated",
    "Such loops are far simpler than the usual ones: where they are not, they are of no use.",
)

ATOMIC_LOOPS: Final = Budget(
    "the generation of atomic loops",
    20_000_000,
    "loops over convex sets around the iterations are generated",
    "About ten seconds, half of the default time limit.",
)

CONVEX_LOOPS: Final = Budget(
    "code generation",
    30_000_000,
    "the loops keep their original order",
    "The last way to generate loops may take as long as a transformation.",
)

THREAD_LOOPS: Final = Budget(
    "the generation of the usual loops of a thread",
    200_000,
    "the loops of the block are used, with tests inside",
    "Each kernel has its own, and what is used instead is nearly as good.",
)

AST_PARTITION: Final = Budget(
    "the check that the loops execute each instance once",
    5_000_000,
    "the loops are used without it, and a remark says so",
    "A second or two beside the generation of the loops, and only for the hardest: kernels take a "
    "hundredth, programs with hundreds of statement nodes a tenth.",
)

AST_ORDER: Final = Budget(
    "the check that the loops execute instances in order",
    5_000_000,
    "the loops are used without it, and a remark says so",
    "As above: each statement node is compared with all others.",
)

AST_TEXT: Final = Budget(
    "the check that the loops compute the right values",
    5_000_000,
    "the loops are used without it, and a remark says so",
    "As above. The conditions of a node are sets of as many parts as they have alternatives.",
)

LOOP_SPLITTING: Final = Budget(
    "the splitting of a loop nest",
    5_000_000,
    "tests of loop counters stay",
    "A few seconds. PolyBench kernels with diamond tiles and wavefronts take up to two million.",
)

SCALAR_REPLACEMENT: Final = Budget(
    "the comparison of the accesses of a loop",
    1_000_000,
    "all elements stay in memory",
    "A second for a loop at most; most have no such elements.",
)

ARGUMENT_TEST: Final = Budget(
    "a test of the arguments of a call",
    10_000,
    "the set is tested by isl",
    "With large coefficients, ten times as many operations take a hundred times as long.",
)

# GPUs.

KERNEL_PROMOTION: Final = Budget(
    "the promotion",
    15_000_000,
    "all arrays stay in global memory",
    "Some three seconds.",
)

KERNEL_COPIES: Final = Budget(
    "the check of copies",
    15_000_000,
    "all arrays stay in global memory",
    "As long as it takes to plan them.",
)

KERNEL_BARRIERS: Final = Budget(
    "the search for barriers",
    60_000_000,
    "all arrays stay in global memory",
    "Some ten seconds, half of the default time limit: kernels without shared memory may be "
    "several times slower.",
)

KERNEL_CHECK: Final = Budget(
    "the check of the kernels",
    60_000_000,
    "all arrays stay in global memory",
    "As long as the search for their barriers.",
)

# Ranks.

DISTRIBUTED_SET: Final = Budget(
    "the form of what ranks own or send",
    200_000,
    "all blocks may be neighbours, edges are not split off, sets are sent as they are",
    "For one set of many: the messages are right either way.",
)

# Equations.

EQUATION_CYCLES: Final = Budget(
    "the search for cycles of equations",
    5_000_000,
    "the next way to find them is tried; after all of them, there count as none",
    "Some seconds for each way. The schedule is checked, so that only the message is worse.",
)

EQUATION_SCHEDULE: Final = Budget(
    "the search for an order of equations",
    10_000_000,
    "statements are divided",
    "Some seconds, where kernels take a hundredth. Statements with many remainders may be easier "
    "in parts.",
)

EQUATION_DEPENDENCES: Final = Budget(
    "the analysis of the dependences of equations",
    20_000_000,
    "they are computed from the statements",
    "The other way takes as long.",
)

SCOP_EQUATIONS: Final = Budget(
    "the search for what each statement reads",
    2_000_000,
    "the pass ends with an error",
    "As for value-based dependences, of which it is one half.",
)

# What is shown.

SHOWN_DEPENDENCE: Final = Budget(
    "a column of what is shown of a dependence",
    200_000,
    "it is shown as unknown, or in a longer form",
    "There may be hundreds of dependences on a page. Kernels take a hundredth.",
)

SHOWN_PAIRS: Final = Budget(
    "the list of the pairs of a dependence",
    2_000_000,
    "its arrows are not drawn",
    "A picture has some thousands of arrows.",
)
