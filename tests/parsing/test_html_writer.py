from textwrap import dedent

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from wiki.parsing.html_page import page_content, page_pieces


def written(html: str) -> str:
    return "".join(piece.text for piece in page_pieces(html)[0]).rstrip("\n")


CASES = {
    "ordered lists start where the page says": (
        "<ol start=3><li>a<li value=7>b<li>c</ol><p>x</p><ol start=x><li>d</ol>",
        """\
        3. a
        7. b
        8. c

        x

        1. d""",
    ),
    "lists of both kinds lie in each other": (
        "<ul><li>a<ol><li>b<ul><li>c</ul></ol>tail</li><li>d</ul>",
        """\
        - a
          1. b
             - c

          tail

        - d""",
    ),
    "a list beside the item it belongs to is nested all the same": (
        "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>",
        """\
        - a
          - b
        - c""",
    ),
    "an item holds paragraphs and code": (
        "<ul><li><p>one</p><p>two</p><li>x<pre> k\n  v</pre></ul>",
        """\
        - one

          two

        - x

          ```
           k
            v
          ```""",
    ),
    "words between items are kept": (
        "<ul>first<li>a</li>between<li>b</li></ul>",
        """\
        first

        - a

          between

        - b""",
    ),
    "tables in cells become lines": (
        "<table><tr><th>a<th>b<tr><td>1<br>2<td>in <table><caption>c</caption><tr><td>x<td>y<tr><td>z</table></table>",
        """\
        | a | b |
        | --- | --- |
        | 1<br>2 | in<br>c<br>x, y<br>z |""",
    ),
    "cells that span are said once": (
        "<table><caption>Cap</caption><thead><tr><th rowspan=2>A<th colspan=2>B<tr><th>c<th>d</thead>"
        "<tbody><tr><td>1<td rowspan=0>2<td colspan=x>3</table>",
        """\
        Cap

        | A | B |  |
        | --- | --- | --- |
        |  | c | d |
        | 1 | 2 | 3 |""",
    ),
    "lists and paragraphs in cells become lines": (
        "<table><tr><td><ul><li>a<li>b</ul><td><p>c</p><p>d</p></table>",
        """\
        | - a<br>- b | c<br>d |
        | --- | --- |""",
    ),
    "signs in cells are no markup": (
        "<table><tr><td>a|b<td>c\\|d<td>*e* &lt;b> `f`</table>",
        """\
        | a\\|b | c\\\\\\|d | \\*e\\* \\<b> \\`f\\` |
        | --- | --- | --- |""",
    ),
    "rows within a form and words outside of cells are kept": (
        "<table>lead<form><tr><td>a<td>b</tr></form><div>stray</div><tr>loose<td>c</table>",
        """\
        lead

        stray

        | a | b |
        | --- | --- |
        | loose | c |""",
    ),
    "a table that only lays out the page is none": (
        "<table><tr><td><h2>T</h2><p>a</p><tr><td><p>b</p></table>",
        """\
        ## T

        a

        b""",
    ),
    "preformatted text is untouched": (
        "<p>x</p><pre>\n a\n\n   b <b>c</b> &lt;x&gt; *d*<br>```\n</pre>",
        """\
        x

        ````
         a

           b c <x> *d*
        ```
        ````""",
    ),
    "definitions follow their bold terms": (
        "<dl>lead<dt>T1<dt>T2<dd>D1<dd><p>D2</p><ul><li>x</ul></dd><div><dt>T3<dd>D3</div></dl>",
        """\
        lead

        **T1**

        **T2**

        D1

        D2

        - x

        **T3**

        D3""",
    ),
    "what a page folds away is read": (
        "<details><summary>More <b>words</b></summary><p>inside</p>text</details>",
        """\
        **More words**

        inside

        text""",
    ),
    "a figure gives what stands for its picture, and its caption": (
        '<figure><img src=i alt="A  pump"><figcaption>Fig. 1 <i>left</i></figcaption></figure>',
        """\
        A pump

        Fig. 1 *left*""",
    ),
    "headings keep code and lose emphasis, line ends and closing marks": (
        "<h2>Use <code>a_b()</code> <em>now</em> #</h2><h3>two<br>lines</h3><h1> </h1><h4><img alt=logo></h4>",
        """\
        ## Use `a_b()` now \\#

        ### two lines

        #### logo""",
    ),
    "a heading ends where the next begins": (
        "<h1>one<h2>two</h2>three</h1>four",
        """\
        # one

        ## two

        three
        four""",
    ),
    "a heading with a list in it is none": (
        "<h2>A<ul><li>x</ul></h2>",
        """\
        A

        - x""",
    ),
    "quotes lie in each other": (
        "<blockquote><p>a</p><blockquote>b</blockquote><ul><li>c</ul></blockquote>",
        """\
        > a
        >
        > > b
        >
        > - c""",
    ),
    "a link around blocks is a link in each": (
        "<a href='https://h.example'><div>Card <h3>T</h3></div></a><b><p>x</p></b>",
        """\
        [Card](https://h.example)

        ### [T](https://h.example)

        x""",
    ),
    "words beside blocks are paragraphs": (
        "<div>a<div>b</div>c<span>d<p>e</p>f</span>g</div><p>x<hr>y",
        "a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nx\n\ny",
    ),
}


@pytest.mark.parametrize(("html", "markdown"), CASES.values(), ids=CASES)
def test_blocks(html: str, markdown: str) -> None:
    assert written(html) == dedent(markdown)


LINES = {
    "<a href='../rel' title='t'>rel</a> <a href='#f'>frag</a> <a href='javascript:x()'>js</a>": "rel frag js",
    "<a href=' https://h.example/a_(b) c?d=<e>&amp;f=\\' title='T'>words</a>": (
        "[words](https://h.example/a_%28b%29%20c?d=%3Ce%3E&f=%5C)"
    ),
    "<a href='mailto:ada@h.example'>Ada</a> <a href='https://h.example/'><img alt='pic'></a>": (
        "[Ada](mailto:ada@h.example) [pic](https://h.example/)"
    ),
    "<a href='https://h.example/x'>a [b] <b>c</b></a><a name=n></a>": (
        "[a \\[b\\]](https://h.example/x) [**c**](https://h.example/x)"
    ),
    "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>": "漢(kan)字(ji)",
    "H<sub>2</sub>O, 10<sup>3</sup> <del>old</del> <ins>new</ins> <q>said</q> <kbd>Ctrl</kbd>": (
        "H2O, 103 ~~old~~ new “said” `Ctrl`"
    ),
    "<svg><title>Chart</title><g><text>Jan</text><text>Feb <tspan>2</tspan></text></g><path d='M0'/></svg> after": (
        "Chart Jan Feb 2 after"
    ),
    "<svg aria-hidden='true'><title>icon</title></svg><img alt=''><img src=x>plain": "plain",
    "<math><semantics><mrow><mi>x</mi></mrow><annotation encoding='application/x-tex'>x_1</annotation></semantics></math>": (
        "$x_1$"
    ),
    "E <math><mi>y</mi> <mo>+</mo> <mn>1</mn></math>": "E y + 1",
    "<input type=checkbox checked> done <input type=CheckBox> open <input value=v><wbr>": "☒ done ☐ open",
    "1. no list": "1\\. no list",
    "# none *x* [l](y) `c` &lt;b> &amp;amp;": "\\# none \\*x\\* \\[l\\](y) \\`c\\` \\<b> &amp;amp;",
    "a<b>b</b>c <b> d </b>e <i><b>f</b></i>": "abc **d** e ***f***",
    "  a \n\t b<br> c <br><br>d": "a b\nc\nd",
    "<o:p>word</o:p> <my-box>own</my-box> <textarea>typed <b></textarea>": "word own typed \\<b>",
}


@pytest.mark.parametrize(("html", "markdown"), LINES.items())
def test_lines(html: str, markdown: str) -> None:
    assert written(f"<p>{html}</p>") == markdown


TAGS = "p div span b i ul ol li dl dt dd table tr td th blockquote h2 pre a br hr form section thead caption".split()
MARKUP = st.lists(
    st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), *("w%", " w%", "w% ")]), max_size=40
)


@settings(deadline=None, max_examples=300)
@given(MARKUP)
@example(["<dl>", "<dt>", "w%", "<table>", "w%", "<dt>", "w%", "</table>", "w%"])
@example(["<ul>", "<ul>", "w%", "</ul>", "w%", "<b>", "<li>", "w%"])
@example(["<h2>", "w%", "<h2>", "<pre>", "w%", "</h2>", "w%"])
def test_whatever_the_markup_every_word_of_the_page_is_written_once(parts: list[str]) -> None:
    html = "".join(part.replace("%", f"{number}x ") for number, part in enumerate(parts))
    root, _ = page_content(html)
    expected = sorted("".join(root.words()).split())
    found = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(written(html))
    for mark in ("<br>", "<", ">", "*"):
        found = found.replace(mark, " ")
    words = [word for word in found.replace(",", " ").split() if word.startswith("w")]
    assert sorted(words) == expected == sorted(f"w{n}x" for n, part in enumerate(parts) if "%" in part)
