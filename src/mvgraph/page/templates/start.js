// --- theme, folding, and the first drawing
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  changed("theme");
});
scheme.addEventListener("change", () => changed("theme"));
const wide = matchMedia("(min-width: 60rem)").matches;
for (const id of ["tree", "heat", "views"]) $(id).open = wide && !$(id).hidden;
function reveal() {
  const part =
    location.hash &&
    document.querySelector(`details${CSS.escape ? "#" + CSS.escape(location.hash.slice(1)) : ""}`);
  if (part) part.open = true;
}
addEventListener("hashchange", reveal);
changed("level", "by", "names", "chosen", "theme", "lifted", "matched");
resize();
reveal();
document.documentElement.dataset.ready = "yes";
