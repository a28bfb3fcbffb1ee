"""Random notes made of what notes are made of."""

from hypothesis import strategies as st

WORDS = st.text("abc äß字 ", min_size=1, max_size=20)
INLINE = st.sampled_from(
    ["[[Lamp]]", "![[Lamp#Bulb]]", "[[Lamp|light]]", "[x](Old%20Lamp.md#A)", "![i](<a b.png>)", "#home/attic", "`code`",
     "``a`b", "%%", "%% aside %%", "[room:: attic]", "^id-1", "\\[[no]]", "https://a.example/#x", "<!-- c -->", "**b**",
     "`= this.x`", "[[a#^b]]", "| a | b |", "(k:: v)", "<b>", "\\", "[", "](", "(x)"]
)  # fmt: skip
LINES = st.one_of(
    st.sampled_from(
        [
            "",
            "# Attic",
            "## Box",
            "### Deep",
            "## Box",
            "#### ",
            "Cellar",
            "===",
            "---",
            "```",
            "~~~ python",
            "```dataview",
            "- item",
            "  1. one",
            "> [!note] Mind",
            "> more",
            "    # indented",
            "\t- x",
            "#tag",
            "%%",
            "<div>",
            "</div>",
            "<!--",
            "-->",
            "| a | b |",
            "|---|---|",
            "| 1 | 2 |",
            "key:: value",
            "[ref]: Lamp.md",
            "$$",
            "***",
        ]
    ),
    st.lists(st.one_of(WORDS, INLINE), max_size=6).map(" ".join),
    st.text(max_size=30),
)
LINE_ENDS = st.sampled_from(["\n", "\r\n"])
BODIES = st.builds(lambda lines, end: end.join(lines), st.lists(LINES, max_size=25), LINE_ENDS)
FRONT_MATTER = st.sampled_from(
    ["", "", "---\ntitle: Lamp\ntags: [a, b]\n---\n", '---\nup: "[[Lamp|x]]"\nlist:\n  - \'[[Old Lamp]]\'  # [[no]]\n---\n',
     "---\nbroken: [\n---\n", "---\nopen: 1\n", "---\n---\n", "\ufeff---\r\nalias: L, M\r\n---\r\n"]
)  # fmt: skip
NOTES = st.builds(lambda top, body: top + body, FRONT_MATTER, BODIES)
"""Text of whole notes."""
