"use strict";
// Plays a recorded motion: time, the camera, and their control by touch, mouse and keys.

const $ = (name) => document.getElementById(name);
const canvas = $("view"), scrub = $("scrub");
const PLAY = "M8 5v14l11-7z", PAUSE = "M6 5h4v14H6zm8 0h4v14h-4z";
const END = 0.7; // pause (s) at the end before the motion repeats
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Recording(await new Response(stream).arrayBuffer());
}

class Player {
  constructor(recording) {
    this.recording = recording;
    this.painter = new Painter(canvas, recording);
    this.targets = new Columns(recording, recording.targets);
    this.length = (recording.count - 1) / recording.fps;
    this.time = 0;
    this.playing = !still && this.length > 0;
    this.changed = true;
    this.fingers = new Map();
    scrub.max = Math.max(this.length, 1e-3);
    this.spans = this.painter.labels.map((node) => {
      const span = document.createElement("span");
      span.textContent = node.label;
      $("labels").append(span);
      return span;
    });
    this.home();
    this.listen();
    this.showState();
    requestAnimationFrame((now) => this.tick(now));
  }

  home() {
    this.view = { ...this.recording.camera, offset: [0, 0, 0] };
    this.changed = true;
  }

  camera() {
    const { azimuth, elevation, distance, fovy, offset } = this.view;
    const [a, e] = [azimuth * Math.PI / 180, elevation * Math.PI / 180];
    const forward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const up = [-Math.sin(e) * Math.cos(a), -Math.sin(e) * Math.sin(a), Math.cos(e)];
    const target = add([...this.targets.at(this.frame(), [0, 0, 0])], offset);
    // a narrow window has the horizontal field of view of a square window
    const aspect = canvas.width / canvas.height, narrow = Math.min(aspect, 1);
    const wide = 2 * Math.atan(Math.tan(fovy * Math.PI / 360) / narrow) * 180 / Math.PI;
    return { eye: add(target, forward, -distance), forward, up, target, distance, fovy: Math.min(wide, 100) };
  }

  frame() { return Math.min(Math.max(this.time, 0) * this.recording.fps, this.recording.count - 1); }

  tick(now) {
    const passed = Math.min((now - (this.last ?? now)) / 1000, 0.1);
    this.last = now;
    if (this.playing) {
      this.time += passed;
      if (this.time > this.length + END) this.time = 0;
      this.changed = true;
    }
    const scale = Math.min(devicePixelRatio || 1, 2), width = Math.round(canvas.clientWidth * scale), height = Math.round(canvas.clientHeight * scale);
    if (canvas.width !== width || canvas.height !== height) {
      [canvas.width, canvas.height] = [width, height];
      this.changed = true;
    }
    if (this.changed && width && height) this.show();
    requestAnimationFrame((next) => this.tick(next));
  }

  show() {
    this.changed = false;
    this.painter.draw(this.frame(), this.camera());
    const time = Math.min(this.time, this.length);
    if (document.activeElement !== scrub || this.playing) scrub.value = time;
    $("clock").textContent = `${time.toFixed(1)} s`;
    this.painter.labels.forEach((node, k) => this.showLabel(this.spans[k], node));
  }

  showLabel(span, node) {
    const at = 11 * node.index, state = this.painter.state, m = this.painter.seen;
    const [x, y, , w] = [0, 1, 2, 3].map((i) => m[i] * state[at] + m[4 + i] * state[at + 1] + m[8 + i] * state[at + 2] + m[12 + i]);
    span.hidden = state[at + 10] < 0.999 || w <= 0;
    span.style.left = `${(x / w + 1) * 50}%`;
    span.style.top = `${(1 - y / w) * 50}%`;
  }

  showState() {
    $("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
    $("play").querySelector("path").setAttribute("d", this.playing ? PAUSE : PLAY);
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.length) this.time = 0;
    this.showState();
  }

  seek(time) {
    this.playing = false;
    this.time = Math.min(Math.max(time, 0), this.length);
    this.changed = true;
    this.showState();
  }

  // ---- the camera

  orbit(x, y) {
    this.view.azimuth -= x;
    this.view.elevation = Math.min(Math.max(this.view.elevation - y, -89), 89);
    this.changed = true;
  }

  pan(x, y) {
    const { forward, up } = this.camera(), right = unit(cross(forward, up));
    const size = 2 * this.view.distance * Math.tan(this.view.fovy * Math.PI / 360) / canvas.clientHeight;
    this.view.offset = add(add(this.view.offset, right, -x * size), up, y * size);
    this.changed = true;
  }

  zoom(factor) {
    const { extent, far } = this.recording;
    this.view.distance = Math.min(Math.max(this.view.distance * factor, 0.02 * extent), 0.5 * far);
    this.changed = true;
  }

  // ---- input

  listen() {
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"])
      canvas.addEventListener(name, (event) => this.fingers.delete(event.pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.home());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY * (event.deltaMode ? 30 : 1)));
    }, { passive: false });
    addEventListener("keydown", (event) => this.press(event));
    scrub.addEventListener("input", () => this.seek(Number(scrub.value)));
    $("play").addEventListener("click", () => this.toggle());
    $("home").addEventListener("click", () => this.home());
    $("whole").hidden = !document.fullscreenEnabled;
    $("whole").addEventListener("click", () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
  }

  drag(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY], [x, y] = add(now, before, -1);
    const others = [...this.fingers.entries()].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (others.length) {
      const spread = (place) => Math.hypot(...add(place, others[0], -1)) || 1;
      this.zoom(spread(before) / spread(now));
      this.pan(x / 2, y / 2);
    } else if (event.buttons & 2 || event.shiftKey) this.pan(x, y);
    else this.orbit(0.35 * x, 0.35 * y);
    this.fingers.set(event.pointerId, now);
  }

  press(event) {
    if (event.target instanceof HTMLButtonElement || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") this.toggle();
    else if (event.target === scrub) return;
    else if (event.key === "ArrowLeft") this.orbit(-5, 0);
    else if (event.key === "ArrowRight") this.orbit(5, 0);
    else if (event.key === "ArrowUp") this.orbit(0, 5);
    else if (event.key === "ArrowDown") this.orbit(0, -5);
    else if (event.key === "+" || event.key === "=") this.zoom(0.9);
    else if (event.key === "-") this.zoom(1.1);
    else if (event.key === "Home") this.home();
    else return;
    event.preventDefault();
  }
}

unpacked($("motion").textContent)
  .then((recording) => { window.player = new Player(recording); })
  .catch((error) => { $("message").textContent = `This scene cannot be shown here: ${error.message}`; });
