"""Quasi-polynomials under a change of their arguments, for which isl has no call."""

from __future__ import annotations

import islpy as isl


def pulled_back(polynomial: isl.PwQPolynomial, function: isl.MultiAff) -> isl.PwQPolynomial:
    """The composition x -> polynomial(function(x)), where that is defined."""
    space = function.get_space().domain()
    result: list[isl.PwQPolynomial] = []

    def add(domain: isl.Set, piece: isl.QPolynomial) -> None:
        composed = _composed(piece, function, space)
        result.append(isl.PwQPolynomial.alloc(domain.preimage_multi_aff(function), composed))

    polynomial.foreach_piece(add)
    if not result:
        zero = isl.QPolynomial.zero_on_domain(space)
        return isl.PwQPolynomial.alloc(isl.Set.empty(space), zero)
    total = result[0]
    for each in result[1:]:
        total = total.add_disjoint(each)
    return total


def _composed(
    polynomial: isl.QPolynomial, function: isl.MultiAff, space: isl.Space
) -> isl.QPolynomial:
    """The sum of the terms, each argument replaced by its value."""
    terms: list[isl.QPolynomial] = []

    def add(term: isl.Term) -> None:
        product = isl.QPolynomial.val_on_domain(space, term.get_coefficient_val())
        for position in range(term.dim(isl.dim_type.param)):
            exponent = term.get_exp(isl.dim_type.param, position)
            parameter = isl.QPolynomial.var_on_domain(space, isl.dim_type.param, position)
            product = product.mul(parameter.pow(exponent))
        for position in range(function.dim(isl.dim_type.out)):
            exponent = term.get_exp(isl.dim_type.set, position)
            value = isl.QPolynomial.from_aff(function.get_at(position))
            product = product.mul(value.pow(exponent))
        for position in range(term.dim(isl.dim_type.div)):
            exponent = term.get_exp(isl.dim_type.div, position)
            if exponent:
                part = term.get_div(position).pullback_multi_aff(function).floor()
                product = product.mul(isl.QPolynomial.from_aff(part).pow(exponent))
        terms.append(product)

    polynomial.foreach_term(add)
    total = isl.QPolynomial.zero_on_domain(space)
    for each in terms:
        total = total.add(each)
    return total
