// Torque over time: zoom, values under the pointer, one time axis for all joints. It redraws the
// charts of dynid/report/chart.py, which are complete without this script.
{
const WIDE = 4000, HIGH = 2000, MISSING = 65535;
const source = document.getElementById("series");
const data = source ? JSON.parse(source.textContent) : { joints: [], recordings: [] };
const recordings = data.recordings;
const end = recordings.length ? recordings.at(-1).end : 0;
let view = [0, end], cursor = null;
const charts = [], readouts = new Map();

function decoded(curve) {
  curve.levels ??= curve.values.map((text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const numbers = new DataView(bytes.buffer);
    return [Float64Array.from({ length: bytes.length / 2 }, (_, i) => {
      const number = numbers.getUint16(2 * i, true);
      return number === MISSING ? NaN : curve.low + number * curve.step;
    })];
  });
  return curve.levels;
}

// the smallest and the largest of four values, in their order, as extremes() in time_series.py
function merged(values) {
  const kept = new Float64Array(2 * Math.ceil(values.length / 4));
  for (let i = 0; i < values.length; i += 4) {
    let low = i, high = i;
    for (let k = i + 1; k < Math.min(i + 4, values.length); k++) {
      if (values[k] < values[low]) { low = k; }
      if (values[k] > values[high]) { high = k; }
    }
    kept[i / 2] = values[Math.min(low, high)];
    kept[i / 2 + 1] = values[Math.max(low, high)];
  }
  return kept;
}

// the points of a curve in the view, one list for each recording
function visible(curve, most) {
  return recordings.map(({ start, step }, number) => {
    const levels = decoded(curve)[number];
    const wanted = (Math.min(view[1], recordings[number].end) - Math.max(view[0], start)) / step / most;
    const level = Math.max(0, Math.ceil(Math.log2(Math.max(wanted, 1))));
    while (levels.length <= level) { levels.push(merged(levels.at(-1))); }
    const values = levels[level], width = step * 2 ** level;
    const first = Math.max(0, Math.floor((view[0] - start) / width));
    const last = Math.min(values.length - 1, Math.ceil((view[1] - start) / width));
    const points = [];
    for (let i = first; i <= last; i++) {
      if (!Number.isNaN(values[i])) { points.push([start + i * width, values[i]]); }
    }
    return points;
  });
}

function ticks(low, high, most) {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10].map((factor) => factor * power);
  // one number alone gives no scale
  const several = (step) => Math.floor(high / step + 1e-9) > Math.ceil(low / step - 1e-9);
  const wanted = steps.findIndex((step) => step >= rough * (1 - 1e-9));
  const step = steps.slice(0, wanted + 1).reverse().find(several) ?? steps[0];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const whole = Math.round(k * step * 10 ** digits);
    const small = digits >= 5 && Math.abs(whole) < 1000;  // as in ticks.py
    const text = small ? (whole ? `${whole}e-${digits}` : "0") : (k * step + 0).toFixed(digits);
    found.push([(k * step - low) / (high - low), text.replaceAll("-", "\u2212")]);
  }
  return found;
}

function labels(plot, kind, side, marks) {
  plot.querySelectorAll(`span.${kind}`).forEach((old) => old.remove());
  for (const [at, text] of marks) {
    const label = document.createElement("span");
    label.className = kind;
    label.style[side] = `${100 * at}%`;
    label.textContent = text;
    plot.append(label);
  }
}

function draw(chart) {
  chart.stale = false;
  const { plot } = chart, width = plot.clientWidth || 800;
  const curves = chart.curves.map((name) => [name, visible(chart.joint[name], 2 * width)]);
  let low = Infinity, high = -Infinity;
  for (const [, parts] of curves) {
    for (const part of parts) {
      for (const [, value] of part) { low = Math.min(low, value); high = Math.max(high, value); }
    }
  }
  if (!(high > low)) { [low, high] = Number.isFinite(low) ? [low - 1, low + 1] : [-1, 1]; }
  const room = 0.04 * (high - low);
  [low, high] = [low - room, high + room];
  const x = (t) => Math.round(WIDE * (t - view[0]) / (view[1] - view[0]));
  const y = (v) => Math.round(HIGH * (high - v) / (high - low));
  for (const [name, parts] of curves) {
    plot.querySelector(`path.${name}`).setAttribute("d", parts.filter((part) => part.length).map(
      (part) => "M" + part.map(([t, v]) => `${x(t)} ${y(v)}`).join(" ")).join(""));
  }
  const upright = ticks(...view, Math.max(2, Math.min(9, width / 90))), across = ticks(low, high, plot.clientHeight / 40);
  plot.querySelector("path.grid").setAttribute("d",
    upright.map(([at]) => `M${Math.round(WIDE * at)} 0V${HIGH}`).join("") +
    across.map(([at]) => `M0 ${Math.round(HIGH * (1 - at))}H${WIDE}`).join(""));
  const borders = recordings.slice(1).map(({ start }, i) => (recordings[i].end + start) / 2);
  plot.querySelector("path.dashed").setAttribute("d",
    borders.filter((t) => t > view[0] && t < view[1]).map((t) => `M${x(t)} 0V${HIGH}`).join("") +
    (chart.curves.includes("error") && low < 0 && high > 0 ? `M0 ${y(0)}H${WIDE}` : ""));
  labels(plot, "x", "left", upright);
  labels(plot, "y", "top", across.map(([at, text]) => [1 - at, text]));
}

function show(first, last) {
  const shortest = 8 * Math.min(...recordings.map(({ step }) => step));
  const length = Math.min(end, Math.max(last - first, shortest));
  const start = Math.min(Math.max(0, first), end - length);
  view = [start, start + length];
  range.textContent = `${view[0].toFixed(2)} to ${view[1].toFixed(2)} s of ${end.toFixed(2)} s`;
  for (const chart of charts) { chart.stale = true; if (chart.near) { draw(chart); } }
  point(cursor);
}

function zoom(factor, about = (view[0] + view[1]) / 2) {
  show(about - factor * (about - view[0]), about + factor * (view[1] - about));
}

function pan(share) {
  const by = share * (view[1] - view[0]);
  show(view[0] + by, view[1] + by);
}

function value(curve, t) {
  const number = recordings.findIndex(({ start, end: last }) => t >= start && t <= last);
  if (number < 0) { return NaN; }
  const values = decoded(curve)[number][0], { start, step } = recordings[number];
  return values[Math.min(values.length - 1, Math.round((t - start) / step))];
}

// the temperature at the cursor, if that of the joint was recorded
function warmth(joint) {
  const found = joint.temperature ? value(joint.temperature, cursor) : NaN;
  return Number.isNaN(found) ? "" : `, ${found.toFixed(1)} °C`;
}

// writes the values at the cursor beside a chart
function read(chart) {
  const readout = readouts.get(chart.joint);
  if (readout.chart !== chart) { return; }
  readout.element.textContent = cursor === null ? "" : `${cursor.toFixed(3)} s: ` +
    ["measured", "model", "error"].map((name) => {
      const found = value(chart.joint[name], cursor);
      return `${name} ${Number.isNaN(found) ? "\u2013" : found.toPrecision(4).replace("-", "\u2212")}`;
    }).join(", ") + ` ${chart.joint.unit}` + warmth(chart.joint);
}

// shows a moment in all charts, and its values in those that are on the screen
function point(t) {
  cursor = t !== null && t >= view[0] && t <= view[1] ? t : null;
  for (const chart of charts) {
    chart.line.hidden = cursor === null;
    chart.line.style.left = `${100 * ((cursor ?? 0) - view[0]) / (view[1] - view[0])}%`;
    if (chart.near) { read(chart); }
  }
}

function element(kind, name, text = "") {
  const made = document.createElement(kind);
  made.className = name;
  made.textContent = text;
  return made;
}

function react(chart) {
  const { plot } = chart, selection = element("div", "selection");
  let from = null;
  const time = (event) => {
    const box = plot.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return view[0] + share * (view[1] - view[0]);
  };
  const select = (t) => {
    const share = (at) => 100 * (at - view[0]) / (view[1] - view[0]);
    selection.style.left = `${share(Math.min(from, t))}%`;
    selection.style.width = `${share(Math.max(from, t)) - share(Math.min(from, t))}%`;
  };
  selection.hidden = true;
  plot.append(selection);
  plot.addEventListener("pointerdown", (event) => {
    if (event.button) { return; }
    from = time(event);
    select(from);
    selection.hidden = false;
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    point(time(event));
    if (from !== null) { select(time(event)); }
  });
  plot.addEventListener("pointerup", (event) => {
    const [first, last] = [from, time(event)].sort((a, b) => a - b);
    selection.hidden = true;
    if (from !== null && last - first > 0.01 * (view[1] - view[0])) { show(first, last); }
    from = null;
  });
  plot.addEventListener("pointercancel", () => { from = null; selection.hidden = true; });
  plot.addEventListener("pointerleave", () => point(null));
  plot.addEventListener("dblclick", () => show(0, end));
  plot.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) { return; }  // the wheel alone scrolls the page
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event));
  }, { passive: false });
  plot.addEventListener("keydown", (event) => {
    const step = (view[1] - view[0]) / 100, now = cursor ?? (view[0] + view[1]) / 2;
    const action = {
      "+": () => zoom(0.5), "-": () => zoom(2), "0": () => show(0, end), Escape: () => point(null),
      ArrowLeft: () => (event.shiftKey ? pan(-0.25) : point(Math.max(view[0], now - step))),
      ArrowRight: () => (event.shiftKey ? pan(0.25) : point(Math.min(view[1], now + step))),
    }[event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); action(); }
  });
}

const range = element("output", "range");

function toolbar(before) {
  const bar = element("div", "toolbar"), choice = element("select", "");
  for (const [text, name, action] of [
    ["\u2212", "zoom out", () => zoom(2)], ["+", "zoom in", () => zoom(0.5)],
    ["\u25c2", "earlier", () => pan(-0.5)], ["\u25b8", "later", () => pan(0.5)],
    ["whole time", "", () => show(0, end)],
  ]) {
    const button = element("button", "", text);
    button.type = "button";
    if (name) { button.title = name; button.setAttribute("aria-label", name); }
    button.addEventListener("click", action);
    bar.append(button);
  }
  choice.setAttribute("aria-label", "joints shown");
  choice.append(new Option("all joints", ""), ...data.joints.map(({ name }, i) => new Option(name, i)));
  const choose = () => data.joints.forEach((_, i) => {
    document.getElementById(`joint-${i + 1}`).hidden = choice.value !== "" && Number(choice.value) !== i;
  });
  choice.addEventListener("change", choose);
  addEventListener("hashchange", () => { choice.value = ""; choose(); });
  bar.append(range, choice);
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "time axis of all joints");
  const help = element("p", "soft screen", "Drag over a part to enlarge it, double-click for the whole time; " +
    "with the keyboard: arrows, + and \u2212, 0. " + (data.every > 1 ?
    `Drawn: the extremes of every ${data.every} samples.` : ""));
  before.before(bar, help);
}

function begin() {
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const chart = charts.find(({ figure }) => figure === target);
      chart.near = isIntersecting;
      if (isIntersecting && chart.stale) { draw(chart); }
      if (isIntersecting) { read(chart); }  // the cursor may have moved meanwhile
    }
  }, { rootMargin: "300px" });
  for (const figure of document.querySelectorAll("figure[data-curves]")) {
    const plot = figure.querySelector(".plot"), joint = data.joints[figure.dataset.joint];
    const line = element("div", "cursor");
    line.hidden = true;
    plot.append(line);
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.classList.add("live");
    const chart = { figure, plot, joint, line, curves: figure.dataset.curves.split(" "), stale: true, near: false };
    charts.push(chart);
    if (!readouts.has(joint)) {
      const readout = element("output", "readout");
      figure.querySelector(".head").append(readout);
      readouts.set(joint, { element: readout, chart });
    }
    react(chart);
    seen.observe(figure);
  }
  toolbar(document.getElementById("joint-1"));
  show(0, end);
  addEventListener("beforeprint", () => charts.forEach(draw));
  addEventListener("resize", () => show(...view));
}

if (recordings.length && end > 0) { begin(); }
}
