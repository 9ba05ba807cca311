# ruff: noqa: E501 (one leak a line)
"""Leaks planted one at a time: the audit finds each and names its channel, and does not find what it cannot."""

from __future__ import annotations

import base64
import codecs
import dataclasses
import hashlib
import hmac
import importlib.util
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from recallreach.seeding import stream
from recallreach.storefront.catalog import Catalog
from recallreach.storefront.data import COLORS
from recallreach.storefront.types import Cue


def _shop():
    name = "recallreach_tests_audit_shop"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("audit_shop.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


shop = _shop()
Plant, color_index, encoded, redrawn = shop.Plant, shop.color_index, shop.encoded, shop.redrawn

SYNONYMS = {"red": "crimson", "orange": "tangerine", "yellow": "saffron", "green": "emerald", "blue": "azure",
            "purple": "violet", "brown": "chestnut", "beige": "ecru", "white": "alabaster", "black": "ebony"}  # fmt: skip


def into(tag: str):
    """Put markup made of the cue before the end of <main>."""
    return lambda page, cue, product: page.replace("</main>", f"{tag.format(**forms(cue))}</main>")


def into_head(tag: str):
    return lambda page, cue, product: page.replace("</head>", f"{tag.format(**forms(cue))}</head>")


def forms(cue: Cue) -> dict[str, object]:
    return {
        "phrase": cue.phrase,
        "color": cue.color,
        "object": cue.object,
        "plural": cue.object + "s",
        "synonym": SYNONYMS[cue.color],
        "hyphens": cue.phrase.replace(" ", "-"),
        "percent": quote(cue.phrase),
        "base64": base64.b64encode(cue.phrase.encode()).decode(),
        "hex": cue.phrase.encode().hex(),
        "entities": "".join(f"&amp;#{ord(sign)};" for sign in cue.phrase),
        "sha1": hashlib.sha1(cue.phrase.encode()).hexdigest()[:12],
        "md5": hashlib.md5(f"{cue.object}::{cue.color}".encode()).hexdigest()[:8],
        "rot13": codecs.encode(cue.object, "rot13"),
        "backwards": cue.phrase[::-1],
        "number": color_index(cue),
        "camel": cue.phrase.title().replace(" ", ""),
        "squashed": cue.phrase.replace(" ", ""),
        "wide": "".join(chr(ord(sign) + 0xFEE0) if sign != " " else " " for sign in cue.phrase),
        "dots": "\u200b" * (color_index(cue) + 1),
        "spaces": "&#8203;" * (color_index(cue) + 1),
        "boxes": "<i></i>" * color_index(cue),
    }


def in_color_order(catalog: Catalog) -> Catalog:
    ranked = sorted(range(len(catalog)), key=lambda at: color_index(catalog.cues[at]))
    taken: dict[str, int] = {}
    orders = {}
    for at in ranked:
        slug = catalog.products[at].collection
        orders[at] = taken[slug] = taken.get(slug, -1) + 1
    products = tuple(dataclasses.replace(p, order=orders[at]) for at, p in enumerate(catalog.products))
    return dataclasses.replace(catalog, products=products)


def object_by_collection(catalog: Catalog) -> Catalog:
    """Each collection has one object in all ten colours, as in the released DMV-Bench catalogue."""
    ordered = sorted(catalog.cues, key=lambda cue: cue.object)
    mixed: list[Cue] = []
    for start in range(0, len(ordered), 10):
        mixed += [ordered[start + int(at)] for at in stream(3, start).permutation(10)]
    return dataclasses.replace(catalog, cues=tuple(mixed))


def cheap_by_color(product, cue, at):
    return dataclasses.replace(product, price_cents=10_000 + 700 * color_index(cue) + 13 * (at % 7))


def exif(cue: Cue) -> bytes:
    found = Image.Exif()
    found[0x010E] = cue.phrase
    return encoded(exif=found)


def png_text(cue: Cue) -> bytes:
    info = PngInfo()
    info.add_text("Comment", f"a {cue.object}", zip=True)
    return encoded(kind="PNG", pnginfo=info)


def search_hit(response, catalog):
    from flask import request

    asked = request.args.get("q", "") if request.path == "/search" else ""
    for product in catalog:
        if asked and asked == catalog.cue_of(product.id).phrase:
            page = response.get_data(as_text=True)
            response.set_data(page.replace("</main>", f'<a href="/product/{product.id}">this one</a></main>'))


def talking_error(response, catalog):
    from flask import request

    parts = request.path.strip("/").split("/")
    if len(parts) == 3 and parts[0] == "product":
        word = catalog.cue_of(parts[1]).object
        response.set_data(
            response.get_data(as_text=True).replace("</main>", f"<p>No {word} here.</p></main>")
        )


def told_by_file(path: str, text: str):
    def answer(response, catalog):
        from flask import request

        if request.path == path:
            response.set_data(f"{response.get_data(as_text=True)}\n{text}\n")

    return answer


def sitemap_in_color_order(response, catalog):
    from flask import request

    if request.path == "/sitemap.xml":
        ranked = sorted(catalog, key=lambda p: color_index(catalog.cue_of(p.id)))
        locs = "".join(f"<url><loc>http://localhost/product/{p.id}</loc></url>" for p in ranked)
        response.set_data(f"<urlset>{locs}</urlset>")


def tell_cards(page: str, catalog: Catalog) -> str:
    for product in catalog:
        link = f'<a href="/product/{product.id}"><img'
        if link in page:
            page = page.replace(
                link,
                f'<a href="/product/{product.id}"><img data-k="{color_index(catalog.cue_of(product.id))}"',
            )
    return page


PLANTS = {
    "an alt text synonym": Plant("attribute alt", "L1", into('<img src="/static/icon.svg" alt="a {synonym} one">')),
    "a data attribute with a hash of the cue": Plant("attribute data-key", "L1", into('<p data-key="{sha1}"></p>')),
    "a short hash in a class": Plant("attribute class", "L1", into('<p class="x-{md5}"></p>')),
    "a class by number": Plant("attribute class", "L2", into('<p class="k{number}"></p>')),
    "a comment": Plant("comment", "L1", into("<!-- {hyphens} -->")),
    "JSON-LD": Plant("JSON-LD", "L1", into('<script type="application/ld+json">{{"colour": "{color}"}}</script>')),
    "an inline script": Plant("inline script", "L1", into("<script>var k = '{camel}'</script>")),
    "an inline style": Plant("inline styles", "L2", into_head("<style>p {{ order: {number} }}</style>")),
    "a meta description": Plant("meta description", "L1", into_head('<meta name="description" content="{plural}">')),
    "a meta property": Plant("meta og:tag", "L2", into_head('<meta property="og:tag" content="t{number}">')),
    "a tooltip": Plant("attribute title", "L1", into('<p title="With {plural}"></p>')),
    "an aria label": Plant("attribute aria-label", "L1", into('<p aria-label="{phrase}"></p>')),
    "an element id in rot13": Plant("attribute id", "L1", into('<p id="{rot13}"></p>')),
    "hidden text": Plant("visible text", "L1", into("<p hidden>{squashed}</p>")),
    "full-width letters": Plant("visible text", "L1", into("<p>{wide}</p>")),
    "text backwards": Plant("visible text", "L1", into("<p>{backwards}</p>")),
    "entities of entities": Plant("attribute data-e", "L1", into('<p data-e="{entities}"></p>')),
    "percent-encoding in a query": Plant("address query", "L1", into('<a href="/about?from={percent}">About</a>')),
    "a fragment": Plant("address fragment", "L1", into('<a href="/about#{hyphens}">About</a>')),
    "base64": Plant("attribute data-b", "L1", into('<p data-b="{base64}"></p>')),
    "hexadecimal": Plant("attribute data-h", "L1", into('<p data-h="{hex}"></p>')),
    "a srcset": Plant("attribute srcset", "L1", into('<img srcset="/static/{hyphens}.png 2x" alt="">')),
    "signs of no width": Plant("invisible signs", "L2", into("<p>Thank you.{dots}</p>")),
    "empty elements": Plant("markup", "L2", into("{boxes}")),
    "the length of a comment": Plant("comment", "L2", into("<!-- {boxes} -->")),
    "an ETag": Plant("header etag", "L1", headers=lambda cue: {"ETag": f'"{forms(cue)["sha1"]}"'}),
    "a header by number": Plant("header x-shelf", "L2", headers=lambda cue: {"X-Shelf": f"s{color_index(cue)}"}),
    "a cookie": Plant("header set-cookie", "L1", headers=lambda cue: {"Set-Cookie": f"hint={cue.slug}"}),
    "a picture's ETag": Plant("picture header etag", "L2", media=lambda cue: {"ETag": f'"v{color_index(cue)}"'}),
    "a picture's date": Plant("picture header last-modified", "L2", media=lambda cue: {"Last-Modified": f"Mon, 0{color_index(cue) % 9 + 1} Jan 2024 00:0{color_index(cue)}:00 GMT"}),
    "a disposition": Plant("picture header content-disposition", "L1", media=lambda cue: {"Content-Disposition": f"inline; filename={cue.slug}.jpg"}),
    "a picture's byte length": Plant("picture byte length", "L2", pictures=lambda cue: encoded() + b"\0" * color_index(cue)),
    "a picture's dimensions": Plant("picture dimensions", "L2", pictures=lambda cue: encoded((8 + color_index(cue), 8))),
    "EXIF": Plant("picture metadata JPEG APP1", "L1", pictures=exif),
    "PNG text": Plant("picture metadata PNG zTXt", "L1", pictures=png_text),
    "a JPEG comment": Plant("picture metadata JPEG comment", "L1", pictures=lambda cue: encoded(comment=cue.object.encode())),
    "bytes after the picture's end": Plant("picture metadata after the end", "L1", pictures=lambda cue: encoded() + cue.phrase.encode()),
    "the picture's file name": Plant("picture file name", "L2", catalog=redrawn(lambda p, c, at: dataclasses.replace(p, picture=f"{at:03}-{color_index(c)}.jpg"))),
    "the product id": Plant("address path", "L2", catalog=redrawn(lambda p, c, at: dataclasses.replace(p, id=f"{p.id[:7]}{color_index(c):x}"))),
    "price cents": Plant("price", "L2", catalog=redrawn(lambda p, c, at: dataclasses.replace(p, price_cents=p.price_cents // 100 * 100 + 7 * color_index(c)))),
    "price rank": Plant("price", "L2", catalog=redrawn(cheap_by_color)),
    "the title's number": Plant("page title", "L2", catalog=redrawn(lambda p, c, at: dataclasses.replace(p, title=f"{p.title.rpartition(' ')[0]} {color_index(c) + 1}"))),
    "list position": Plant("position on collection pages", "L2", catalog=in_color_order),
    "the collection": Plant("collection it is listed in", "L2", catalog=object_by_collection),
    "a card on listings only": Plant("listing attribute data-k", "L2", card=tell_cards),
    "a search hit": Plant("search results", "L1", answer=search_hit),
    "an error page": Plant("error page", "L1", answer=talking_error),
    "robots.txt": Plant("robots", "L1", answer=told_by_file("/robots.txt", "# mugs and scarves")),
    "the sitemap's order": Plant("position in /sitemap.xml", "L2", answer=sitemap_in_color_order),
    "the style sheet": Plant("file /static/shop.css", "L1", answer=told_by_file("/static/shop.css", ".tennis-ball { color: inherit }")),
}  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return shop.small_catalog()


def test_the_shop_without_a_plant_is_clean(catalog):
    report = shop.audited(*shop.planted_shop(Plant("", ""), catalog))
    assert report.findings == ()
    assert len(report.channels) > 50
    assert {attack.target for attack in report.attacks} == {"product", "colour", "object"}


@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_leak_is_found_and_named(catalog, name):
    plant = PLANTS[name]
    report = shop.audited(*shop.planted_shop(plant, catalog))
    assert not report.clean
    assert plant.channel in {finding.channel for finding in report.of(plant.level)}


def test_at_least_twenty_five_different_channels_are_planted():
    assert len({plant.channel for plant in PLANTS.values()}) >= 25


def keyed(cue: Cue) -> str:
    return hmac.new(b"a secret that nobody tells", cue.phrase.encode(), "sha256").hexdigest()


def split(page: str, cue: Cue, product) -> str:
    """The colour as the sum of two numbers, each of them random."""
    one = int(stream(1, product.id).integers(len(COLORS)))
    two = (color_index(cue) - one) % len(COLORS)
    return page.replace("</main>", f'<p data-one="{one}" data-two="{two}"></p></main>')


def stamped(page: str, cue: Cue, product) -> str:
    return page.replace("</main>", f'<p data-key="{keyed(cue)}"></p></main>')


def foreign(page: str, cue: Cue, product) -> str:
    """The cue of one product, in a language that the lexicon does not hold."""
    return page.replace("</main>", "<p>orecchino di perla</p></main>" if product.order == 0 else "</main>")


UNSEEN = {
    "a keyed hash, different for every product": Plant("", "", stamped),
    "a secret split between two channels": Plant("", "", split),
    "another language, for few products": Plant("", "", foreign),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_the_audit_does_not_find(catalog, name):
    """These leaks are real and stay unseen; docs/leak-audit.md says so."""
    assert shop.audited(*shop.planted_shop(UNSEEN[name], catalog)).clean


def test_a_declared_phrase_is_reported_instead_of_found(catalog):
    plant = Plant(
        "", "", lambda page, cue, product: page.replace("</main>", "<p>See our mug stand.</p></main>")
    )
    app, _ = shop.planted_shop(plant, catalog)
    assert {f.channel for f in shop.audited(app, catalog).of("L1")} == {"visible text"}
    report = shop.audited(app, catalog, declared=("mug stand",))
    assert report.clean
    assert ("mug stand", "declared by the user") in {
        (phrase, reason) for phrase, reason, _ in report.declared
    }
