"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const shown = { step: 0, view: "tree" };

/** Show a view of a step, and nothing else. */
function show(step, view) {
  const steps = all("section.step");
  shown.step = Math.min(Math.max(step, 0), steps.length - 1);
  shown.view = view;
  for (const section of steps) section.hidden = Number(section.dataset.step) !== shown.step;
  for (const panel of all(".view")) panel.hidden = panel.dataset.view !== view;
  for (const button of all("button.pass")) {
    const isCurrent = Number(button.dataset.step) === shown.step;
    button.toggleAttribute("aria-current", isCurrent);
    if (isCurrent) button.scrollIntoView({ block: "nearest" });
  }
  for (const tab of all("[role=tab]")) {
    const isSelected = tab.dataset.view === view;
    tab.setAttribute("aria-selected", isSelected);
    tab.tabIndex = isSelected ? 0 : -1;
  }
  fill(steps[shown.step]);
}

/** Copy the texts of the step before into those of a step that changed nothing. */
function fill(section) {
  for (const view of all(".view[data-same-as]", section)) {
    const from = `section.step[data-step="${view.dataset.sameAs}"] .view[data-view=${view.dataset.view}] pre`;
    if (!view.firstElementChild) view.append(document.querySelector(from).cloneNode(true));
  }
}

/** Light up all that is about the same statements, loop or dependence as an element. */
function light(element) {
  for (const lit of all(".lit")) lit.classList.remove("lit");
  const about = element?.closest("[data-dependence], [data-loop], [data-statements], [data-of-line]");
  if (!about) return;
  const { dependence, loop, statements, ofLine } = about.dataset;
  const names = statements?.split(" ") ?? [];
  const section = document.querySelector("section.step:not([hidden])");
  const isSame = (other) =>
    dependence !== undefined ? other.dataset.dependence === dependence
    : loop !== undefined ? other.dataset.loop === loop
    : ofLine !== undefined ? other.dataset.line === ofLine
    : other.dataset.statements?.split(" ").some((name) => names.includes(name));
  const related = all("[data-dependence], [data-loop], [data-statements], [data-line]", section)
    .concat(all("aside [data-line]"));
  for (const other of related) if (isSame(other)) other.classList.add("lit");
  for (const line of all("aside [data-statements]"))
    if (line.dataset.statements.split(" ").some((name) => names.includes(name))) line.classList.add("lit");
}

/** Hide the rows of a table that lack a word. */
function filter(input) {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of all("tbody tr", input.closest(".view"))) {
    const cells = all("td", row).map((cell) => cell.textContent.trim().toLowerCase());
    row.hidden = !words.every((word) => cells.some((cell) => cell === word || cell.includes(word)));
  }
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-step], [role=tab]");
  if (button?.dataset.step !== undefined) show(Number(button.dataset.step), shown.view);
  else if (button) show(shown.step, button.dataset.view);
});
document.addEventListener("keydown", (event) => {
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!move || event.target.matches("input")) return;
  const tabs = all("[role=tab]");
  const at = tabs.indexOf(event.target);
  if (at < 0) return show(shown.step + move, shown.view);
  const next = tabs[(at + move + tabs.length) % tabs.length];
  show(shown.step, next.dataset.view);
  next.focus();
});
document.addEventListener("mouseover", ({ target }) => light(target));
document.addEventListener("focusin", ({ target }) => light(target));
document.addEventListener("input", ({ target }) => target.matches(".filter") && filter(target));
show(0, "tree");
