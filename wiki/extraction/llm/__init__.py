"""Topic trees proposed by a language model. It chooses where topics start and says what they are about; the text of a
topic is always a range of the document's own blocks, so no word can be lost or made up.

``listing`` numbers the blocks, ``windows`` spreads them over calls, ``questions`` words them, ``dialogue`` asks and
keeps the replies, ``proposal`` reads one, ``rounds`` makes all the calls of a document, ``structure`` makes sections of
the proposals, ``finishing`` the tree, and ``method`` puts it all together.
"""
