"""The pages of the shop: each depends on the catalogue and on one visitor's state, and on nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from flask import Flask, Response, g, redirect, render_template, request
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as BaseResponse

from recallreach.storefront.pager import Page, cut
from recallreach.storefront.search import SearchIndex
from recallreach.storefront.stock import ShopCatalog, ShopPictures, Stock
from recallreach.storefront.types import Product
from recallreach.storefront.visits import Visit, Visits

COOKIE = "tarnwell_visit"
FOREVER = "public, max-age=31536000, immutable"
QUERY_LIMIT = 200
SIBLINGS, FAVOURITES, RECENT_ON_HOME = 5, 5, 5


class NoSuchPage(NotFound):
    """A 404 whose description was written for the visitor."""


class UnusableForm(BadRequest):
    """A 400 whose description was written for the visitor."""


class Shop:
    """All view functions over one catalogue; `register` hangs them into an application."""

    def __init__(self, catalog: ShopCatalog, pictures: ShopPictures) -> None:
        self.stock = Stock(catalog)
        self.pictures = pictures
        self.visits = Visits()
        names = {entry.slug: entry.name for entry in self.stock.collections}
        listed = [product for entry in self.stock.collections for product in self.stock.listing[entry.slug]]
        self.index = SearchIndex(listed, names)
        self.favourites = self.stock.favourites(FAVOURITES)

    def register(self, app: Flask) -> None:
        """Add every route of the shop."""
        pages: dict[str, Callable[..., str | BaseResponse]] = {
            "/": self.home,
            "/category/<slug>": self.category,
            "/collection/<slug>": self.collection,
            "/product/<product_id>": self.product,
            "/search": self.search,
            "/cart": self.cart,
            "/wishlist": self.wishlist,
            "/recently-viewed": self.recently_viewed,
            "/about": self.about,
            "/media/<name>": self.media,
            "/covers/<slug>": self.cover,
            "/health": self.health,
            "/robots.txt": self.robots,
            "/sitemap.xml": self.sitemap,
        }
        for rule, view in pages.items():
            app.add_url_rule(rule, view.__name__, view)
        for rule, step in _FORMS.items():
            app.add_url_rule(rule, rule, self._form_view(step), methods=["POST"])

    def home(self) -> str:
        """Hero, categories, a few collections, what was viewed last."""
        recent = self._products(self.visit.recent[:RECENT_ON_HOME])
        return self.render("home.html", favourites=self.favourites, hero=self.favourites[0], recent=recent)

    def category(self, slug: str) -> str:
        """One category and its collections."""
        category = self.stock.category.get(slug)
        if category is None:
            _not_found("We do not have a category of that name.")
        collections = self.stock.collections_of(slug)
        return self.render("category.html", category=category, collections=collections)

    def collection(self, slug: str) -> str:
        """One collection, ten products a page."""
        collection = self.stock.collection.get(slug)
        if collection is None:
            _not_found("We do not have a collection of that name.")
        page = self._page(self.stock.listing[slug])
        category = self.stock.category[collection.category]
        return self.render("collection.html", collection=collection, category=category, page=page)

    def product(self, product_id: str) -> str | BaseResponse:
        """One product; its id is accepted in either case."""
        product = self._product(product_id)
        if product.id != product_id:
            return redirect(f"/product/{product.id}", 308)
        collection = self.stock.collection[product.collection]
        siblings = self.stock.siblings(product, SIBLINGS)
        category = self.stock.category[product.category]
        self.change(lambda visit: visit.view(product.id))
        return self.render(
            "product.html", product=product, category=category, collection=collection, siblings=siblings
        )

    def search(self) -> str:
        """Products whose own text holds every word of the query."""
        query = " ".join(request.args.get("q", "")[:QUERY_LIMIT].split())
        page = self._page(self.index.find(query))
        narrower = [] if page.total else self.index.single_words(query)
        return self.render("search.html", query=query, page=page, narrower=narrower)

    def cart(self) -> str:
        """The cart with its total."""
        lines = [(self.stock.products[known], quantity) for known, quantity in self.visit.cart]
        total = sum(product.price_cents * quantity for product, quantity in lines)
        return self.render("cart.html", lines=lines, total=total)

    def wishlist(self) -> str:
        """The wishlist."""
        return self.render("wishlist.html", products=self._products(self.visit.wishlist))

    def recently_viewed(self) -> str:
        """The products viewed last, newest first."""
        return self.render("recent.html", products=self._products(self.visit.recent))

    def about(self) -> str:
        """Who we are, as far as a shop that sells nothing is anybody."""
        return self.render("about.html", hero=self.favourites[-1])

    def media(self, name: str) -> Response:
        """One product picture by its file name."""
        product = self.stock.by_picture.get(name)
        if product is None:
            _not_found("We do not have a picture of that name.")
        return self._picture(self.pictures.picture(product.id))

    def cover(self, slug: str) -> Response:
        """The cover of a category or a collection."""
        product_id = self.stock.covers.get(slug)
        if product_id is None:
            _not_found("We do not have a picture of that name.")
        return self._picture(self.pictures.base(product_id))

    def health(self) -> Response:
        """For scripts that wait until the shop is up."""
        return Response(
            f'{{"status": "ok", "products": {len(self.stock.products)}}}\n', mimetype="application/json"
        )

    def robots(self) -> Response:
        """Crawlers may read everything but the visitor's own lists."""
        lines = ("User-agent: *", "Disallow: /cart", "Disallow: /wishlist", "Disallow: /recently-viewed")
        text = "\n".join((*lines, f"Sitemap: {request.host_url}sitemap.xml", ""))
        return Response(text, mimetype="text/plain")

    def sitemap(self) -> Response:
        """Every page that is the same for all visitors."""
        paths = ["", "about"]
        paths += [f"category/{slug}" for slug in self.stock.category]
        paths += [f"collection/{slug}" for slug in self.stock.collection]
        paths += [f"product/{product_id}" for product_id in self.stock.products]
        xml = render_template("sitemap.xml", root=request.host_url, paths=paths)
        return Response(xml, mimetype="application/xml")

    @property
    def visit(self) -> Visit:
        """The visitor's state at this moment."""
        return self.visits.read(self._session_id())

    def change(self, step: Callable[[Visit], Visit]) -> Visit:
        """Change the visitor's state; `attach_cookie` tells the client a new session id."""
        g.session_id, changed = self.visits.change(self._session_id(), step)
        return changed

    def attach_cookie(self, response: Response) -> Response:
        """Send the session id where the client does not know it yet."""
        session_id = g.get("session_id")
        if session_id and session_id != request.cookies.get(COOKIE):
            response.set_cookie(COOKIE, session_id, httponly=True, samesite="Lax")
        return response

    def render(self, template: str, **context: object) -> str:
        """A page with the navigation, the visitor's counts and, once, the notice of the last form."""
        visit = self.visit
        if visit.notice:
            self.change(Visit.read_notice)
        return render_template(template, shop=self.stock, visit=visit, **context)

    def _form_view(self, step: Callable[[Visit, str], Visit]) -> Callable[[], BaseResponse]:
        removing = step in (Visit.remove_from_cart, Visit.remove_from_wishlist)
        back = "/cart" if step is Visit.remove_from_cart else "/wishlist"

        def submit() -> BaseResponse:
            product = self._product(_form_product())
            self.change(lambda visit: step(visit, product.id))
            return redirect(back if removing else f"/product/{product.id}", 303)

        return submit

    def _session_id(self) -> str | None:
        return g.get("session_id") or request.cookies.get(COOKIE)

    def _product(self, product_id: str) -> Product:
        product = self.stock.products.get(product_id) or self.stock.products.get(product_id.lower())
        if product is None:
            _not_found("We do not have a product with that number.")
        return product

    def _products(self, ids: Sequence[str]) -> list[Product]:
        return [self.stock.products[product_id] for product_id in ids]

    def _page(self, products: Sequence[Product]) -> Page[Product]:
        page = cut(products, request.args.get("page", "1"))
        if page is None:
            _not_found(
                "This list does not have a page of that number. Its first page is a good place to go on."
            )
        return page

    def _picture(self, data: bytes) -> Response:
        return Response(data, mimetype=self.pictures.media_type, headers={"Cache-Control": FOREVER})


_FORMS: dict[str, Callable[[Visit, str], Visit]] = {
    "/cart/add": Visit.add_to_cart,
    "/cart/remove": Visit.remove_from_cart,
    "/wishlist/add": Visit.add_to_wishlist,
    "/wishlist/remove": Visit.remove_from_wishlist,
}


def _form_product() -> str:
    product_id = request.form.get("product", "")
    if not product_id:
        raise UnusableForm("The form did not say which product it is about.")
    return product_id


def _not_found(reason: str) -> NoReturn:
    raise NoSuchPage(reason)
