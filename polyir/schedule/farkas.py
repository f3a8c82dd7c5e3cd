"""Farkas' lemma: the affine forms that are non-negative on all pairs of a dependence.

A schedule row gives every statement S an affine form phi_S. That phi_target(q) - phi_source(p) is
non-negative for every pair (p, q) of a dependence is a condition on the coefficients of the two
forms. Farkas' lemma turns it into finitely many linear constraints: a form is non-negative on a
polyhedron exactly if it is a combination of the polyhedron's constraints with non-negative
multipliers, and the multipliers are then eliminated. See Bondhugula et al., "Affine
Transformations for Communication Minimal Parallelization and Locality Optimization of
Arbitrarily Nested Loop Sequences", 2007, section 3.3, lemma 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import islpy as isl

from polyir.isl_lists import basic_maps_of
from polyir.limits import within_operations
from polyir.schedule.linear import Row, dot, entries_of, matrix_of


@dataclass(frozen=True)
class NonNegativeForms:
    """The cone of the affine forms that are non-negative on a relation.

    A form has the coefficients (constant, parameters, source iterators, target iterators), in
    this order. It is in the cone if its product with every row of `equalities` is zero and its
    product with every row of `inequalities` is not negative.
    """

    parameter_count: int
    source_depth: int
    target_depth: int
    equalities: tuple[Row, ...]
    inequalities: tuple[Row, ...]

    def contains(self, form: Sequence[int]) -> bool:
        """Whether `form` is non-negative on the relation."""
        return all(dot(row, form) == 0 for row in self.equalities) and all(
            dot(row, form) >= 0 for row in self.inequalities
        )

    @property
    def width(self) -> int:
        """The number of coefficients of a form."""
        return 1 + self.parameter_count + self.source_depth + self.target_depth

    @cached_property
    def equality_matrix(self) -> isl.Mat:
        """`equalities` as a matrix."""
        return matrix_of(self.equalities, self.width)

    @cached_property
    def inequality_matrix(self) -> isl.Mat:
        """`inequalities` as a matrix."""
        return matrix_of(self.inequalities, self.width)


def non_negative_forms(relation: isl.Map) -> NonNegativeForms:
    """The affine forms over source, target and parameters that are non-negative on `relation`.

    The rational relaxation of `relation` is used, with its existentially quantified variables
    eliminated. So every form in the result is non-negative on `relation`, and where the relation
    has such variables or non-integer vertices, some non-negative forms may be missing. The forms
    i'_k - i_k, which the original loops give, are never lost, unless the relation takes isl too
    many operations: then it is replaced by a polyhedron around it.
    """
    forms = within_operations(FORMS_OPERATIONS, partial(_all_forms, relation))
    if forms is not None:
        return forms
    hull = isl.Map.from_basic_map(relation.remove_divs().simple_hull())
    forms = within_operations(HULL_OPERATIONS, partial(_forms_of, hull))
    if forms is not None:
        return forms
    (piece,) = basic_maps_of(hull)
    return _forms_with(hull, [_without_inequalities(piece.wrap())])


FORMS_OPERATIONS = 1_000_000
"""How many operations isl may take for the forms of one relation; kernels take 300,000 at most.
Subscripts with `mod` and bounds that are minima make relations of many polyhedra."""

HULL_OPERATIONS = 100_000
"""How many it may take for those of a polyhedron around a relation that is too hard."""


def _all_forms(relation: isl.Map) -> NonNegativeForms:
    relaxed = relation.remove_divs().coalesce()
    forms = _forms_of(relaxed)
    lost = [
        piece
        for piece in basic_maps_of(relation)
        for form in _forward_forms(piece)
        if not forms.contains(form)
    ]
    if not lost:
        return forms
    each = [_forms_of_refined(piece) for piece in basic_maps_of(relation)]
    return replace(
        forms,
        equalities=tuple(row for part in each for row in part.equalities),
        inequalities=tuple(row for part in each for row in part.inequalities),
    )


def _forms_of(relation: isl.Map) -> NonNegativeForms:
    pieces = basic_maps_of(_without_many_faced_pieces(relation))
    return _forms_with(
        relation, [dual_cone(piece.remove_redundancies().wrap()) for piece in pieces]
    )


def _forms_with(relation: isl.Map, cones: Sequence[Cone]) -> NonNegativeForms:
    kinds = isl.dim_type
    return NonNegativeForms(
        relation.dim(kinds.param),
        relation.dim(kinds.in_),
        relation.dim(kinds.out),
        tuple(dict.fromkeys(row for equalities, _ in cones for row in equalities)),
        tuple(dict.fromkeys(row for _, inequalities in cones for row in inequalities)),
    )


def _forward_forms(piece: isl.BasicMap) -> list[Row]:
    """The forms i'_k - i_k that are non-negative on all integer points of `piece`."""
    kinds = isl.dim_type
    parameter_count, depth = piece.dim(kinds.param), piece.dim(kinds.in_)
    local_space = isl.LocalSpace.from_space(piece.get_space())
    forms: list[Row] = []
    for iterator in range(min(depth, piece.dim(kinds.out))):
        backward = (
            isl.Constraint.alloc_inequality(local_space)
            .set_coefficient_val(kinds.in_, iterator, 1)
            .set_coefficient_val(kinds.out, iterator, -1)
            .set_constant_val(-1)
        )
        violated = isl.BasicMap.universe(piece.get_space()).add_constraint(backward)
        if piece.intersect(violated).is_empty():
            form = [0] * (1 + parameter_count + depth + piece.dim(kinds.out))
            form[1 + parameter_count + iterator] = -1
            form[1 + parameter_count + depth + iterator] = 1
            forms.append(tuple(form))
    return forms


REFINEMENT = 1 << 10
"""How many times finer than the integers is the grid on which isl may tighten constraints."""


def _forms_of_refined(piece: isl.BasicMap) -> NonNegativeForms:
    """As `_forms_of`, with the forms i'_k - i_k that hold for the integer points of `piece`.

    The rational relaxation of, say, 2i' > 2i - 2 allows i' = i - 1/2, so the constraint i' >= i
    has to be added. But isl drops a constraint that is redundant for integers alone. With all
    points multiplied by `REFINEMENT`, the relaxation's points lie on a grid where the constraint
    is not redundant.
    """
    kinds = isl.dim_type
    order = (kinds.param, kinds.in_, kinds.out, kinds.div, kinds.cst)
    relaxed = piece.remove_divs()
    equalities = entries_of(relaxed.equalities_matrix(*order))
    inequalities = entries_of(relaxed.inequalities_matrix(*order))
    forward = [(*form[1:], 0) for form in _forward_forms(piece)]
    width = 1 + sum(relaxed.dim(kind) for kind in (kinds.param, kinds.in_, kinds.out))
    refined = isl.BasicMap.from_constraint_matrices(
        relaxed.get_space(),
        matrix_of(_refined(equalities), width),
        matrix_of(_refined([*inequalities, *forward]), width),
        *order,
    )
    forms = _forms_of(isl.Map.from_basic_map(refined))
    return replace(
        forms,
        equalities=tuple((row[0] * REFINEMENT, *row[1:]) for row in forms.equalities),
        inequalities=tuple((row[0] * REFINEMENT, *row[1:]) for row in forms.inequalities),
    )


def _refined(rows: Sequence[Row]) -> list[Row]:
    """`rows`, whose last entry is the constant, for points multiplied by `REFINEMENT`."""
    return [(*row[:-1], REFINEMENT * row[-1]) for row in rows]


# Pieces with many faces


def _without_many_faced_pieces(relation: isl.Map) -> isl.Map:
    """The same relation, with pieces that have more faces than a box split where possible.

    Eliminating the multipliers of many faces is slow. Such pieces mostly come from stencils: a
    convex union of a few uniform dependences, each of which is easy.
    """
    kinds = isl.dim_type
    if relation.dim(kinds.in_) != relation.dim(kinds.out):
        return relation
    result = isl.Map.empty(relation.get_space())
    for each in basic_maps_of(relation):
        piece = each.remove_redundancies()
        parts = _uniform_parts(piece) if _has_more_faces_than_a_box(piece) else None
        result = result.union(isl.Map.from_basic_map(piece) if parts is None else parts)
    return result


def _has_more_faces_than_a_box(piece: isl.BasicMap) -> bool:
    """Whether `piece` has more inequalities than two bounds for each free dimension."""
    kinds = isl.dim_type
    order = (kinds.in_, kinds.out, kinds.param, kinds.div, kinds.cst)
    equality_count = piece.equalities_matrix(*order).rows()
    dimensions = sum(piece.dim(kind) for kind in (kinds.in_, kinds.out, kinds.param))
    return piece.inequalities_matrix(*order).rows() > 2 * (dimensions - equality_count)


UNIFORM_PARTS_LIMIT = 64
"""The largest number of uniform dependences that a relation is split into, a round number."""

UNIFORM_PARTS_BOX_LIMIT = 4096
"""The largest box of distance vectors that is searched for them, a round number."""


def _uniform_parts(piece: isl.BasicMap) -> isl.Map | None:
    """`piece` as a union of uniform dependences, `None` if there are too many or infinitely many.

    The distance vectors of a uniform dependence are all the same.
    """
    kinds = isl.dim_type
    unnamed = isl.Map.from_basic_map(piece).reset_tuple_id(kinds.in_).reset_tuple_id(kinds.out)
    distances = unnamed.deltas().project_out_all_params()
    if distances.is_empty() or not distances.is_bounded():
        return None
    box_size = 1
    for iterator in range(distances.dim(kinds.set)):
        extent = distances.dim_max_val(iterator).sub(distances.dim_min_val(iterator))
        box_size *= extent.to_python() + 1
    if box_size > UNIFORM_PARTS_BOX_LIMIT:
        return None
    points: list[isl.Point] = []
    distances.foreach_point(points.append)
    return _with_distances(piece, points) if len(points) <= UNIFORM_PARTS_LIMIT else None


def _with_distances(piece: isl.BasicMap, distances: Sequence[isl.Point]) -> isl.Map:
    """The parts of `piece` with each of `distances`."""
    kinds = isl.dim_type
    result = isl.Map.empty(piece.get_space())
    local_space = isl.LocalSpace.from_space(piece.get_space())
    for distance in distances:
        part = piece
        for iterator in range(piece.dim(kinds.in_)):
            equality = (
                isl.Constraint.alloc_equality(local_space)
                .set_coefficient_val(kinds.in_, iterator, 1)
                .set_coefficient_val(kinds.out, iterator, -1)
                .set_constant_val(distance.get_coordinate_val(kinds.set, iterator))
            )
            part = part.add_constraint(equality)
        result = result.union(isl.Map.from_basic_map(part))
    return result


# The elimination of the multipliers

EASY_MULTIPLIERS = 3
"""How many multipliers isl eliminates at once; with more, its time explodes."""

GROWTH_LIMIT = 200
"""How many constraints the elimination of one multiplier may add, a round number."""

MOST_CONSTRAINTS = 128
"""How many constraints there may be between two eliminations. A box of n dimensions has 2 to the
power of n vertices, and its cone has a facet for each. The kernels of PolyBench need 96."""

Cone = tuple[Sequence[Row], Sequence[Row]]
"""Equalities and inequalities on the coefficients (constant, parameters, dimensions) of a form."""


def dual_cone(polyhedron: isl.BasicSet) -> Cone:
    """The affine forms that are non-negative on `polyhedron`, or some of them if these are hard.

    isl's `BasicSet.coefficients` eliminates all multipliers in one go and keeps what becomes
    redundant on the way, which takes minutes where a polyhedron has a few faces more than a
    simplex. Here, one multiplier is eliminated at a time.

    `polyhedron` has no local variables and no redundant constraints, and some rational point.
    Where the cone has too many facets, the result is the cone of a larger polyhedron: first
    without the constraints on parameters alone, which make many vertices and seldom matter, then
    without any inequality.
    """
    # The same dependences are met again for each loop of a nest that is not permutable.
    known = str(polyhedron)
    if known not in _cones:
        _cones[known] = _dual_cone(polyhedron)
        if len(_cones) > MOST_CONES:
            del _cones[next(iter(_cones))]
    return _cones[known]


def _dual_cone(polyhedron: isl.BasicSet) -> Cone:
    kinds = isl.dim_type
    cone = _cone(polyhedron)
    if cone is None and polyhedron.dim(kinds.param):
        cone = _cone(
            polyhedron.drop_constraints_not_involving_dims(kinds.set, 0, polyhedron.dim(kinds.set))
        )
    return cone or _without_inequalities(polyhedron)


MOST_CONES = 1000
"""How many cones are remembered."""

_cones: dict[str, Cone] = {}


def _cone(polyhedron: isl.BasicSet) -> Cone | None:
    """The cone of all non-negative forms, `None` if it has too many facets."""
    kinds = isl.dim_type
    order = (kinds.cst, kinds.param, kinds.set, kinds.div)
    lines = entries_of(polyhedron.equalities_matrix(*order))
    rays = entries_of(polyhedron.inequalities_matrix(*order))
    width = 1 + polyhedron.dim(kinds.param) + polyhedron.dim(kinds.set)
    if len(rays) + 1 + len(lines) - width <= EASY_MULTIPLIERS:
        return _at_once(polyhedron, width)
    positive = (1, *(0,) * (width - 1))
    return _one_by_one([positive, *rays], lines, width)


def _without_inequalities(polyhedron: isl.BasicSet) -> Cone:
    """The cone of the forms that are a non-negative constant on the affine hull."""
    hull = polyhedron.affine_hull()
    return _at_once(hull, 1 + hull.dim(isl.dim_type.param) + hull.dim(isl.dim_type.set))


def _at_once(polyhedron: isl.BasicSet, width: int) -> Cone:
    kinds = isl.dim_type
    order = (kinds.set, kinds.param, kinds.div, kinds.cst)
    cone = polyhedron.coefficients()
    equalities = entries_of(cone.equalities_matrix(*order))
    inequalities = entries_of(cone.inequalities_matrix(*order))
    # The constraints of a cone have no constant.
    return [row[:width] for row in equalities], [row[:width] for row in inequalities]


def _one_by_one(rays: Sequence[Row], lines: Sequence[Row], width: int) -> Cone | None:
    """The constraints of the cone of all sums of `lines` and non-negative multiples of `rays`.

    By Farkas' lemma the forms in question are those sums of the polyhedron's constraints.
    Fourier-Motzkin elimination of one multiplier at a time is exact, for a cone has a rational
    point only where it has an integer one. `None` if an elimination adds
    more than `GROWTH_LIMIT` constraints, or if there are more than `MOST_CONSTRAINTS`.
    """
    kinds = isl.dim_type
    cone = _with_multipliers(rays, lines, width)
    # isl says in local variables that a multiplier is an integer; these are not wanted.
    cone = cone.eliminate(kinds.set, width + len(rays), len(lines)).remove_divs()
    left = list(range(width, width + len(rays)))
    while left:
        multiplier, growth = _cheapest(cone, left)
        if growth > GROWTH_LIMIT:
            return None
        left.remove(multiplier)
        cone = cone.eliminate(kinds.set, multiplier, 1).remove_divs()
        if growth > 0:
            cone = cone.remove_redundancies()
        if cone.n_constraint() > MOST_CONSTRAINTS + len(left):
            return None
    cone = cone.project_out(kinds.set, width, len(rays) + len(lines)).remove_redundancies()
    equalities = entries_of(cone.equalities_matrix(*_COLUMNS))
    inequalities = entries_of(cone.inequalities_matrix(*_COLUMNS))
    return [row[:-1] for row in equalities], [row[:-1] for row in inequalities]


_COLUMNS = (isl.dim_type.set, isl.dim_type.div, isl.dim_type.param, isl.dim_type.cst)


def _with_multipliers(rays: Sequence[Row], lines: Sequence[Row], width: int) -> isl.BasicSet:
    """The sums of `lines` and non-negative multiples of `rays`, with their multipliers.

    The dimensions are the `width` coefficients of a sum, then a multiplier for each ray and line.
    """
    generators = [*rays, *lines]
    whole = width + len(generators)
    sums = [
        (
            *(-int(position == column) for position in range(width)),
            *(generator[column] for generator in generators),
            0,
        )
        for column in range(width)
    ]
    signs = [
        tuple(int(position == width + ray) for position in range(whole + 1))
        for ray in range(len(rays))
    ]
    return isl.BasicSet.from_constraint_matrices(
        isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, whole),
        matrix_of(sums, whole + 1),
        matrix_of(signs, whole + 1),
        *_COLUMNS,
    )


def _cheapest(cone: isl.BasicSet, multipliers: Sequence[int]) -> tuple[int, int]:
    """The multiplier whose elimination adds the fewest constraints, and how many it adds."""
    equalities = entries_of(cone.equalities_matrix(*_COLUMNS))
    inequalities = entries_of(cone.inequalities_matrix(*_COLUMNS))

    def growth(multiplier: int) -> int:
        if any(row[multiplier] for row in equalities):
            return -1
        lower = sum(row[multiplier] > 0 for row in inequalities)
        upper = sum(row[multiplier] < 0 for row in inequalities)
        return lower * upper - lower - upper

    return min(((each, growth(each)) for each in multipliers), key=lambda pair: pair[1])
