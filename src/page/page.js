(function () {
  "use strict";
  var q = document.getElementById("q"), hits = document.getElementById("hits"), root = document.documentElement;
  var all = function (s, e) { return Array.prototype.slice.call((e || document).querySelectorAll(s)); };
  var folds = all("details"), rows = all("main tr:not(.head), main .p, main li, #verdict p"), texts = null;
  var open = folds.map(function (d) { return d.open; });

  /* ---- search, folding, theme ---- */
  function search() {
    var words = q.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
    texts = texts || rows.map(function (r) { return r.textContent.toLowerCase(); });
    rows.forEach(function (r, i) {
      var found = words.every(function (w) { return texts[i].indexOf(w) >= 0; });
      r.classList.toggle("hidden", !found);
      n += found;
    });
    folds.forEach(function (d, i) { d.open = words.length ? true : open[i]; });
    hits.textContent = words.length ? n + (n === 1 ? " line" : " lines") : "";
  }
  var timer;
  q.addEventListener("input", function () { clearTimeout(timer); timer = setTimeout(search, 120); });
  document.getElementById("open").addEventListener("click", function () {
    var some = folds.some(function (d) { return !d.open; });
    folds.forEach(function (d) { d.open = some; });
  });
  document.getElementById("theme").addEventListener("click", function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  addEventListener("keydown", function (e) {
    if (e.key === "/" && document.activeElement !== q && document.activeElement.tagName !== "SELECT") { e.preventDefault(); q.focus(); }
  });

  /* ---- contents: a link for each section ---- */
  var contents = document.getElementById("contents");
  all("main > section").forEach(function (s) {
    var a = document.createElement("a");
    a.href = "#" + s.id;
    a.textContent = s.querySelector("h2").textContent;
    contents.appendChild(a);
  });

  /* ---- the map: what a cell is, and from it to the wave's row ---- */
  function place(cell) {
    var simd = cell.parentNode, wgp = simd.parentNode;
    return wgp.parentNode.dataset.at + "." + wgp.dataset.at + ".simd" + all("b", wgp).indexOf(simd) + ".w" + all("i", simd).indexOf(cell);
  }
  all(".map i[class]").forEach(function (cell) {
    cell.addEventListener("mouseenter", function () {
      if (cell.dataset.told) { return; }
      cell.dataset.told = "1";
      cell.title = place(cell) + (cell.dataset.w ? ", wave " + cell.dataset.w : "") + (cell.title ? ", " + cell.title : "");
    });
    cell.addEventListener("click", function () {
      var row = document.getElementById("w" + cell.dataset.w);
      if (!row) { return; }
      for (var e = row; e; e = e.parentElement) { if (e.tagName === "DETAILS") { e.open = true; } }
      all(".at").forEach(function (r) { r.classList.remove("at"); });
      row.classList.add("at");
      row.scrollIntoView({ block: "center" });
    });
  });

  /* ---- memory as numbers: from words in hexadecimal ---- */
  var view = new DataView(new ArrayBuffer(8));
  var types = {
    "": 4, f32: 4, i32: 4, u32: 4, f64: 8, i64: 8, u64: 8, f16: 2, i16: 2, u16: 2, i8: 1, u8: 1
  };
  function half(h) {
    var e = h >> 10 & 31, m = h & 1023, v = e === 31 ? (m ? NaN : Infinity) : e ? Math.pow(2, e - 15) * (1 + m / 1024) : Math.pow(2, -24) * m;
    return h & 32768 ? -v : v;
  }
  function number(type, at) {
    switch (type) {
    case "f32": return Number(view.getFloat32(at, true).toPrecision(9));
    case "i32": return view.getInt32(at, true);
    case "u32": return view.getUint32(at, true);
    case "f64": return view.getFloat64(at, true);
    case "i64": return view.getBigInt64(at, true);
    case "u64": return view.getBigUint64(at, true);
    case "f16": return half(view.getUint16(at, true));
    case "i16": return view.getInt16(at, true);
    case "u16": return view.getUint16(at, true);
    case "i8": return view.getInt8(at);
    default: return view.getUint8(at);
    }
  }
  function show(u, type) {
    var words = (u.dataset.words = u.dataset.words || u.textContent).split(" "), out = [], size = types[type];
    if (u.dataset.type === type) { return; }
    u.dataset.type = type;
    for (var i = 0; i < words.length && type; i += Math.max(size / 4, 1)) {
      view.setUint32(0, parseInt(words[i], 16), true);
      view.setUint32(4, parseInt(words[i + 1] || "0", 16), true);
      for (var at = 0; at < Math.max(size, 4); at += size) { out.push(String(number(type, at))); }
    }
    u.textContent = type ? out.join(" ") : u.dataset.words;
  }
  all(".num").forEach(function (block) {
    var s = document.createElement("select"), rest = block.querySelector("details");
    var update = function () { /* what is folded takes no time until it is opened */
      all(rest && !rest.open ? ":scope > .p u" : "u", block).forEach(function (u) { show(u, s.value); });
      texts = null;
    };
    s.setAttribute("aria-label", "Shown as");
    Object.keys(types).forEach(function (t) {
      var o = document.createElement("option");
      o.value = t;
      o.textContent = t || "words";
      s.appendChild(o);
    });
    s.value = block.dataset.type in types ? block.dataset.type : "";
    s.addEventListener("change", update);
    if (rest) { rest.addEventListener("toggle", update); }
    block.parentNode.insertBefore(s, block);
    if (s.value) { update(); }
  });
}());
