"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const shown = { step: 0, view: "tree" };
/** What a click has pinned: nothing else lights up until it is clicked again. */
let pinned = null;

/** Show a view of a step, and nothing else. */
function show(step, view) {
  const steps = all("section.step");
  if (view !== shown.view) document.querySelector("main").scrollTop = 0;
  shown.step = Math.min(Math.max(step, 0), steps.length - 1);
  shown.view = view;
  for (const section of steps) section.hidden = Number(section.dataset.step) !== shown.step;
  for (const panel of all(".view:not(.kept .view)")) panel.hidden = panel.dataset.view !== view;
  for (const button of all("button.pass")) {
    if (Number(button.dataset.step) === shown.step) {
      button.setAttribute("aria-current", "step");
      button.scrollIntoView({ block: "nearest" });
    } else button.removeAttribute("aria-current");
  }
  for (const tab of all("[role=tab]")) {
    const isSelected = tab.dataset.view === view;
    tab.setAttribute("aria-selected", isSelected);
    tab.setAttribute("aria-controls", `panel-${shown.step}-${tab.dataset.view}`);
    tab.tabIndex = isSelected ? 0 : -1;
  }
  fill(steps[shown.step]);
  light(pinned);
}

/** Copy texts that are the same as after a step before. */
function fill(section) {
  for (const view of all(".view[data-same-as]", section)) {
    const from = document.querySelector(`#panel-${view.dataset.sameAs}-${view.dataset.view} pre`);
    if (from && !view.querySelector("pre")) view.append(from.cloneNode(true));
  }
}

/** What an element is about: a dependence, a loop, a line that a remark names, or statements. */
function subject(element) {
  const about = element?.closest?.("[data-dependence], [data-loop], [data-of-line], [data-statements]");
  if (!about) return null;
  const { dependence, loop, ofLine, statements } = about.dataset;
  return { dependence, loop, ofLine, statements: statements?.split(" ").filter(Boolean) ?? [] };
}

/** Light up all that a subject is about in the step that is shown; in texts and in the source, its statements. */
function light(about) {
  for (const lit of all(".lit")) lit.classList.remove("lit");
  if (!about) return;
  const hasStatement = ({ dataset }) =>
    dataset.statements?.split(" ").some((key) => about.statements.includes(key));
  const isSame = ({ dataset }) =>
    about.dependence !== undefined ? dataset.dependence === about.dependence
    : about.loop !== undefined ? dataset.loop === about.loop
    : about.ofLine === undefined && hasStatement({ dataset });
  const section = document.querySelector("section.step:not([hidden])");
  const inStep = all("[data-dependence], [data-loop], [data-statements]", section).filter(isSame);
  const inTexts = all("pre [data-statements]", section).filter(hasStatement);
  const inSource = all(".source li").filter(
    (line) => line.dataset.line === about.ofLine || hasStatement(line));
  for (const element of [...inStep, ...inTexts, ...inSource]) element.classList.add("lit");
}

/** Pin what is lit, or let it go. */
function pin(about) {
  pinned = JSON.stringify(about) === JSON.stringify(pinned) ? null : about;
  const isPinned = (button) =>
    pinned?.dependence === undefined && pinned?.loop === undefined
    && pinned?.statements.includes(button.dataset.statements);
  for (const button of all("button.statement")) button.setAttribute("aria-pressed", Boolean(isPinned(button)));
  light(pinned ?? about);
}

/** Whether a word begins as asked for; a statement (`S1`) does not stand for its loops (`S1.0`). */
function begins(word, start) {
  return word.startsWith(start) && !word.startsWith(`${start}.`);
}

/** Show the rows of a table that have a word for each start that is asked for. */
function filter(input) {
  const table = input.closest(".dependences");
  const wanted = input.value.split(/\s+/).filter(Boolean);
  const rows = all("tbody", table);
  for (const row of rows) {
    const words = all("td.key", row).flatMap((cell) => cell.textContent.split(/\s+/));
    row.hidden = !wanted.every((start) => words.some((word) => begins(word, start)));
  }
  table.querySelector("output").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-step], [role=tab]");
  if (button?.dataset.step !== undefined) {
    // The step takes the place of the overview.
    document.querySelector(".overview").open = false;
    return show(Number(button.dataset.step), shown.view);
  }
  if (button) return show(shown.step, button.dataset.view);
  const about = target.closest("summary, input") ? null : subject(target);
  // Who drags over a text wants to copy it.
  if (about && getSelection().isCollapsed) pin(about);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && pinned) return pin(null);
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!move || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  const tabs = all("[role=tab]");
  const at = tabs.indexOf(event.target);
  if (at < 0) return show(shown.step + move, shown.view);
  const next = tabs[(at + move + tabs.length) % tabs.length];
  show(shown.step, next.dataset.view);
  next.focus();
});
for (const event of ["mouseover", "focusin"])
  document.addEventListener(event, ({ target }) => { if (!pinned) light(subject(target)); });
document.addEventListener("input", ({ target }) => { if (target.matches(".filter")) filter(target); });
// Of a compilation that failed, what the error is about comes first.
const violated = document.querySelector(".violated");
show(document.querySelector("main > .error") ? Infinity : 0, violated ? "dependences" : "tree");
