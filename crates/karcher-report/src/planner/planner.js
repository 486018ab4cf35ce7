"use strict";
// Shows the point that the sliders choose. Every error comes from the list that karcher computed: see data.rs.
(function () {
  const plan = JSON.parse(document.getElementById("plan").textContent);
  const ids = ["radius", "records", "budget"];
  const point = plan.axes.map((axis) => axis.planned);
  const dashes = ["none", "7 4", "2 3", "9 3 2 3", "4 2"];
  const byId = (id) => document.getElementById(id);

  // A number for people, with at most four digits.
  const digits = (x) => {
    const rounded = Number(x.toPrecision(4));
    return rounded !== 0 && (rounded < 1e-4 || rounded >= 1e6) ? rounded.toExponential() : String(rounded);
  };

  // The error of a mechanism at a point, or null with the reason.
  const at = (mechanism, [radius, n, budget]) => {
    const place = (radius * plan.axes[1].values.length + n) * plan.axes[2].values.length + budget;
    const error = mechanism.errors[place];
    const known = error >= 0;
    return {
      error: known ? error : null,
      words: plan.sentences[known ? mechanism.notes[place] : -1 - error],
      isBest: known && plan.mechanisms.indexOf(mechanism) === plan.best[place],
    };
  };

  const element = (name, attributes, ...children) => {
    const isText = name === "text";
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (isText) made.textContent = children.join("");
    else made.append(...children);
    return made;
  };

  // The line of a mechanism: one color and one pattern each.
  const line = (i) => ({ class: "curve c" + (i % 5), "stroke-dasharray": dashes[i % 5] });

  const summary = () => {
    const words = plan.axes.map((axis, i) => axis.words[point[i]]).filter(Boolean).join(", ");
    const best = plan.mechanisms.find((mechanism) => at(mechanism, point).isBest);
    if (!best) return `With ${words}, no mechanism applies unless you choose one by name.`;
    const error = at(best, point).error;
    const radius = plan.axes[0].values[point[0]];
    const share = radius > 0 ? `, ${digits((100 * error) / radius)} % of the radius` : "";
    const warning = radius > 0 && error >= radius ? " The noise is as large as the ball." : "";
    return `With ${words}, ${best.name} has the smallest expected error, ${digits(error)} ${plan.unit}${share}.${warning}`;
  };

  const showTable = () => {
    const rows = plan.mechanisms.map((mechanism, i) => ({ mechanism, i, ...at(mechanism, point) }));
    const order = (row) => (row.error === null ? Infinity : row.error);
    rows.sort((a, b) => (order(a) === order(b) ? a.i - b.i : order(a) - order(b)));
    const made = rows.map(({ mechanism, i, error, words, isBest }) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      const stroke = element("path", { d: "M0 5H36", ...line(i) });
      const sample = element("svg", { class: "sample", viewBox: "0 0 36 10", "aria-hidden": "true" }, stroke);
      head.append(sample, mechanism.name);
      const notes = error === null ? `does not apply: ${words}` : [isBest ? "best" : "", words].filter(Boolean).join("; ");
      const cells = [error === null ? "–" : digits(error), notes].map((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        return cell;
      });
      row.append(head, ...cells);
      return row;
    });
    byId("errors").tBodies[0].replaceChildren(...made);
  };

  // The errors of a mechanism along an axis, through the chosen point.
  const along = (mechanism, axis) =>
    plan.axes[axis].values.map((_, i) => at(mechanism, point.map((place, j) => (j === axis ? i : place))));

  // Powers of ten between two numbers, with twos and fives if these are few.
  const ticks = (low, high) => {
    const powers = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) powers.push(power);
    const multiples = powers.length > 4 ? [1] : [1, 2, 5];
    const all = powers.flatMap((power) => multiples.map((x) => Number(`${x}e${power}`)));
    const inside = all.filter((x) => x >= low && x <= high);
    const step = Math.ceil(inside.length / 7);
    return inside.filter((_, i) => i % step === 0);
  };

  const showChart = (axis, [low, high]) => {
    const [left, right, top, bottom] = [58, 308, 12, 206];
    const { values } = plan.axes[axis];
    const share = (x, from, to) => (Math.log(x) - Math.log(from)) / (Math.log(to) - Math.log(from));
    const x = (i) => left + (right - left) * share(values[i], values[0], values[values.length - 1]);
    const y = (error) => bottom - (bottom - top) * share(error, low, high);
    const parts = ticks(low, high).flatMap((tick) => [
      element("path", { class: "grid", d: `M${left} ${y(tick)}H${right}` }),
      element("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, digits(tick)),
    ]);
    const chosen = point[axis];
    parts.push(element("path", { class: "here", d: `M${x(chosen)} ${top}V${bottom}` }));
    const last = values.length - 1;
    const anchors = [[0, "start"], [last, "end"]];
    const clear = (i) => i === chosen || Math.abs(x(i) - x(chosen)) > 60;
    anchors.filter(([i]) => clear(i) && i !== chosen).forEach(([i, anchor]) => {
      parts.push(element("text", { x: x(i), y: bottom + 18, "text-anchor": anchor }, digits(values[i])));
    });
    const anchor = chosen === 0 ? "start" : chosen === last ? "end" : "middle";
    parts.push(element("text", { x: x(chosen), y: bottom + 18, "text-anchor": anchor }, digits(values[chosen])));
    plan.mechanisms.forEach((mechanism, i) => {
      const errors = along(mechanism, axis);
      const places = errors.map(({ error }, j) => {
        const command = j > 0 && errors[j - 1].error !== null ? "L" : "M";
        return error === null ? "" : `${command}${x(j).toFixed(1)} ${y(error).toFixed(1)}`;
      });
      if (places.some(Boolean)) parts.push(element("path", { ...line(i), d: places.join("") }));
      const here = errors[chosen];
      if (here.error === null) return;
      const radius = here.isBest ? 5 : 3;
      parts.push(element("circle", { class: "point c" + (i % 5), cx: x(chosen), cy: y(here.error), r: radius }));
    });
    byId("chart-" + ids[axis]).replaceChildren(...parts);
    byId(`chart-${ids[axis]}-ends`).textContent = ends(axis);
  };

  // A sentence for the curves that end before the axis does.
  const ends = (axis) => {
    const reasons = new Map();
    plan.mechanisms.forEach((mechanism) => {
      const errors = along(mechanism, axis);
      const after = errors.findIndex((one, i) => one.error === null && i > 0 && errors[i - 1].error !== null);
      if (after < 0) return;
      const sentence = `at ${plan.axes[axis].words[after - 1]}. Farther on: ${errors[after].words}.`;
      reasons.set(sentence, [...(reasons.get(sentence) || []), mechanism.name]);
    });
    return [...reasons].map(([sentence, names]) => `${names.join(", ")}: the curve ends ${sentence}`).join(" ");
  };

  const showCharts = () => {
    const axes = ids.map((_, axis) => axis).filter((axis) => plan.axes[axis].values.length > 1);
    const all = axes.flatMap((axis) => plan.mechanisms.flatMap((mechanism) => along(mechanism, axis)));
    const errors = all.map(({ error }) => error).filter((error) => error > 0);
    if (!errors.length) errors.push(1);
    const [low, high] = [Math.min(...errors) / 1.3, Math.max(...errors) * 1.3];
    axes.forEach((axis) => showChart(axis, [low, high]));
  };

  const showBall = () => {
    const radius = plan.axes[0].values[point[0]] * plan.unitSize;
    const best = plan.mechanisms.find((mechanism) => at(mechanism, point).isBest);
    const error = best ? at(best, point).error * plan.unitSize : 0;
    const circle = (kind, r) => element("circle", { class: kind, r });
    const named = plan.axes[0].words[point[0]];
    if (plan.picture === "globe") {
      const cap = Math.min(radius, Math.PI);
      const parts = [circle("edge", 1)];
      for (let i = 1; i < 6; i++) parts.push(circle("grid", Math.sin((i * Math.PI) / 12)));
      for (let i = 0; i < 12; i++) {
        const [x, y] = [Math.cos((i * Math.PI) / 6), Math.sin((i * Math.PI) / 6)];
        parts.push(element("path", { class: "grid", d: `M0 0L${x} ${y}` }));
      }
      // beyond a quarter turn the ball covers the visible half, and its edge is behind it
      parts.push(circle("inside", cap < Math.PI / 2 ? Math.sin(cap) : 1));
      if (cap > Math.PI / 2) parts.push(circle("behind", Math.sin(cap)));
      if (error) parts.push(circle("error", error < Math.PI / 2 ? Math.sin(error) : 1));
      byId("ball").replaceChildren(...parts);
      const share = (100 * (1 - Math.cos(cap))) / 2;
      byId("ball-words").textContent =
        `The ball on the globe, seen from above its center: ${named}, ${digits(share)} % of the sphere. ` +
        "The small disc inside is the expected error.";
    } else {
      const scale = 1 / Math.max(radius, error);
      const parts = [circle("inside", radius * scale)];
      if (error) parts.push(circle("error", error * scale));
      byId("ball").replaceChildren(...parts);
      byId("ball-words").textContent = `The ball, ${named}, and inside it a disc as large as the expected error.`;
    }
  };

  const show = () => {
    plan.axes.forEach((axis, i) => {
      const slider = byId(ids[i]);
      if (!slider) return;
      byId(ids[i] + "-words").textContent = axis.words[point[i]];
      slider.setAttribute("aria-valuetext", axis.words[point[i]]);
    });
    byId("summary").textContent = summary();
    showTable();
    showCharts();
    if (plan.picture !== "none") showBall();
    const chosen = (part) => plan.axes.map((axis, i) => axis[part][point[i]]).filter(Boolean);
    byId("command").textContent = [plan.command, ...chosen("options")].join(" ");
    document.dispatchEvent(new CustomEvent("planned", { detail: chosen("options") }));
    if (plan.python) byId("python").textContent = plan.python[0] + chosen("python").join(", ") + plan.python[1];
  };

  ids.forEach((id, i) => {
    const slider = byId(id);
    if (!slider || slider.type !== "range") return;
    slider.value = point[i];
    slider.addEventListener("input", () => {
      point[i] = Number(slider.value);
      show();
    });
  });
  byId("live").hidden = false;
  show();
})();
