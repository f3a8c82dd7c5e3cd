"""The search by a model of what is fast: optuna's tree-structured Parzen estimator."""

from __future__ import annotations

from dataclasses import fields
from importlib.util import find_spec
from math import isfinite
from typing import Any, Final, Literal

from polyir.base.diagnostics import MissingPackageError
from polyir.tuning.recipes import Recipe
from polyir.tuning.search import HEAD, OrderedSearch, Search
from polyir.tuning.space import Space

SEED: Final = 0
TRIES: Final = 20
"""How often the model is asked for a candidate that is new, before one comes from the order."""


def optuna_available() -> bool:
    """Whether optuna is installed."""
    return find_spec("optuna") is not None


SearchName = Literal["auto", "ordered", "bayesian"]
"""`auto` is `bayesian` if optuna is installed."""


def search_of(name: SearchName, space: Space) -> Search:
    """The search of that name. Raises `MissingPackageError` if it needs optuna."""
    if name == "bayesian" or (name == "auto" and optuna_available()):
        return BayesianSearch(space)
    return OrderedSearch(space)


class BayesianSearch:
    """The first candidates of a space in order, then those that optuna suggests.

    Every second one is that of the ordered search, which looks around the best so far: sizes
    between the ones listed are only there. Each slot of a recipe is a categorical parameter, whose
    values are those that the candidates of the space have. Raises `MissingPackageError`.
    """

    def __init__(self, space: Space) -> None:
        if not optuna_available():
            raise MissingPackageError("this search needs optuna (pip install 'polyir[tune]')")
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._fail = optuna.trial.TrialState.FAIL
        sampler = optuna.samplers.TPESampler(seed=SEED, n_startup_trials=HEAD)
        self._study = optuna.create_study(sampler=sampler)
        self._optuna = optuna
        self._ordered = OrderedSearch(space)
        self._values = _values(space)
        self._distributions = {
            name: optuna.distributions.CategoricalDistribution(range(len(values)))
            for name, values in self._values.items()
        }
        self._trials: dict[tuple[str, int], Any] = {}
        self._given: set[tuple[str, int]] = set()
        self._asked = 0

    def ask(self) -> Recipe | None:
        self._asked += 1
        if self._asked > HEAD and self._asked % 2:
            for _ in range(TRIES):
                trial = self._study.ask(self._distributions)
                recipe = Recipe(
                    **{name: values[trial.params[name]] for name, values in self._values.items()}
                )
                if self._take(recipe):
                    self._trials[_key(recipe)] = trial
                    return recipe
                self._study.tell(trial, state=self._fail)
        while (recipe_or_none := self._ordered.ask()) is not None:
            if self._take(recipe_or_none):
                return recipe_or_none
        return None

    def tell(self, recipe: Recipe, ratio: float) -> None:
        self._ordered.tell(recipe, ratio)
        trial = self._trials.pop(_key(recipe), None)
        if trial is not None:
            if isfinite(ratio):
                self._study.tell(trial, ratio)
            else:
                self._study.tell(trial, state=self._fail)
        elif isfinite(ratio):
            self._add(recipe, ratio)

    def _take(self, recipe: Recipe) -> bool:
        """Whether a candidate is new."""
        is_new = _key(recipe) not in self._given
        self._given.add(_key(recipe))
        return is_new

    def _add(self, recipe: Recipe, ratio: float) -> None:
        """Let the model know of a candidate of the ordered search, if it has its values."""
        plain = recipe.plain()
        places: dict[str, int] = {}
        for name, values in self._values.items():
            value = getattr(plain, name)
            if value not in values:
                return
            places[name] = values.index(value)
        trial = self._optuna.trial.create_trial(
            params=places, distributions=self._distributions, value=ratio
        )
        self._study.add_trial(trial)


def _key(recipe: Recipe) -> tuple[str, int]:
    return recipe.text, recipe.threads


def _values(space: Space) -> dict[str, list[Any]]:
    """The values of each slot, in the order in which the candidates of a space have them."""
    seen: dict[str, dict[Any, None]] = {
        each.name: {} for each in fields(Recipe) if each.name != "strategy"
    }
    for recipe in (*space.first, *space.around(space.first[0])):
        for name, values in seen.items():
            values[getattr(recipe, name)] = None
    return {name: list(values) for name, values in seen.items()}
