"""The film of Conjoint: scenes of examples/ in sequence, as a video and as an animation for web pages.

    python examples/make_film.py out/film.mp4 out/film.webp         # make film
    python examples/make_film.py --short out/demo.mp4               # make demo

Each scene shows what the program named in its caption computes. Conjoint draws it with OpenGL, or with ray tracing if
OpenGL is not available.
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from film.captions import Caption
from film.look import Shot, has_opengl, with_progress
from PIL import Image

from conjoint.render.video import ANIMATIONS, Write, film_file


@dataclass(frozen=True)
class Scene:
    """A scene of the film.

    Attributes:
        program: name of the program in examples/, without .py.
        caption: text that says what the scene shows.
        begin, seconds: start and duration of the part of the scene that is shown (s).
        fade: duration of the cross-fade from the previous scene (s); 0 for a cut.
    """

    program: str
    caption: str
    begin: float
    seconds: float
    fade: float = 0.3


LONG = (
    Scene("crowd", "420 humanoids walk in one batch", 0.3, 3.8),
    Scene("rubble", "A learned gait crosses loose stones", 0.6, 3.9),
    Scene("pick", "First try: the ball slips away", 0.1, 1.6),
    Scene("pick", "iLQR on exact derivatives keeps it", 1.7, 3.1, fade=0.0),
    Scene("soft", "Cloth, hammock and jelly by finite elements", 0.0, 3.9),
    Scene("dominoes", "A chain reaction of 1200 contacts", 1.5, 5.0),
)
"""Scenes of the film."""

SHORT = (
    Scene("rubble", "A learned gait crosses loose stones", 0.6, 4.6),
    Scene("dominoes", "A chain reaction of 1200 contacts", 0.7, 5.7),
)
"""Scenes of the short version for `make demo`, whose kernels compile quickly."""

RISE = 0.25
"""Fade-in and fade-out time of a caption (s)."""

SMALL, EVERY = 600, 2
"""Width of an animation for web pages (pixels), and the step between the film's pictures that it contains."""


def film(scenes: tuple[Scene, ...], shot: Shot) -> Iterator[np.ndarray]:
    """Yield the pictures of the scenes, which fade into each other."""
    before = list[np.ndarray]()
    for scene, after in zip(scenes, (*scenes[1:], None), strict=True):
        began = time.process_time()
        print(f"{scenes.index(scene) + 1} of {len(scenes)}: examples/{scene.program}.py, {scene.caption}", flush=True)
        last, waiting = 0 if after is None else round(after.fade * shot.fps), list[np.ndarray]()
        for k, picture in enumerate(captioned(scene, shot, len(before), last)):
            if k < len(before):
                picture = mixed(before[k], picture, (k + 1) / (len(before) + 1))
            waiting.append(picture)
            if len(waiting) > last:
                yield waiting.pop(0)
        before = waiting
        print(f"  {time.process_time() - began:.1f} s of processor time", flush=True)


def captioned(scene: Scene, shot: Shot, first: int, last: int) -> Iterator[np.ndarray]:
    """Yield the pictures of a scene with its caption, except the `first` and the `last` pictures, which have none."""
    module = importlib.import_module(scene.program)
    caption = Caption(f"examples/{scene.program}.py", scene.caption, shot.width, shot.height)
    part = replace(shot, begin=scene.begin, seconds=scene.seconds)
    for k, picture in enumerate(with_progress(module.pictures(part), part.count)):
        inside = min(k + 1 - first, part.count - k - last)
        yield caption.draw(picture, min(max(inside / (RISE * shot.fps), 0.0), 1.0))


def mixed(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """Return a mixture of two pictures; `share` is the weight of the second one, from 0 to 1."""
    return np.round(first + share * (second.astype(np.float32) - first)).astype(np.uint8)


def shrunk(write: Write, width: int, height: int) -> Write:
    """Return a function that writes every second picture, resized to `width` x `height` pixels."""
    count = 0

    def append(picture: np.ndarray) -> None:
        nonlocal count
        if count % EVERY == 0:
            write(np.asarray(Image.fromarray(picture).resize((width, height), Image.Resampling.LANCZOS)))
        count += 1

    return append


def save(scenes: tuple[Scene, ...], shot: Shot, targets: list[Path]) -> int:
    """Write the film to files; return the number of pictures."""
    count = 0
    with ExitStack() as stack:
        writers = []
        for path in targets:
            width, height, fps = shot.width, shot.height, shot.fps
            small = path.suffix in ANIMATIONS
            if small:
                height, width, fps = round(height * SMALL / width), SMALL, fps / EVERY
            write = stack.enter_context(film_file(path, width, height, fps))
            writers.append(shrunk(write, width, height) if small else write)
        for picture in film(scenes, shot):
            count += 1
            for write in writers:
                write(picture)
        print("writing", *targets, flush=True)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", type=Path, help="files to write: .mp4, .webp, .gif, ...")
    parser.add_argument("--short", action="store_true", help="the cut of ten seconds")
    parser.add_argument("--height", type=int, help="of the video in pixels; its width is 16/9 of that")
    parser.add_argument("--fps", type=float)
    parser.add_argument("--rays", action="store_true", help="draw by rays even if there is OpenGL")
    given = parser.parse_args()
    quick = has_opengl() and not given.rays
    print("drawing with OpenGL" if quick else "drawing by rays: smaller pictures, and fewer of them")
    height, fps = (720, 20.0) if quick else (450, 15.0)
    height, fps = given.height or height, given.fps or fps
    shot = Shot(height * 16 // 9, height, fps, rays=given.rays)
    count = save(SHORT if given.short else LONG, shot, given.targets)
    times = os.times()
    used = times.user + times.system + times.children_user + times.children_system
    print(f"{count / shot.fps:.1f} s of film, {count} pictures of {shot.width} x {shot.height}, "
          f"in {used:.0f} s of processor time")  # fmt: skip
    for path in given.targets:
        print(f"  {path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
