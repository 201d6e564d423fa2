"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);
  const articles = all("article");
  const sections = all(".file").map((element) => ({ element, articles: all("article", element) }));
  const texts = new Map();

  const root = document.documentElement;
  const theme = one("#theme");
  const isDark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  name();

  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const folded = target.closest("details");
    if (folded) folded.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all(".file:not([open])");
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of closed) each.open = false; });

  const form = one("#filters");
  if (!form) return;
  form.hidden = false;
  const chips = all(".chip");
  const search = one("#search");
  const file = one("#file");
  const shown = one("#shown");

  const pressed = (key) =>
    new Set(chips.filter((each) => each.dataset.key === key && each.getAttribute("aria-pressed") === "true")
      .map((each) => each.dataset.value));
  const textOf = (article) => {
    if (!texts.has(article)) texts.set(article, article.textContent.toLowerCase());
    return texts.get(article);
  };
  const fits = (values, value) => values.size === 0 || values.has(value);

  const filter = () => {
    const codes = pressed("code");
    const severities = pressed("severity");
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const section of sections) {
      const path = section.element.dataset.file;
      let inside = 0;
      for (const article of section.articles) {
        const isShown = fits(codes, article.dataset.code)
          && fits(severities, article.dataset.severity)
          && (!file.value || file.value === path)
          && words.every((word) => path.toLowerCase().includes(word) || textOf(article).includes(word));
        article.hidden = !isShown;
        inside += isShown;
      }
      section.element.hidden = inside === 0;
      section.element.querySelector(".number").textContent =
        inside === section.articles.length ? inside : `${inside} of ${section.articles.length}`;
      count += inside;
    }
    shown.textContent = `${count} of ${articles.length} shown`;
    one("#nothing").hidden = count > 0;
  };

  for (const chip of chips) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") !== "true");
      filter();
    });
  }
  let waiting;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  file.addEventListener("change", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    for (const chip of chips) chip.setAttribute("aria-pressed", "false");
    setTimeout(filter);
  });
  const fold = (isOpen) => { for (const { element } of sections) element.open = isOpen; };
  one("#open").addEventListener("click", () => fold(true));
  one("#close").addEventListener("click", () => fold(false));

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && event.target === search) { search.value = ""; filter(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); return; }
    if (event.key !== "j" && event.key !== "k") return;
    const visible = articles.filter((each) => !each.hidden && !each.parentElement.hidden);
    const here = visible.indexOf(document.activeElement.closest("article"));
    const next = visible[event.key === "j" ? here + 1 : Math.max(0, here - 1)];
    if (!next) return;
    next.parentElement.open = true;
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  });
  filter();
})();
