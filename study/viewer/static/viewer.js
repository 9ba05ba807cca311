// Keyboard, filters that apply at once, and the box of keys. Everything works without it, too.
"use strict";

(() => {
  const $ = (selector) => document.querySelector(selector);
  const rows = () => [...document.querySelectorAll("tr[data-row]")];
  const box = $("#keys");
  let chosen = -1;

  const choose = (index) => {
    const all = rows();
    if (!all.length) return;
    all[chosen]?.classList.remove("chosen");
    chosen = Math.max(0, Math.min(index, all.length - 1));
    all[chosen].classList.add("chosen");
    all[chosen].querySelector("a").focus({ preventScroll: true });
    all[chosen].scrollIntoView({ block: "nearest" });
  };

  const follow = (selector) => {
    const link = $(selector);
    if (link) link.click();
    return Boolean(link);
  };

  const toggleWrong = () => {
    const form = $("form.filters");
    if (!form) return;
    const wrong = form.querySelector("input[name=verdict][value=wrong]");
    const all = form.querySelector("input[name=verdict][value='']");
    (wrong.checked ? all : wrong).checked = true;
    form.requestSubmit();
  };

  const keys = {
    j: () => (rows().length ? choose(chosen + 1) : follow("a[rel=next]")),
    k: () => (rows().length ? choose(chosen - 1) : follow("a[rel=prev]")),
    n: () => follow("a[rel=next]"),
    p: () => follow("a[rel=prev]"),
    u: () => follow("a[rel=up]"),
    c: () => follow("a[data-compare]"),
    w: toggleWrong,
    "/": () => ($("input[type=search]") ? openFilters().focus() : follow("nav a[href='/probes']")),
    "?": () => box.showModal(),
  };

  const openFilters = () => {
    $(".filters details").open = true;
    return $("input[type=search]");
  };

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input[type=search], select, textarea");
    if (event.key === "Escape" && field) field.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey || box.open || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });

  for (const form of document.querySelectorAll("form[data-filters]")) {
    form.addEventListener("change", () => form.requestSubmit());
    form.addEventListener("submit", () => {
      for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
      const verdict = form.querySelector("input[name=verdict]:checked");
      if (verdict && !verdict.value) verdict.disabled = true;
    });
  }

  const wide = matchMedia("(min-width: 56.01rem)");
  const filters = $(".filters details");
  if (filters) {
    const fit = () => { filters.open = wide.matches; };
    wide.addEventListener("change", fit);
    fit();
  }

  const help = $("[data-help]");
  help.hidden = false;
  help.addEventListener("click", () => box.showModal());
})();
