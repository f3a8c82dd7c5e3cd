"""Counting sorts of numbers by their keys, which keep the order of numbers with the same key.

An array has the key of each number.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from polyir.loops.code import Code


def sort_numbers(
    code: Code,
    keys: SSAValue,
    number: SSAValue,
    outputs: tuple[SSAValue, SSAValue, SSAValue],
) -> None:
    """Add a sort of the numbers from 0 to below `number`.

    The outputs are the sorted numbers, the place of the first one of each key, and the number of
    keys, which is known.
    """
    order, starts, count = outputs
    total = code.load(count)
    places = code.array("places", code.sum(total, 1))
    code.fill(places, 0, [code.sum(total, 1)])
    with code.loop("t", 0, number) as (body, place):
        next = body.sum(body.load(keys, place), 1)
        body.store(body.sum(body.load(places, next), 1), places, next)
    code.store(0, starts, 0)
    with code.loop("w", 0, total) as (body, key):
        next = body.sum(key, 1)
        end = body.sum(body.load(places, key), body.load(places, next))
        body.store(end, places, next)
        body.store(end, starts, next)
    with code.loop("t", 0, number) as (body, place):
        key = body.load(keys, place)
        target = body.load(places, key)
        body.store(place, order, target)
        body.store(body.sum(target, 1), places, key)
    code.free(places)


def sort_order(code: Code, keys: SSAValue, count: SSAValue, order: SSAValue) -> None:
    """Add a sort of the numbers in `order` by their keys, which are below `count`."""
    number = code.extent(order, 0)
    before, places = code.array("before", number), code.array("places", code.sum(count, 1))
    code.fill(places, 0, [code.sum(count, 1)])
    with code.loop("t", 0, number) as (body, place):
        body.store(body.load(order, place), before, place)
        next = body.sum(body.load(keys, place), 1)
        body.store(body.sum(body.load(places, next), 1), places, next)
    with code.loop("k", 0, count) as (body, key):
        next = body.sum(key, 1)
        body.store(body.sum(body.load(places, key), body.load(places, next)), places, next)
    with code.loop("t", 0, number) as (body, place):
        each = body.load(before, place)
        key = body.load(keys, each)
        target = body.load(places, key)
        body.store(each, order, target)
        body.store(body.sum(target, 1), places, key)
    code.free(before, places)
