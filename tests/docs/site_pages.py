"""The built site as a browser reads it: what its pages link to, what they load, and where one can jump to."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, and the attribute that says from where.
LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "link": "href",
}


@dataclass
class SitePage(HTMLParser):
    """A page of the site."""

    file: Path
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)
    pictures: list[dict[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the page."""
        super().__init__()
        self.feed(self.file.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, loads or names."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADS and LOADS[tag] in found:
            self.loads.append(found[LOADS[tag]])
        if tag == "img":
            self.pictures.append(found)


def dead_links(pages: dict[Path, SitePage]) -> list[str]:
    """Say which links and loads of the pages lead nowhere within the site."""
    return [
        f"{page.file.name}: {link}"
        for page in pages.values()
        for link in [*page.links, *page.loads]
        if not urlsplit(link).netloc and not leads_somewhere(pages, page, link)
    ]


def leads_somewhere(pages: dict[Path, SitePage], page: SitePage, link: str) -> bool:
    """Whether the file of a link is there, and the anchor in it."""
    parts = urlsplit(link)
    there = (page.file.parent / unquote(parts.path)).resolve() if parts.path else page.file.resolve()
    there = there / "index.html" if there.is_dir() else there
    if there.suffix != ".html" or not parts.fragment:
        return there.is_file()
    return there in pages and unquote(parts.fragment) in pages[there].anchors | {"__top"}
