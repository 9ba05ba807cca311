"""The pages of the viewer. It serves this machine only, answers GET only, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

from flask import Flask, Response, abort, render_template, request
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from recallreach.errors import DataError
from recallreach.study.decompose.attribution import FAILURES
from recallreach.study.report import percent
from recallreach.study.store import Unit
from recallreach.study.tree import design, many
from recallreach.study.viewer import overview
from recallreach.study.viewer.query import Leaf, Query
from recallreach.study.viewer.run import Run, pretty
from recallreach.study.viewer.shown import channels, session_steps, shown

PROBES_A_PAGE = 50
RECORDS_A_PAGE = 60
FOREVER = "private, max-age=31536000, immutable"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data:; style-src 'self'; "
    "script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
REPORT_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"
LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]"})


def create_viewer(folder: Path) -> Flask:
    """The viewer of one run folder, a WSGI application.

    Args:
        folder: the run folder; nothing in it is changed, and the run may go on meanwhile.

    Raises:
        DataError: not a run folder, damaged, or without results.
    """
    run = Run(folder)
    app = Flask(__name__)
    app.config.update(MAX_CONTENT_LENGTH=0)
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    app.jinja_env.filters.update(
        design=design, many=many, percent=percent, picture=picture_address, pretty=pretty
    )
    app.jinja_env.globals.update(run=run, failures=FAILURES)
    pages = Pages(run)
    for rule, view in pages.rules().items():
        app.add_url_rule(rule, view.__name__, view)
    app.before_request(_refuse_strangers)
    app.after_request(_guard)
    app.register_error_handler(HTTPException, _problem)
    app.register_error_handler(DataError, _damage)
    return app


def picture_address(digest: str) -> str:
    """Address of a picture by its SHA-256."""
    return f"/pictures/{quote(digest, safe='')}"


class Pages:
    """All view functions over one run."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def rules(self) -> dict[str, Callable[..., str | BaseResponse]]:
        """Every address of the viewer."""
        return {
            "/": self.home,
            "/probes": self.probes,
            "/probes/<key>": self.probe,
            "/probes/<key>/trace.json": self.trace,
            "/compare/<probe>": self.compare,
            "/chains": self.chains,
            "/chains/<int:chain>/sessions/<int:session>": self.session,
            "/chains/<int:chain>/bank": self.bank,
            "/pictures/<digest>": self.picture,
            "/manifest": self.manifest,
            "/report": self.report,
        }

    def home(self) -> str:
        """Systems by reach, chains, what ran."""
        table = overview.table(self.run.tallies(), list(self.run.reader.systems()))
        return render_template("home.html", table=table, stages=self._stages(), here="home")

    def probes(self) -> str:
        """A page of the probes that pass the filter."""
        query = Query.of(request.args)
        leaf = Leaf.of(request.args.get("page", "1"), self.run.count(query.filter), PROBES_A_PAGE)
        units = self.run.reader.units(query.filter, limit=leaf.size, offset=leaf.offset)
        return render_template(
            "probes.html",
            query=query,
            leaf=leaf,
            units=units,
            facets=self.run.facets(),
            stages=self._stages(),
            here="probes",
        )

    def probe(self, key: str) -> str:
        """One probe, and its neighbours under the filter."""
        unit, query = self._unit(key), Query.of(request.args)
        place = self.run.place(unit, query.filter)
        others = [other for other in self.run.reader.same_probe(unit.probe) if other.key != key]
        told = shown(self.run, unit)
        return render_template(
            "probe.html",
            told=told,
            channels=channels(told.hits),
            place=place,
            leaf=None if place.number is None else place.number // PROBES_A_PAGE + 1,
            others=others,
            query=query,
            here="probes",
        )

    def trace(self, key: str) -> Response:
        """The raw trace."""
        self._unit(key)
        return Response(pretty(self.run.reader.trace(key)), mimetype="application/json")

    def compare(self, probe: str) -> str:
        """Two systems on one probe."""
        units = {unit.system: unit for unit in self.run.reader.same_probe(probe)}
        if not units:
            abort(404, "No system was asked that probe (yet).")
        labels = [label for label in self.run.reader.systems() if label in units]
        left = _known(request.args.get("left"), labels, labels[0])
        right = _known(request.args.get("right"), labels, next((x for x in labels if x != left), left))
        sides = [shown(self.run, units[label]) for label in (left, right)]
        return render_template("compare.html", sides=sides, labels=labels, probe=probe, here="probes")

    def chains(self) -> str:
        """All recorded sessions."""
        chains = self.run.chains()
        return render_template("chains.html", chains=chains, here="chains")

    def session(self, chain: int, session: int) -> str:
        """One browsing session, step by step."""
        trajectory = self.run.trajectory(chain, session)
        if trajectory is None:
            abort(404, "That session was not recorded (yet).")
        steps = list(session_steps(trajectory))
        sessions = self.run.sessions(chain)
        return render_template(
            "session.html", chain=chain, trajectory=trajectory, steps=steps, sessions=sessions, here="chains"
        )

    def bank(self, chain: int) -> str:
        """What a memory held after a session."""
        banks = self.run.banks(chain)
        if not banks:
            abort(404, "No bank of that chain was kept (yet): memories that show none leave none.")
        memories = list(banks)
        memory = _known(request.args.get("memory"), memories, memories[-1])
        sessions = banks[memory]
        session = int(_known(request.args.get("session"), list(map(str, sessions)), str(sessions[-1])))
        bank = self.run.bank(memory, chain, session)
        leaf = Leaf.of(request.args.get("page", "1"), len(bank), RECORDS_A_PAGE)
        return render_template(
            "bank.html",
            chain=chain,
            session=session,
            sessions=sessions,
            memory=memory,
            memories=memories,
            records=bank[leaf.offset : leaf.offset + leaf.size],
            leaf=leaf,
            here="chains",
        )

    def picture(self, digest: str) -> Response:
        """The bytes of one picture, as they were seen or delivered."""
        data = self.run.pictures.get(digest)
        if data is None:
            abort(404, "The run holds no picture of that name.")
        return Response(data, mimetype=media_type(data), headers={"Cache-Control": FOREVER})

    def manifest(self) -> str:
        """What ran, exactly."""
        return render_template("manifest.html", manifest=self.run.manifest, here="manifest")

    def report(self) -> Response:
        """The report as it was last written."""
        if self.run.report is None:
            abort(404, f"There is no report yet: recallreach report {self.run.folder}")
        headers = {"Content-Security-Policy": REPORT_POLICY}
        return Response(self.run.report.read_bytes(), mimetype="text/html", headers=headers)

    def _stages(self) -> dict[str, int]:
        """Stages at which answers were lost, in their order, with their counts."""
        found = self.run.facets().stages
        order = [*FAILURES, *sorted(set(found) - {"", *FAILURES})]
        return {stage: found[stage] for stage in order if stage in found}

    def _unit(self, key: str) -> Unit:
        try:
            return self.run.reader.unit(key)
        except DataError as error:
            if "holds no unit" not in str(error):
                raise
            abort(404, "The run holds no probe of that key.")


def media_type(data: bytes) -> str:
    """Media type of encoded picture bytes; what is no picture is bytes and nothing else."""
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"\x89PNG\r\n"):
        return "image/png"
    webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return "image/webp" if webp else "application/octet-stream"


def _known(wanted: str | None, known: list[str], otherwise: str) -> str:
    return wanted if wanted in known else otherwise


def _refuse_strangers() -> None:
    """Only this machine's own names: a foreign page must not read a run through its own host name."""
    host = urlsplit(f"//{request.host}").netloc.rpartition(":")[0] or request.host
    if host not in LOCAL:
        abort(403, "The viewer answers under 127.0.0.1 and localhost only.")


def _guard(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _problem(error: HTTPException) -> tuple[str, int]:
    code = error.code or 500
    return render_template("problem.html", heading=error.name, words=error.description, here=""), code


def _damage(error: DataError) -> tuple[str, int]:
    return render_template("problem.html", heading="This cannot be shown", words=str(error), here=""), 500
