import re
import time
from pathlib import Path

import pytest

from wiki.parsing.html_page import page_content, page_pieces
from wiki.parsing.parser import parse_file


def words(html: str) -> str:
    return " ".join("".join(page_content(html)[0].words()).split())


def markdown(html: str) -> str:
    return "".join(piece.text for piece in page_pieces(html)[0])


def test_machinery_and_navigation_are_out_and_content_stays() -> None:
    page, title = page_content(
        "<html><head><title> My  page </title><style>x{}</style></head><body><nav>menu</nav><script>leak()</script>"
        "<!-- comment --><p hidden>h1</p><p style='display: none'>h2</p><p>Kept <a href='x'>link</a></p></body></html>"
    )
    assert title == "My page"
    assert "".join(page.words()) == "Kept link"


@pytest.mark.parametrize(
    "gone",
    [
        *("<noscript>gone</noscript>", "<template><p>gone</p></template>", "<select><option>gone</option></select>"),
        *(
            "<!--[if IE]>gone<![endif]-->",
            "<div role='navigation'>gone</div>",
            "<p style='VISIBILITY : hidden'>gone</p>",
        ),
        *("<span class='x noprint'>gone</span>", "<iframe>gone</iframe>", "<datalist><option>gone</datalist>"),
        *("<button>gone</button>", "<dialog>gone</dialog>", "<script>gone</script>", "<object><p>gone</p></object>"),
        "<input type=checkbox role=button id=m><label for=m>gone</label>",
        "<svg><style>gone</style><defs><text>gone</text></defs></svg>",
    ],
)
def test_what_no_reader_is_shown_is_out(gone: str) -> None:
    assert words(f"<p>before</p>{gone}<p>after</p>") == "beforeafter"


def test_shown_branches_of_conditional_comments_and_entities_are_read() -> None:
    assert (
        words("<p>a<![if !IE]>b<![endif]> &amp;lt; &eacute;&#8364;&#x41; &nosuch; R&D</p>")
        == "ab &lt; é€A &nosuch; R&D"
    )


def test_a_page_of_xml_may_close_any_element_at_once() -> None:
    page = (
        "<?xml version='1.0'?><html xmlns='x'><head><script src='s'/><title/></head><body><a id='n'/>Kept</body></html>"
    )
    assert words(page) == "Kept" and page_content(page)[1] is None


def test_the_words_on_a_heading_that_opens_a_section_are_kept() -> None:
    assert markdown("<h2><button>Why?</button></h2><p>Because.</p>") == "## Why?\n\nBecause.\n\n"


def test_the_list_of_the_same_page_in_other_languages_is_out() -> None:
    links = "".join(
        f"<li><a hreflang='{code}' href='https://{code}.example'>{code}</a></li>" for code in ("de", "fr", "ja")
    )
    assert words(f"<p>Text</p><ul>{links}</ul><ul><li><a href='x'>kept</a></li></ul>") == "Textkept"
    assert "more" in words(f"<ul>{links}<li>more</li></ul>")


def test_the_main_element_is_taken_when_it_holds_most_of_the_words() -> None:
    assert "side" not in words("<div>side</div><main><h1>Title</h1>" + "<p>words and words</p>" * 9 + "</main>")
    found = words("<h1>Title</h1>" + "<p>words and words</p>" * 9 + "<main>little</main>")
    assert "words" in found and "little" in found
    assert "lead" in words("<h1>lead</h1><article>" + "<p>words and words</p>" * 9 + "</article>")


DEEP = (
    *("<ul><li>", "<ul>", "<blockquote>", "<table><tr><td>", "<div>", "<b>", "<dl><dd>", "<thead>", "<custom-box>"),
    *("<form><table><tr>", "<h2><ol><li>", "<svg><text>"),
)


@pytest.mark.parametrize("tags", DEEP)
def test_ten_thousand_elements_in_each_other_lose_no_word(tags: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.html"
    path.write_text("<p>first</p>" + "".join(f"{tags}w{n} " for n in range(10_000)) + "innermost", encoding="utf-8")
    began = time.process_time()
    found = set(re.findall(r"\w+", parse_file(path, path.name).markdown))
    assert time.process_time() - began < 6, "less than 2 on a quiet machine"
    assert not {"first", "innermost", *(f"w{n}" for n in range(10_000))} - found


def test_forty_levels_keep_their_form_and_deeper_ones_become_lines() -> None:
    found = markdown("".join(f"<ul><li>w{n}" for n in range(60)))
    assert "\n" + " " * 2 * 39 + "- w39" in found
    assert "- w40" not in found and "w59" in found
    assert "\n" in found[found.index("w40") : found.index("w41")]
