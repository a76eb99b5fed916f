(function () {
  "use strict";
  var q = document.getElementById("q"), hits = document.getElementById("hits"), root = document.documentElement;
  var all = function (s) { return Array.prototype.slice.call(document.querySelectorAll(s)); };
  var folds = all("details"), rows = all("main tr:not(.head), main .p, main li, #verdict p");
  var open = folds.map(function (d) { return d.open; });
  function search() {
    var words = q.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
    rows.forEach(function (r) {
      var text = r.textContent.toLowerCase();
      var found = words.every(function (w) { return text.indexOf(w) >= 0; });
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
    if (e.key === "/" && document.activeElement !== q) { e.preventDefault(); q.focus(); }
  });
  addEventListener("beforeprint", function () { folds.forEach(function (d) { d.open = true; }); });
}());
