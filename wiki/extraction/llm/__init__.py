"""Topic trees proposed by a language model. It chooses where topics start and says what they are about; the text of a
topic is always a range of the document's own blocks, so no word can be lost or made up.

``listing`` numbers the blocks, ``windows`` spreads them over calls, ``dialogue`` asks and keeps the replies,
``proposal`` reads a reply, ``structure`` makes sections of the proposals, ``method`` puts it all together.
"""
