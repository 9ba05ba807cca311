"""The pages of a game: the real shop with a bar above it, and the pages between two episodes."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, Response, abort, redirect, render_template, request
from flask.testing import FlaskClient
from jinja2 import StrictUndefined
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from recallreach.agents.human import Desk, Scene
from recallreach.env.actions import product_id_of
from recallreach.env.types import Action, AddToWishlist, Back, Done, Open
from recallreach.memory.types import ImagePart
from recallreach.study.play.moves import address_of, move_to, reply_of
from recallreach.study.play.watching import Score, Watching, score_of

LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})
PATIENCE = 20.0
"""Seconds that a click waits for its page before a page that reloads itself is shown instead."""
FORM_BYTES = 64 * 1024
NOTE_LIMIT = 2000
_BODY = re.compile(r"<body[^>]*>")
_HEAD = "</head>"
_STYLE = '<link rel="stylesheet" href="/play/static/play.css"></head>'
_BUTTONS: dict[str, Action] = {"add_to_wishlist": AddToWishlist(), "done": Done(), "back": Back()}


@dataclass(slots=True)
class _Seat:
    """What the browser has been shown of the present episode."""

    episode: int = 0
    started: bool = False
    trail: list[str] = field(default_factory=list)
    note: str = ""
    notice: str = ""
    visit: FlaskClient | None = None
    html: dict[tuple[str, int], str] = field(default_factory=dict)
    score: Score = field(default_factory=Score)
    verdict: bool | None = None


def create_game(shop: Flask, desk: Desk, watching: Watching, folder: Path) -> tuple[Flask, Game]:
    """The web side of a game for one person: a WSGI application, and the game that it shows.

    Args:
        shop: the shop over the same catalogue and pictures as the run's own.
        desk: where the run asks for decisions.
        watching: the run's reporter.
        folder: the run folder, for the score.
    """
    app = Flask(__name__, static_url_path="/play/static")
    app.config.update(MAX_CONTENT_LENGTH=FORM_BYTES)
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    game = Game(shop, desk, watching, folder)
    for rule, view in game.views().items():
        app.add_url_rule(rule, view.__name__, view)
    for rule, form in game.forms().items():
        app.add_url_rule(rule, form.__name__, form, methods=["POST"])
    app.before_request(_refuse_strangers)
    app.after_request(_guard)
    return app, game


class Game:
    """All view functions of one game; requests are taken one after the other."""

    def __init__(self, shop: Flask, desk: Desk, watching: Watching, folder: Path) -> None:
        self._shop, self._desk, self._watching, self._folder = shop, desk, watching, folder
        self._files = shop.test_client()
        self._lock = threading.RLock()
        self._seat = _Seat()
        self.said_goodbye = threading.Event()

    def views(self) -> dict[str, Callable[..., str | BaseResponse]]:
        """Pages."""
        return {
            "/play": self.between,
            "/play/delivered/<int:number>": self.delivered,
            "/static/<path:name>": self.file,
            "/media/<path:name>": self.file,
            "/covers/<path:name>": self.file,
            "/": self.page,
            "/<path:name>": self.page,
        }

    def forms(self) -> dict[str, Callable[..., BaseResponse]]:
        """Forms."""
        return {
            "/play/start": self.start,
            "/play/act": self.act,
            "/play/note": self.note,
            "/wishlist/add": self.wish,
            "/<path:name>": self.refuse,
        }

    # Pages.

    def between(self) -> str | BaseResponse:
        """What is to be done next, and how the last answer was graded."""
        with self._lock:
            scene = self._look()
            if scene.over:
                self.said_goodbye.set()
                return render_template("over.html", score=score_of(self._folder), folder=self._folder)
            if not scene.waiting:
                return render_template("wait.html", standing=self._watching.standing)
            seat = self._seat
            return render_template(
                "next.html", scene=scene, seat=seat, standing=self._watching.standing, score=seat.score
            )

    def page(self, name: str = "") -> BaseResponse:
        """A page of the shop: the action that leads there is carried out, then the page is shown."""
        with self._lock:
            scene = self._look()
            if not scene.waiting or not self._seat.started or scene.observation is None:
                return redirect("/play", 303)
            address = address_of(request.path, request.query_string)
            action = move_to(address, scene.observation, self._seat.trail)
            return self._shown(scene) if action is None else self._carry_out(action, scene)

    def delivered(self, number: int) -> Response:
        """One delivered picture."""
        delivered = self._desk.scene.delivered
        parts = delivered.parts if delivered else ()
        part = parts[number] if number < len(parts) else None
        if not isinstance(part, ImagePart):
            abort(404)
        return Response(part.data, mimetype=part.media_type)

    def file(self, name: str) -> Response:
        """A picture or style sheet of the shop; looking at it is no action."""
        found = self._files.get(request.full_path)
        return Response(found.data, found.status_code, mimetype=found.mimetype)

    # Forms.

    def start(self) -> BaseResponse:
        """Begin the episode that was announced."""
        with self._lock:
            scene = self._look()
            self._seat.started = True
            return redirect(scene.observation.url if scene.observation else "/play", 303)

    def act(self) -> BaseResponse:
        """An action that has a button."""
        with self._lock:
            scene = self._look()
            action = _button(request.form.get("action", ""), scene)
            if action is None or not scene.waiting or not self._seat.started:
                return redirect("/play", 303)
            return self._carry_out(action, scene)

    def note(self) -> BaseResponse:
        """What the person thinks; it goes with the next action."""
        with self._lock:
            scene = self._look()
            self._seat.note = request.form.get("note", "")[:NOTE_LIMIT]
            self._seat.notice = "Your thought will be kept with your next step." if self._seat.note else ""
            return redirect(scene.observation.url if scene.observation else "/play", 303)

    def wish(self) -> BaseResponse:
        """The shop's own wishlist button: the final action."""
        with self._lock:
            scene = self._look()
            if not scene.waiting or not self._seat.started or scene.observation is None:
                return redirect("/play", 303)
            if request.form.get("product") != product_id_of(scene.observation.url):
                return redirect(scene.observation.url, 303)
            return self._carry_out(AddToWishlist(), scene)

    def refuse(self, name: str) -> BaseResponse:
        """Forms of the shop that no agent has an action for."""
        with self._lock:
            scene = self._look()
            self._seat.notice = "Agents cannot do that here, so you cannot either. It cost no step."
            return redirect(scene.observation.url if scene.observation else "/play", 303)

    # What happens.

    def _look(self) -> Scene:
        """The scene on the desk; a new episode clears the seat."""
        scene = self._desk.scene
        if scene.episode != self._seat.episode:
            score = score_of(self._folder)
            graded = score.asked > self._seat.score.asked
            verdict = score.right > self._seat.score.right if graded and self._seat.episode else None
            self._seat = _Seat(scene.episode, score=score, verdict=verdict)
        if scene.observation is not None and self._seat.trail[-1:] != [scene.observation.url]:
            self._seat.trail.append(scene.observation.url)
        return scene

    def _carry_out(self, action: Action, scene: Scene) -> BaseResponse:
        thought, self._seat.note, self._seat.notice = self._seat.note, "", ""
        after = self._desk.reply(reply_of(action, thought), scene, PATIENCE)
        if after.episode != scene.episode or not after.waiting or after.observation is None:
            return redirect("/play", 303)
        self._look()
        return redirect(after.observation.url, 303)

    def _shown(self, scene: Scene) -> BaseResponse:
        """The page of the shop as the run's own visit has it, with the bar; a reload is no second visit."""
        assert scene.observation is not None
        seat, here = self._seat, (scene.observation.url, scene.turn)
        seat.visit = seat.visit or self._shop.test_client()
        if here not in seat.html:
            seat.html[here] = seat.visit.get(scene.observation.url).text
        bar = render_template(
            "bar.html",
            scene=scene,
            seat=seat,
            standing=self._watching.standing,
            parts=_parts(scene),
            tags=_tags(scene),
        )
        html = _BODY.sub(lambda found: Markup(found[0]) + Markup(bar), seat.html[here], count=1)
        return Response(html.replace(_HEAD, _STYLE, 1), mimetype="text/html")


def _button(name: str, scene: Scene) -> Action | None:
    """The action of a button; "open:M2" opens a delivered item, as an agent's `open(M2)` does."""
    if name.startswith("open:") and scene.delivered and scene.delivered.by_tag(name[5:]):
        return Open(name[5:])
    return _BUTTONS.get(name)


def _tags(scene: Scene) -> list[str]:
    """Tags that delivered items can be opened by."""
    return [item.tag for item in scene.delivered.items if item.tag] if scene.delivered else []


def _parts(scene: Scene) -> list[tuple[int, str]]:
    """Number and text of each delivered part; a picture has no text."""
    parts = scene.delivered.parts if scene.delivered else ()
    return [(n, "" if isinstance(part, ImagePart) else part.text) for n, part in enumerate(parts)]


def _refuse_strangers() -> None:
    """Only this machine's own names, and no form from a foreign page."""
    host = urlsplit(f"//{request.host}").netloc.rpartition(":")[0] or request.host
    origin = request.headers.get("Origin")
    if host not in LOCAL or (origin and urlsplit(origin).netloc != request.host):
        abort(403)


def _guard(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; img-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers.setdefault("Cache-Control", "no-store")
    return response
