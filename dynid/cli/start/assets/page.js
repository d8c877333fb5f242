const EVERY = { running: 500, idle: 3000 };  // [ms]
const USES = ["identification", "validation", "nothing"];
const OUTCOMES = ["Done.", "It ran, and its criterion is not met.", "It was refused."];
const byId = (id) => document.getElementById(id);
let timer = 0;
let running = "";

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// what has not changed stays as it is: a selection, an open list, a scrolled text
function once(node, key, change) {
  const text = JSON.stringify(key);
  if (node.dataset.shown !== text) { node.dataset.shown = text; change(node); }
}

const write = (node, text) => once(node, text, () => { node.textContent = text; });

function report(problem) {
  byId("problem").textContent = problem;
  byId("problem").hidden = !problem;
}

async function ask(place, options) {
  try {
    const answer = await fetch(place, options);
    if (!answer.ok) { return await answer.text() || `The server answered ${answer.status}.`; }
    show(await answer.json());
    return "";
  } catch (error) {
    return error instanceof TypeError ? "dynid start has ended, or does not answer." : String(error);
  }
}

async function follow() {
  const problem = await ask("state");
  if (problem) { report(problem); }
  clearTimeout(timer);
  timer = setTimeout(follow, running ? EVERY.running : EVERY.idle);
}

async function act(place, content) {
  const body = content instanceof Blob ? content : JSON.stringify(content);
  report(await ask(place, { method: "POST", body }));
  clearTimeout(timer);
  timer = setTimeout(follow, EVERY.running);
}

const address = (name) => `files/${name.split("/").map(encodeURIComponent).join("/")}`;

function result(name, ran) {
  const place = address(name);
  if (name.endsWith(".png")) { return element("img", { className: "picture", src: `${place}?${ran}`, alt: name }); }
  const frame = element("iframe", { title: name, src: `${place}?${ran}` });
  frame.sandbox = "allow-scripts";
  return element("div", {}, frame, element("a", { href: place, target: "_blank", rel: "noopener", textContent: `${name} in a page of its own` }));
}

// a line breaks between words only, not after the hyphens of an option
function write_words(element, text) {
  if (element.textContent === text) { return; }
  const words = text.split(" ").map((word) => {
    const span = document.createElement("span");
    span.className = "word";
    span.textContent = word;
    return span;
  });
  element.replaceChildren(...words.flatMap((span, number) => (number ? [" ", span] : [span])));
}

function outcome(step) {
  if (step.code === undefined || step.code === null) { return ["", ""]; }
  if (step.interrupted) { return ["", "Stopped."]; }
  return [["good", "failed", "wrong"][step.code] || "wrong", OUTCOMES[step.code] || `It ended with code ${step.code}.`];
}

function show_step(step, state) {
  const box = byId(`step-${step.name}`);
  const find = (selector) => box.querySelector(selector);
  const own = state.running === step.name;
  write_words(find(".command pre"), step.command);
  write(find(".missing"), step.missing);
  const [kind, words] = outcome(step);
  box.className = `step ${own ? "running" : kind}`;
  // the choices may have changed since it ran
  write(find(".outcome"), words && step.ran !== step.command ? `${words} Last: ${step.ran}` : words);
  const run = find(".run");
  if (run) {
    run.disabled = Boolean(step.missing || state.running);
    find(".stop").hidden = !own;
    write(find(".stop"), step.interrupted ? "Kill" : "Stop");
  }
  find(".working").hidden = !own;
  if (own) {
    const bar = find("progress");
    if (typeof state.progress.share === "number") { bar.value = state.progress.share; } else { bar.removeAttribute("value"); }
    write(find(".working span"), state.progress.text || "starting");
  }
  const output = find(".output");
  find("details").hidden = !step.output;
  once(output, step.output || "", () => {
    const atEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 4;
    output.textContent = step.output || "";
    if (own && atEnd) { output.scrollTop = output.scrollHeight; }
  });
  const results = step.results || [];
  once(find(".results"), [results, step.begun], (node) => {
    node.replaceChildren(...results.map((name) => result(name, step.begun)));
    find("details").open = !results.some((name) => name.endsWith(".html"));
  });
}

function show(state) {
  running = state.running;
  write(byId("folder"), state.folder);
  once(byId("robot"), [state.robots, state.robot], (node) => {
    const choices = state.robot ? state.robots : ["", ...state.robots];
    node.replaceChildren(...choices.map((name) => element("option", { value: name, textContent: name || "choose …" })));
    node.value = state.robot;
  });
  once(byId("recordings"), state.recordings, (node) => node.replaceChildren(...state.recordings.map(recording_row)));
  for (const step of state.steps) { show_step(step, state); }
  once(byId("files"), state.files, (node) => node.replaceChildren(...state.files.map(
    (name) => element("li", {}, element("a", { href: address(name), target: "_blank", rel: "noopener", textContent: name })))));
}

function recording_row(recording) {
  const options = USES.map((use) => element("option", { value: use, textContent: use }));
  const choice = element("select", { ariaLabel: `use of ${recording.name}` }, ...options);
  choice.value = recording.use;
  choice.addEventListener("change", () => act("use", { recording: recording.name, use: choice.value }));
  return element("tr", {}, element("th", { scope: "row", textContent: recording.name }), element("td", {}, choice));
}

byId("robot").addEventListener("change", () => act("robot", { robot: byId("robot").value }));
byId("upload").addEventListener("change", async () => {
  for (const file of byId("upload").files) {
    await act(`upload/${encodeURIComponent(file.name)}`, file);
    if (!byId("problem").hidden) { break; }
  }
  byId("upload").value = "";
});
for (const box of document.querySelectorAll(".step")) {
  const step = box.id.slice("step-".length);
  box.querySelector(".run")?.addEventListener("click", () => act("run", { step }));
  box.querySelector(".stop")?.addEventListener("click", () => act("stop", {}));
}
follow();
