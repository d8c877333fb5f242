// The robot and the path of its tool: dragging and the arrow keys rotate them.
for (const picture of document.querySelectorAll(".turntable")) {
  const strokes = [...picture.querySelectorAll("polyline")].map((line) =>
    [line, line.dataset.space.split(" ").map((point) => point.split(",").map(Number))]);
  let azimuth = -54 * Math.PI / 180, elevation = 22 * Math.PI / 180, held = null;
  const turn = (right, up) => {
    azimuth -= right;
    elevation = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, elevation + up));
    const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
    for (const [line, points] of strokes) {
      line.setAttribute("points", points.map(([x, y, z]) =>
        `${(y * ca - x * sa).toFixed(4)},${(se * (x * ca + y * sa) - ce * z).toFixed(4)}`).join(" "));
    }
  };
  picture.tabIndex = 0;
  picture.addEventListener("pointerdown", (event) => {
    held = [event.clientX, event.clientY];
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener("pointerup", () => { held = null; });
  picture.addEventListener("pointermove", (event) => {
    if (held === null) { return; }
    turn((event.clientX - held[0]) / 150, (event.clientY - held[1]) / 150);
    held = [event.clientX, event.clientY];
  });
  picture.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    if (event.key in steps) { event.preventDefault(); turn(...steps[event.key]); }
  });
}
