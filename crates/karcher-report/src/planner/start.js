"use strict";
// Reads the header of a table in the browser, and writes the command that begins with it. Nothing leaves the page.
(function () {
  const plan = JSON.parse(document.getElementById("plan").textContent);
  const byId = (id) => document.getElementById(id);
  if (!plan.start) return;

  // The bytes of a file that are read at most: its first line, or the header of an array.
  const BEGINNING = 65536;
  // What the file says of itself, the readings of its records, and the options that the sliders choose.
  let header = null;
  let readings = [];
  let options = [];

  const element = (name, text) => {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  };

  // The parts of a name, split at changes of case, between letters and digits, and at all other signs.
  const tokens = (name) => {
    const parted = name.replace(
      /(?<=\p{N})(?=\P{N})|(?<=\P{N})(?=\p{N})|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
    return parted.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  };

  // The longest words of a vocabulary in a name, of at most three parts.
  const said = (name, vocabulary) => {
    const parts = tokens(name);
    for (const length of [3, 2, 1]) {
      const runs = parts.map((_, i) => parts.slice(i, i + length)).filter((run) => run.length === length);
      const known = runs.map((run) => run.join("")).filter((run) => vocabulary.has(run));
      if (known.length) return known;
    }
    return [];
  };

  // The columns that words name, one for each number; or null.
  const byWords = ({ words }, names) => {
    if (!words.length) return null;
    const vocabulary = new Set(words.flat());
    const meant = names.map((name) => said(name, vocabulary));
    const columns = words.map((own) => {
      const found = names.map((_, i) => i).filter((i) => meant[i].some((word) => own.includes(word)));
      return found.length === 1 ? found[0] : -1;
    });
    return columns.every((i) => i >= 0) && new Set(columns).size === columns.length ? columns : null;
  };

  // The columns that symbols name together, behind one beginning; or null.
  const bySymbols = ({ symbols }, names) => {
    const plain = names.map((name) => tokens(name).join(""));
    for (const way of symbols) {
      const begins = plain.flatMap((name) =>
        way[0].filter((symbol) => name.endsWith(symbol)).map((symbol) => name.slice(0, -symbol.length)));
      for (const begin of new Set(begins)) {
        const columns = [];
        for (const own of way) {
          const places = own.map((symbol) => plain.findIndex((name, i) => name === begin + symbol && !columns.includes(i)));
          const found = places.find((i) => i >= 0);
          if (found === undefined) break;
          columns.push(found);
        }
        if (columns.length === way.length) return columns;
      }
    }
    return null;
  };

  // The columns that are numbered alike, such as V1, V2 and so on, if they are the most.
  const numbered = (names) => {
    const kind = (name) => (/\d/.test(name) ? name.replace(/[^\p{L}]/gu, "").toLowerCase() : null);
    const kinds = names.map(kind);
    const first = kinds.find((one) => one !== null && 2 * kinds.filter((other) => other === one).length > names.length);
    return kinds.map((_, i) => i).filter((i) => first !== undefined && kinds[i] === first);
  };

  // Words say more than symbols, and many columns more than few; then the name of the layout and the order decide.
  const rank = (layout, columns, names, words) => {
    const inName = columns.filter((i) => layout.name.includes(names[i].toLowerCase())).length;
    const isInOrder = columns.every((column, i) => i === 0 || columns[i - 1] < column);
    return (words ? 1e6 : 0) + 1e3 * columns.length + inName + (isInOrder ? 0.5 : 0);
  };

  // What a record may be: by names, or by the number of columns in the space of the plan.
  const proposed = ({ names, numbers, axes }) => {
    const [named, fitting] = [[], []];
    const run = numbered(names);
    const everything = [...Array(numbers).keys()];
    plan.start.spaces.forEach((space, i) => space.layouts.forEach((layout) => {
      const words = byWords(layout, names);
      const columns = words || bySymbols(layout, names);
      if (columns) named.push({ space, layout, columns, rank: rank(layout, columns, names, words) });
      const isArray = axes.length < 3 || String(layout.array) === String(axes.slice(1));
      const fits = [everything, run].find((columns) => columns.length === layout.numbers);
      if (i === 0 && isArray && fits) fitting.push({ space, layout, columns: fits });
    }));
    named.sort((a, b) => b.rank - a.rank);
    const isPart = (one, better) =>
      better.space.about === one.space.about && better.columns.some((column) => one.columns.includes(column));
    const best = named.filter((one, i) => !named.slice(0, i).some((better) => isPart(one, better)));
    return (best.length ? best : fitting).slice(0, 8);
  };

  // The cells of a line, as the reader of the command splits it.
  const cells = (line) => {
    const separator = ["\t", ";", ","].find((mark) => line.includes(mark));
    if (!separator) return line.trim().split(/\s+/);
    const found = [""];
    let isQuoted = false;
    for (const c of line) {
      if (c === '"') isQuoted = !isQuoted;
      else if (c === separator && !isQuoted) found.push("");
      else found[found.length - 1] += c;
    }
    return found.map((cell) => cell.trim());
  };

  const isNumber = (cell) => cell !== "" && Number.isFinite(Number(cell));

  // The header of an array of NumPy, or the names of a table's columns. Of a line of numbers only their count is kept.
  const read = (bytes, name) => {
    const text = (part) => new TextDecoder("utf-8").decode(part);
    if (text(bytes.slice(1, 6)) === "NUMPY") {
      const shape = /'shape':\s*\(([^)]*)\)/.exec(text(bytes));
      const axes = shape ? shape[1].split(",").map((axis) => axis.trim()).filter(Boolean).map(Number) : [];
      return { name, names: [], numbers: axes.slice(1).reduce((a, b) => a * b, 1), axes };
    }
    if (bytes.includes(0)) return null;
    const found = cells(text(bytes).split(/\r?\n|\r/)[0]);
    const names = found.some(isNumber) ? [] : found;
    return { name, names, numbers: found.length, axes: [] };
  };

  const words = ({ name, names, numbers, axes }) => {
    const listed = names.length > 24 ? [...names.slice(0, 12), "…", names[names.length - 1]] : names;
    const columns = names.length ? `the columns ${listed.join(", ")}`
      : axes.length ? `the shape (${axes.join(", ")})` : `${numbers} columns without names`;
    return `${name} has ${columns}. Nothing else of it is looked at, and nothing leaves this page.`;
  };

  const quoted = (word) => (/^[\p{L}\p{N}\-_.,:/+°=]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

  // The columns as --columns takes them, or null for all.
  const list = ({ columns }) => {
    const isAll = columns.length === header.numbers && columns.every((column, i) => column === i);
    const isPlain = (i) => /^[\p{L}_][^,"]*$/u.test(header.names[i]);
    if (isAll) return null;
    const isRange = columns.length > 9 && columns.every((column, i) => column === columns[0] + i);
    if (isRange) return `${columns[0] + 1}-${columns[0] + columns.length}`;
    return columns.map((i) => (columns.every(isPlain) ? header.names[i] : i + 1)).join(",");
  };

  const title = (reading) => {
    const { space, layout, columns } = reading;
    const named = header.names.length && columns.length < 10 ? columns.map((i) => header.names[i]).join(",") + ": " : "";
    return `${named}${space.about} (${space.space}, layout ${layout.name})`;
  };

  const show = () => {
    const reading = readings[Number(byId("reading").value)];
    if (!reading) return;
    const isOwn = reading.space === plan.start.spaces[0];
    const columns = list(reading);
    const isDefault = reading.layout === reading.space.layouts[0];
    const person = byId("person").value;
    const center = byId("center") ? byId("center").value.trim() : "";
    const begin = ["karcher start", quoted(header.name), "--manifold", reading.space.space];
    const ofFile = [columns && quoted(`--columns=${columns}`), !isDefault && `--layout ${reading.layout.name}`];
    const ofPlan = [
      person === "" ? "--one-record-each" : quoted(`--person=${header.names[Number(person)]}`),
      plan.start.options, center && quoted(`--center=${center}`), ...options,
    ];
    byId("start").textContent = [...begin, ...ofFile, ...(isOwn ? ofPlan : [])].filter(Boolean).join(" ");
    byId("start-words").textContent = isOwn
      ? "The command checks all of this again and asks for what is missing. It writes spec.json, and prints the command " +
        "that releases and a sentence for a protocol. It spends no budget."
      : `This page plans for ${plan.start.spaces[0].space}. The command asks for the rest, and prints the command of a ` +
        `page for ${reading.space.space}.`;
  };

  const ask = () => {
    const reading = readings[Number(byId("reading").value)];
    const free = header.names.map((_, i) => i).filter((i) => !reading.columns.includes(i)).slice(0, 100);
    const persons = [["", "one"], ...free.map((i) => [i, `several: the column ${header.names[i]} says whose`])];
    byId("person").replaceChildren(...persons.map(([value, text]) => Object.assign(element("option", text), { value })));
    show();
  };

  const take = async (file) => {
    if (!file) return;
    header = read(new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer()), file.name);
    readings = header ? proposed(header) : [];
    const advice = " The page proposes no space for it: karcher start does, and asks for the rest.";
    const unknown = `${file.name} is neither a table of text nor an array of NumPy: give it to karcher start.`;
    byId("file-words").textContent = header ? words(header) + (readings.length ? "" : advice) : unknown;
    byId("file-questions").hidden = !readings.length;
    if (!readings.length) return;
    byId("reading").replaceChildren(
      ...readings.map((one, value) => Object.assign(element("option", title(one)), { value })));
    const records = header.axes[0];
    const slider = byId("records");
    if (records > 0 && slider) {
      const off = plan.axes[1].values.map((value) => Math.abs(Math.log(value / records)));
      slider.value = off.indexOf(Math.min(...off));
      slider.dispatchEvent(new Event("input"));
    }
    ask();
  };

  document.addEventListener("planned", (event) => {
    options = event.detail;
    if (header) show();
  });
  // a file that was edited may be chosen again
  byId("table").addEventListener("click", () => { byId("table").value = ""; });
  byId("table").addEventListener("change", () => take(byId("table").files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
  byId("reading").addEventListener("change", ask);
  byId("person").addEventListener("change", show);
  if (byId("center")) byId("center").addEventListener("input", show);
})();
