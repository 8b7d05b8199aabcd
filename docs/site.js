// Plays scenes in place of their posters, and films in place of their stills.
(function () {
  "use strict";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

  function play(link) {
    const frame = document.createElement("iframe");
    frame.src = link.href;
    frame.title = link.getAttribute("aria-label") || link.querySelector("img").alt;
    frame.allow = "fullscreen";
    frame.className = "scene";
    link.replaceWith(frame);
    frame.focus();
  }

  document.addEventListener("click", function (event) {
    const link = event.target.closest("a.scene");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    play(link);
  });

  // the film of the front page comes after everything else; a click shows the still again
  function swap(image) {
    const other = image.dataset.film;
    image.dataset.film = image.getAttribute("src");
    image.setAttribute("src", other);
  }
  addEventListener("load", function () {
    const films = new IntersectionObserver(function (entries) {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        films.unobserve(target);
        const film = new Image();
        film.onload = () => swap(target);
        setTimeout(() => { film.src = target.dataset.film; }, 1500);
      }
    });
    for (const image of document.querySelectorAll("img[data-film]")) {
      image.addEventListener("click", () => swap(image));
      if (!still && !(navigator.connection && navigator.connection.saveData)) films.observe(image);
    }
  });
})();
