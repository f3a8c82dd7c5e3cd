"use strict";

const find = (id) => document.getElementById(id);
const words = (text) => Object.fromEntries(text.split(" ").map((word) => [word, true]));
/** After its first character, a name has this colour. */
const named = (colour) => (stream) => stream.eatWhile(/[\w.$-]/) && colour;
/** What the editor colours; a mode that C-like languages share. */
const languages = {
  C: "text/x-csrc",
  MLIR: {
    name: "clike",
    keywords: words("affine arith builtin cf func gpu linalg llvm math memref module omp poly scf vector"),
    types: words("bf16 f16 f32 f64 i1 i8 i16 i32 i64 index none"),
    hooks: { "%": named("variable-2"), "@": named("def"), "#": named("meta"), "!": named("type") },
  },
  equations: {
    name: "clike",
    keywords: words(
      "affine as auto case constant conv define else external from if import inputs let locals outputs " +
      "over package reduce select then val when with",
    ),
  },
};
const editor = CodeMirror.fromTextArea(find("source"), {
  mode: languages[find("source").dataset.language],
  theme: "polyir",
  lineNumbers: true,
  screenReaderLabel: "Source",
  // With the keyboard, one gets out of the editor, too.
  extraKeys: { "Ctrl-Enter": () => inTurn(update), Tab: false, "Shift-Tab": false },
});
new ResizeObserver(() => editor.refresh()).observe(editor.getWrapperElement());
/** The passes so far, as the server has them, with their titles. */
const steps = [];
/** The addresses of the loop that is chosen, or "" for the whole program. */
let chosen = "";
/** What the reader asked for and is not done yet: one after the other. */
let waiting = 0;
let turn = Promise.resolve();

/** Do something once all before it is done. */
function inTurn(act) {
  waiting += 1;
  document.body.setAttribute("aria-busy", "true");
  turn = turn.then(act).finally(() => {
    waiting -= 1;
    if (!waiting) document.body.removeAttribute("aria-busy");
  });
}

/** Ask the server; `null` after an error, which is shown. */
async function ask(path, more = {}) {
  const sent = steps.map(({ name, options }) => ({ name, options }));
  const body = JSON.stringify({ source: editor.getValue(), steps: sent, ...more });
  const headers = { "Content-Type": "application/json" };
  let answer;
  try {
    answer = await (await fetch(path, { method: "POST", headers, body })).json();
  } catch {
    answer = { error: "polyir-explore does not answer: it was ended" };
  }
  find("error").hidden = !answer.error;
  find("error").textContent = answer.error ?? "";
  editor.eachLine((line) => editor.removeLineClass(line, "wrap", "wrong"));
  if (answer.line) {
    editor.addLineClass(answer.line - 1, "wrap", "wrong");
    editor.scrollIntoView({ line: answer.line - 1, ch: 0 });
  }
  return answer.error ? null : answer;
}

/** Show the program after the steps, and what can be done to what is chosen. */
async function update() {
  const view = await ask("view");
  showSteps();
  if (!view) return false;
  find("tree").replaceChildren();
  find("picture").replaceChildren();
  find("views").innerHTML = view.html;
  find("pictures").textContent = view.pictures;
  for (const [name, place] of [["tree", "tree"], ["pictures", "picture"]]) {
    const panel = find("views").querySelector(`.view[data-view=${name}]`);
    for (const attribute of ["hidden", "role", "aria-labelledby", "tabindex"]) panel.removeAttribute(attribute);
    find(place).append(panel);
  }
  for (const remark of all("#tree .remark")) remark.remove();
  for (const line of all("#tree .line[data-loop]")) {
    line.tabIndex = 0;
    line.setAttribute("role", "button");
  }
  takePictures();
  show(0, shown.view === "tree" ? "c" : shown.view);
  find("remarks").replaceChildren(...view.remarks.map((text) => {
    const said = document.createElement("li");
    said.className = "remark warning";
    said.textContent = text;
    return said;
  }));
  find("command").textContent = view.command;
  find("python").textContent = view.python;
  find("estimate").textContent = timeText(view.estimates);
  find("times").textContent = "";
  if (!loopLine()) chosen = "";
  await showActions();
  return true;
}

function timeText([before, now]) {
  const digits = { maximumSignificantDigits: 3 };
  const text = (milliseconds) => `${milliseconds.toLocaleString("en", digits)} ms`;
  if (now === null || before === null) return "The model of optimize says nothing of this program.";
  return `Estimated by the model of optimize, for the sizes that it assumes: ${text(now)}, before the first step ${text(before)}.`;
}

function showSteps() {
  const items = steps.map(({ title }, number) => {
    const item = document.createElement("li");
    item.append(`${title} `);
    if (number < steps.length - 1) item.append(button("back to here", () => goBack(number + 1)));
    return item;
  });
  find("steps").replaceChildren(...items);
  find("undo").disabled = !steps.length;
}

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", () => inTurn(act));
  return made;
}

/** Leave out the steps from a number on. */
async function goBack(count) {
  steps.length = count;
  await update();
  (count ? find("undo") : editor).focus();
}

const addresses = (line) => line.dataset.loop.replace(/^\d+ /, "");
const loopLine = () => all("#tree .line[data-loop]").find((line) => addresses(line) === chosen);

/** Fill the list of what can be done. */
async function showActions() {
  for (const line of all("#tree .line[data-loop]")) line.setAttribute("aria-pressed", addresses(line) === chosen);
  find("of").textContent = chosen ? `Loop ${chosen}` : "The whole program";
  find("list").replaceChildren();
  const answer = await ask("actions", { loop: chosen, size: Number(find("tile-size").value) });
  if (!answer) return;
  find("list").replaceChildren(...answer.actions.map(item));
  if (chosen) {
    const whole = document.createElement("li");
    whole.append(button("Back to the whole program", () => choose("")));
    find("list").append(whole);
  }
}

/** An action; one that is illegal says why, and its instances stand out in the picture. */
function item({ title, step, refusal, instances }, number) {
  const made = document.createElement("li");
  const control = button(title, async () => {
    // It may have been for another tree.
    if (refusal || !made.isConnected) return;
    steps.push({ title: chosen ? `${chosen}: ${title}` : title, ...step });
    if (await update()) return find("undo").focus();
    // It was possible a moment ago, so this is a defect or a limit: its error stays on the page.
    const error = find("error").textContent;
    steps.pop();
    await update();
    find("error").textContent = error;
    find("error").hidden = !error;
  });
  made.append(control);
  if (!refusal) return made;
  control.setAttribute("aria-disabled", "true");
  control.setAttribute("aria-describedby", `why-${number}`);
  const why = document.createElement("span");
  why.className = "why";
  why.id = `why-${number}`;
  why.textContent = refusal;
  made.append(why);
  const mark = (names) => drawings.forEach((picture) => picture.mark(names));
  for (const event of ["focusin", "mouseenter"]) made.addEventListener(event, () => mark(instances));
  for (const event of ["focusout", "mouseleave"]) made.addEventListener(event, () => mark([]));
  return made;
}

/** Choose a loop, or all. */
async function choose(loop) {
  chosen = loop;
  await showActions();
  find("list").querySelector("button")?.focus();
}

document.addEventListener("click", ({ target }) => {
  const line = target.closest("#tree .line[data-loop]");
  if (line && !target.closest("button, summary, details")) inTurn(() => choose(addresses(line)));
});
document.addEventListener("keydown", (event) => {
  if (event.target.matches(".line[role=button]") && ["Enter", " "].includes(event.key)) {
    event.preventDefault();
    const loop = addresses(event.target);
    return inTurn(() => choose(loop));
  }
  if (event.key === "Escape" && event.target.closest("#actions")) return loopLine()?.focus();
  if (event.key === "z" && event.ctrlKey && steps.length && !event.target.matches("textarea, input")) {
    event.preventDefault();
    inTurn(() => goBack(steps.length - 1));
  }
});
find("apply").addEventListener("click", () => inTurn(update));
find("undo").addEventListener("click", () => inTurn(() => goBack(Math.max(0, steps.length - 1))));
find("tile-size").addEventListener("change", () => inTurn(showActions));
find("measure").addEventListener("click", () => inTurn(async () => {
  find("times").textContent = "Measuring ...";
  const answer = await ask("measure", { size: Number(find("run-size").value) });
  find("times").textContent = answer?.text ?? "";
}));
for (const copy of all(".copy"))
  copy.addEventListener("click", () => {
    navigator.clipboard?.writeText(find(copy.dataset.copies).textContent);
    getSelection().selectAllChildren(find(copy.dataset.copies));
  });
inTurn(update);
