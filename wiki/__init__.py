"""Knowledge Wiki: files become trees of Markdown topics, indexed and searchable.

Data flows one way: file -> blocks -> tree -> Markdown -> passages -> rows -> hit.
"""

__version__ = "0.1.0"
