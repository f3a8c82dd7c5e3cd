"""Quasi-polynomials: their terms, and a change of their arguments, for which isl has no call."""

from __future__ import annotations

from math import lcm

import islpy as isl

from polyir.sets.values import isl_value


def terms_of(polynomial: isl.QPolynomial) -> tuple[list[tuple[int, list[isl.Aff]]], int]:
    """A quasi-polynomial as a sum of products, divided by a number, the second result.

    A product is a coefficient and factors, which are functions rounded down.
    """
    terms = polynomial.get_terms()
    denominator = 1
    for term in terms:
        denominator = lcm(denominator, term.get_coefficient_val().get_den_val().to_python())
    local = polynomial.get_domain_space()
    products = []
    for term in terms:
        coefficient = int(term.get_coefficient_val().mul(isl_value(denominator)).to_python())
        factors: list[isl.Aff] = []
        for kind in (isl.dim_type.param, isl.dim_type.set):
            for place in range(term.dim(kind)):
                variable = isl.Aff.var_on_domain(local, kind, place)
                factors += [variable] * term.get_exp(kind, place)
        for place in range(term.dim(isl.dim_type.div)):
            factors += [term.get_div(place).floor()] * term.get_exp(isl.dim_type.div, place)
        products.append((coefficient, factors))
    return products, denominator


def pulled_back(polynomial: isl.PwQPolynomial, function: isl.MultiAff) -> isl.PwQPolynomial:
    """The composition x -> polynomial(function(x)), where that is defined."""
    space = function.get_space().domain()
    zero = isl.QPolynomial.zero_on_domain(space)
    total = isl.PwQPolynomial.alloc(isl.Set.empty(space), zero)
    for domain, piece in polynomial.get_pieces():
        composed = _composed(piece, function, zero)
        moved = isl.PwQPolynomial.alloc(domain.preimage_multi_aff(function), composed)
        total = total.add_disjoint(moved)
    return total


def _composed(
    polynomial: isl.QPolynomial, function: isl.MultiAff, zero: isl.QPolynomial
) -> isl.QPolynomial:
    """The sum of the terms, each argument replaced by its value."""
    products, denominator = terms_of(polynomial)
    total = zero
    for coefficient, factors in products:
        scale = isl_value(coefficient).div(isl_value(denominator))
        product = isl.QPolynomial.val_on_domain(zero.get_domain_space(), scale)
        for factor in factors:
            value = factor.pullback_multi_aff(function)
            product = product.mul(isl.QPolynomial.from_aff(value))
        total = total.add(product)
    return total
