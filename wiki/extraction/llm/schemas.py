"""What a reply must look like: JSON Schemas for the server, and the same shapes in words for servers without them."""

from collections.abc import Sequence

MOST_LABELS = 8
LONGEST_LABEL = 40
LONGEST_REASON = 200

JsonSchema = dict[str, object]


def tree_schema(first: int, last: int, most_topics: int, document: JsonSchema | None) -> JsonSchema:
    """Of a window's reply: topics that start at blocks ``first`` to ``last``. ``document``: the whole is asked for too."""
    start: JsonSchema = {"type": "integer", "minimum": first, "maximum": last}
    topic = _object(
        {
            "start": start,
            "level": {"type": "integer", "minimum": 1, "maximum": 6},
            "name": _text(120),
            "summary": _text(500),
            "labels": _labels(5),
        }
    )
    fields: JsonSchema = {"topics": _list(topic, most_topics), "joined": _list(start, most_topics)}
    if document is not None:
        fields["document"] = document
    return _object(fields)


def document_schema(categories: Sequence[str]) -> JsonSchema:
    """Of the whole document's description. Without ``categories`` none is asked for."""
    fields: JsonSchema = {"summary": _text(900), "labels": _labels(MOST_LABELS)}
    if categories:
        fields["category"] = {"type": "string", "enum": list(categories)}
        fields["confidence"] = {"type": "number", "minimum": 0, "maximum": 1}
        fields["reason"] = _text(LONGEST_REASON)
    return _object(fields)


def closing_schema(edges: Sequence[int], document: JsonSchema) -> JsonSchema:
    """Of the last reply to a document of several windows: which topics at ``edges`` go on, and the whole."""
    joined: JsonSchema = {"type": "integer", "enum": list(edges)} if edges else {"type": "integer"}
    return _object({"joined": _list(joined, len(edges)), "document": document})


def tree_shape(document: str | None) -> str:
    """The form of a window's reply, for the prompt."""
    whole = "" if document is None else f', "document": {document}'
    topic = '{"start": 0, "level": 1, "name": "…", "summary": "…", "labels": ["…"]}'
    return f'{{"topics": [{topic}, …], "joined": []{whole}}}'


def document_shape(with_category: bool) -> str:
    """The form of a document's description, for the prompt."""
    category = ', "category": "…", "confidence": 0.8, "reason": "…"' if with_category else ""
    return f'{{"summary": "…", "labels": ["…"]{category}}}'


def closing_shape(document: str) -> str:
    """The form of the last reply, for the prompt."""
    return f'{{"joined": [], "document": {document}}}'


def _object(fields: JsonSchema) -> JsonSchema:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _list(items: JsonSchema, most: int) -> JsonSchema:
    return {"type": "array", "items": items, "maxItems": most}


def _text(most: int) -> JsonSchema:
    return {"type": "string", "maxLength": most}


def _labels(most: int) -> JsonSchema:
    return _list(_text(LONGEST_LABEL), most)
