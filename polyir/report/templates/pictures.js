"use strict";

/** Points, arrows and orders of all pictures, as polyir/report/picture_data.py writes them. */
let data;

const MARGIN = 40;
/** Pixels: of a picture that is not on the screen, of its height, and least and most of a step. */
const ROOM = 640;
const HEIGHT = 560;
const [LEAST, MOST] = [12, 34];
const MOST_ARROWS = 700;
const FRAME = 40;
const FRAMES = 300;
const BENDS = { flow: 0, anti: 0.2, output: -0.2, reduction: -0.35 };
const STYLES = { flow: [], anti: [5, 3], output: [2, 2], reduction: [8, 3] };

const root = document.documentElement;
const property = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const isPaper = () => root.classList.contains("paper");
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches && !isPaper();

/** A picture of a step: instances in their order, which a slider moves through. */
class Picture {
  constructor(section) {
    this.section = section;
    this.canvas = section.querySelector("canvas");
    this.slider = section.querySelector("input[type=range]");
    this.output = section.querySelector("output");
    this.execution = data.executions[Number(section.dataset.picture)];
    this.scene = data.scenes[this.execution.scene];
    this.arrows = data.arrows[this.execution.arrows];
    this.count = this.scene.of.length;
    this.pointed = -1;
    /** Instances that stand out until others do: two in the wrong order. */
    this.marked = new Set();
    this.timer = 0;
    section.addEventListener("input", () => this.draw());
    section.addEventListener("change", ({ target }) => this.change(target));
    section.querySelector(".play").addEventListener("click", () => this.play());
    this.canvas.addEventListener("mousemove", (event) => this.point(this.nearest(event)));
    this.canvas.addEventListener("mouseleave", () => this.point(-1));
  }

  /** How large the picture is in the room that it has, and where its points are in it. */
  place() {
    const room = this.section.clientWidth || this.room || ROOM;
    if (room === this.room) return;
    this.room = room;
    const { places, axes } = this.scene;
    const ends = axes.flatMap((axis) => axis.ends);
    const all = [...places, ...ends];
    const xs = all.filter((_, at) => at % 2 === 0);
    const ys = all.filter((_, at) => at % 2 === 1);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [bottom, top] = [Math.min(...ys), Math.max(...ys)];
    const fitting = Math.min((room - 2 * MARGIN) / (right - left + 1), HEIGHT / (top - bottom + 1));
    this.unit = Math.min(MOST, Math.max(LEAST, fitting));
    this.radius = Math.max(2, Math.min(7, 0.17 * this.unit));
    this.at = (x, y) => [MARGIN + (x - left) * this.unit, MARGIN + (top - y) * this.unit];
    this.points = this.scene.of.map((_, each) => this.at(places[2 * each], places[2 * each + 1]));
    this.width = (right - left) * this.unit + 2 * MARGIN;
    this.height = (top - bottom) * this.unit + 2 * MARGIN;
    this.canvas.style.width = `${this.width}px`;
  }

  /** The numbers that the slider moves through: one for each instance, or for each wavefront. */
  get numbers() {
    return this.section.querySelector(".by-front").checked ? this.execution.fronts : this.execution.order;
  }

  get position() {
    return Number(this.slider.value);
  }

  get isOver() {
    return this.position === Number(this.slider.max);
  }

  change(control) {
    if (control.matches(".by-front")) {
      this.stop();
      this.slider.max = Math.max(...this.numbers);
      this.slider.value = this.slider.max;
    }
    this.draw();
  }

  /** Move the slider to its end, from its start if it is there, or stop. */
  play() {
    if (this.timer) return this.stop();
    if (this.isOver) this.slider.value = 0;
    this.section.querySelector(".play").textContent = "Stop";
    const step = Math.ceil(Number(this.slider.max) / FRAMES);
    const isSlow = Number(this.slider.max) < 60;
    this.timer = setInterval(() => this.advance(step), isSlow ? 6 * FRAME : FRAME);
    this.draw();
  }

  advance(step) {
    this.slider.value = this.position + step;
    if (this.isOver || !this.canvas.offsetParent) this.stop();
    this.draw();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.section.querySelector(".play").textContent = "Play";
  }

  /** The instance that the mouse is at, or -1. */
  nearest(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) * this.width) / box.width;
    const y = ((event.clientY - box.top) * this.height) / box.height;
    const far = this.points.map(([px, py]) => Math.hypot(px - x, py - y));
    const best = far.reduce((found, each, at) => (each < far[found] ? at : found), 0);
    return far[best] < Math.max(8, this.radius + 3) ? best : -1;
  }

  /** Show one instance with its dependences; light up its statement on the page. */
  point(instance) {
    if (instance === this.pointed) return;
    this.pointed = instance;
    if (!pinned) light(instance < 0 ? null : subject(this.names[this.scene.of[instance]]));
    this.draw();
  }

  get names() {
    return all(".shapes .statement", this.section);
  }

  /** The instances whose dependences stand out: the one pointed at, or those that run now. */
  get focus() {
    if (this.pointed >= 0) return new Set([this.pointed]);
    if (this.marked.size) return this.marked;
    if (this.isOver) return new Set();
    const now = this.position;
    return new Set(this.numbers.flatMap((number, each) => (number === now ? [each] : [])));
  }

  draw() {
    this.place();
    const scale = isPaper() ? 2 : devicePixelRatio;
    this.canvas.width = this.width * scale;
    this.canvas.height = this.height * scale;
    const context = this.canvas.getContext("2d", { alpha: false });
    context.scale(scale, scale);
    context.fillStyle = property("--paper");
    context.fillRect(0, 0, this.width, this.height);
    const focus = this.focus;
    this.drawTiles(context);
    this.drawArrows(context, focus);
    this.drawPoints(context, focus);
    this.drawAxes(context);
    this.output.textContent = this.words(focus);
    this.slider.setAttribute("aria-valuetext", this.output.textContent);
  }

  drawAxes(context) {
    context.strokeStyle = property("--rule");
    context.fillStyle = property("--faint");
    context.font = "12px system-ui, sans-serif";
    context.lineJoin = "round";
    const write = (text, x, y) => {
      context.strokeStyle = property("--paper");
      context.lineWidth = 4;
      context.strokeText(text, x, y);
      context.lineWidth = 1;
      context.strokeStyle = property("--rule");
      context.fillText(text, x, y);
    };
    for (const { name, ends, range } of this.scene.axes) {
      const [x, y] = this.at(ends[0], ends[1]);
      const [toX, toY] = this.at(ends[2], ends[3]);
      const isUp = x === toX && y !== toY;
      const [moveX, moveY] = isUp ? [-14, 0] : y === toY ? [0, 14] : [14, 5];
      line(context, [x + moveX, y + moveY], [toX + moveX, toY + moveY]);
      context.textAlign = isUp ? "right" : y === toY ? "center" : "left";
      const label = (px, py, text) => write(text, px + 1.3 * moveX, py + 1.7 * moveY + (isUp ? 4 : 0));
      label(x, y, String(range[0]));
      if (range[1] > range[0]) label(toX, toY, String(range[1]));
      label((x + toX) / 2, (y + toY) / 2, name);
    }
    context.textAlign = "left";
    for (const { text, at } of this.scene.titles) {
      const [x, y] = this.at(...at);
      write(text, x - 12, y - 13);
    }
  }

  /** An outline around the instances of each tile, where the picture is flat. */
  drawTiles(context) {
    const tiles = new Map();
    for (const [each, tile] of this.execution.tiles.entries()) {
      if (this.scene.iterators[each].length !== 2) continue;
      const key = `${tile} ${this.scene.of[each] >> 2}`;
      if (!tiles.has(key)) tiles.set(key, { tile, corners: [] });
      const [x, y] = this.points[each];
      const gap = 0.4 * this.unit;
      for (const dx of [-gap, gap]) for (const dy of [-gap, gap]) tiles.get(key).corners.push([x + dx, y + dy]);
    }
    if (new Set(this.execution.tiles).size < 2) return;
    for (const { tile, corners } of tiles.values()) {
      path(context, hull(corners));
      context.fillStyle = context.strokeStyle = shade(tile);
      context.globalAlpha = 0.1;
      context.fill();
      context.globalAlpha = 0.7;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  drawArrows(context, focus) {
    const kinds = all(".kind:checked", this.section).map((box) => box.value);
    const total = kinds.reduce((sum, kind) => sum + this.arrows[kind].length / 2, 0);
    const share = total > MOST_ARROWS ? MOST_ARROWS / total : 1;
    const strength = total > 0.25 * MOST_ARROWS ? 0.2 : 0.4;
    for (const kind of kinds) {
      const pairs = this.arrows[kind];
      context.strokeStyle = context.fillStyle = property(`--arrow-${kind}`);
      context.setLineDash(STYLES[kind]);
      for (let at = 0; at < pairs.length; at += 2) {
        const [source, target] = [pairs[at], pairs[at + 1]];
        const isNear = focus.has(source) || focus.has(target);
        if (!isNear && (source * 0.618034) % 1 >= share) continue;
        context.globalAlpha = isNear ? 1 : focus.size ? 0.12 : strength;
        arrow(context, this.points[source], this.points[target], BENDS[kind], this.radius + 1);
      }
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  drawPoints(context, focus) {
    const colour = this.colour();
    const numbers = this.numbers;
    for (const [each, [x, y]] of this.points.entries()) {
      const isNow = focus.has(each);
      const isSeen = this.marked.size ? isNow : isNow || numbers[each] <= this.position;
      context.globalAlpha = isSeen ? 1 : 0.22;
      context.fillStyle = colour(each);
      shape(context, this.scene.of[each] % 4, x, y, isNow ? 1.5 * this.radius : this.radius);
      context.fill();
      if (!isNow) continue;
      context.strokeStyle = property("--text");
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /** The colour of an instance, as the reader chose. */
  colour() {
    const by = this.section.querySelector(".colours").value;
    if (by === "tiles") return (each) => shade(this.execution.tiles[each]);
    if (by === "of") {
      const colours = this.names.map((name) => getComputedStyle(name).color);
      return (each) => colours[this.scene.of[each]];
    }
    const last = Math.max(1, ...this.execution.fronts);
    return (each) => `hsl(${250 - (240 * this.execution.fronts[each]) / last} 65% ${isDark() ? 62 : 42}%)`;
  }

  /** What runs now, or the instance that is pointed at, in words. */
  words(focus) {
    if (!focus.size) return `${this.count} instances: move the slider, or point at one of them`;
    const [first] = focus;
    if (focus === this.marked) return [...focus].map((each) => this.named(each)).join(" must run before ");
    if (focus.size > 1) return `wavefront ${this.position + 1} of ${Number(this.slider.max) + 1}: ${focus.size} instances, ${this.named(first)} and others`;
    const { order, tiles, fronts } = this.execution;
    const of = (numbers) => `${numbers[first] + 1} of ${Math.max(...numbers) + 1}`;
    return `${this.named(first)}: number ${of(order)}, tile ${of(tiles)}, wavefront ${of(fronts)}`;
  }

  /** Let the instances of these names stand out, if they are drawn. */
  mark(names) {
    const found = names.map((name) => this.scene.of.findIndex((_, each) => this.named(each) === name));
    this.marked = new Set(found.includes(-1) ? [] : found);
    this.draw();
  }

  named(each) {
    return `${this.scene.statements[this.scene.of[each]]}[${this.scene.iterators[each].join(", ")}]`;
  }
}

/** Colours of tiles: neighbours differ. */
function shade(number) {
  return `hsl(${(210 + number * 137.5) % 360} 60% ${isDark() ? 65 : 40}%)`;
}

function line(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

function path(context, corners) {
  context.beginPath();
  for (const corner of corners) context.lineTo(...corner);
  context.closePath();
}

/** A circle, a square, a diamond or a triangle. */
function shape(context, number, x, y, radius) {
  context.beginPath();
  if (number === 0) return context.arc(x, y, radius, 0, 2 * Math.PI);
  if (number === 1) return context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  const corners = number === 2 ? [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]] : [[-1, -1], [1, -1], [0, 1.2]];
  path(context, corners.map(([dx, dy]) => [x + dx * radius, y + dy * radius]));
}

/** A bent line with a head, which leaves the points at its ends free. */
function arrow(context, [x, y], [toX, toY], bend, gap) {
  const length = Math.hypot(toX - x, toY - y);
  if (length < 1) return;
  const middle = [(x + toX) / 2 + bend * (toY - y), (y + toY) / 2 - bend * (toX - x)];
  const angle = Math.atan2(toY - middle[1], toX - middle[0]);
  const end = [toX - gap * Math.cos(angle), toY - gap * Math.sin(angle)];
  context.beginPath();
  context.moveTo(x, y);
  context.quadraticCurveTo(...middle, ...end);
  context.stroke();
  const head = (turn) => [end[0] - 5 * Math.cos(angle + turn), end[1] - 5 * Math.sin(angle + turn)];
  path(context, [end, head(0.45), head(-0.45)]);
  context.fill();
}

/** The corners of the convex hull of points, by Andrew's monotone chain. */
function hull(points) {
  const sorted = [...points].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const [lower, upper] = [chain(sorted), chain(sorted.reverse())];
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

function chain(points) {
  const corners = [];
  for (const [x, y] of points) {
    while (corners.length > 1) {
      const [[ax, ay], [bx, by]] = corners.slice(-2);
      if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
      corners.pop();
    }
    corners.push([x, y]);
  }
  return corners;
}

const drawings = new Map();
const drawAll = () => drawings.forEach((picture) => picture.draw());
// Pictures are drawn when they are first seen.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) if (target.offsetParent) drawings.get(target).draw();
});

/** Take the pictures that the page has now. */
function takePictures() {
  data = JSON.parse(document.getElementById("pictures").textContent);
  sizes.disconnect();
  drawings.clear();
  for (const section of all(".picture")) {
    drawings.set(section, new Picture(section));
    sizes.observe(section);
  }
}
takePictures();
for (const event of ["beforeprint", "afterprint"])
  addEventListener(event, () => {
    root.classList.toggle("paper", event === "beforeprint");
    drawAll();
  });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
