const line = document.getElementById("progress");
let build = null;
async function ask() {
  try {
    const news = await (await fetch("progress.json")).json();
    line.textContent = news.text;
    line.hidden = !news.text;
    if (build !== null && build !== news.build) { await renew(); }
    build = news.build;
  } catch {
    line.textContent = "The server does not answer: the page shows the last results.";
    line.hidden = false;
  }
  setTimeout(ask, 2000);
}
// what was typed into the filters stays; a robot's page keeps its place
async function renew() {
  const text = await (await fetch(location.pathname)).text();
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const table = document.querySelector("#fleet tbody");
  if (!table) { location.reload(); return; }
  table.replaceWith(fresh.querySelector("#fleet tbody"));
  document.querySelector(".facts").replaceWith(fresh.querySelector(".facts"));
  showFitting();
}
ask();
