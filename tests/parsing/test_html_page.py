from wiki.parsing.html_page import clean_page


def test_machinery_and_navigation_are_out_and_content_stays() -> None:
    page, title = clean_page(
        "<html><head><title> My  page </title><style>x{}</style></head><body><nav>menu</nav><script>leak()</script>"
        "<!-- comment --><p hidden>h1</p><p style='display: none'>h2</p><p>Kept <a href='x'>link</a></p></body></html>"
    )
    assert title == "My page"
    assert "Kept" in page and "link" in page
    assert not any(word in page for word in ("menu", "leak", "comment", "h1", "h2", "x{}"))


def test_the_main_element_is_taken_when_it_holds_most_of_the_words() -> None:
    page, _ = clean_page("<div>side</div><main><h1>Title</h1>" + "<p>words and words</p>" * 9 + "</main>")
    assert "side" not in page
    page, _ = clean_page("<h1>Title</h1>" + "<p>words and words</p>" * 9 + "<main>little</main>")
    assert "words" in page and "little" in page


def test_deep_nesting_is_flattened_without_losing_words() -> None:
    page, _ = clean_page("<div>" * 3_000 + "deep words" + "</div>" * 3_000 + "<p>after</p>")
    assert "deep words" in page and "after" in page
    assert page.count("<div") < 100
