"""The upload form as OpenAPI tells it; ``uploads.py`` reads it as a stream."""

from typing import Any

from serving.deps import DOC_ID_PATTERN
from serving.wording import MAX_TITLE
from wiki.tenants import SCOPE_PATTERN

_SCOPE = {"type": "string", "pattern": SCOPE_PATTERN, "default": "default"}

UPLOAD_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "additionalProperties": False,
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "title": {
                            "type": "string",
                            "minLength": 1,
                            "maxLength": MAX_TITLE,
                            "description": "From the file when absent.",
                        },
                        "category_id": {"type": "string", "description": "One of the taxonomy; chosen when absent."},
                        "doc_id": {
                            "type": "string",
                            "pattern": DOC_ID_PATTERN,
                            "description": "A new one when absent.",
                        },
                        "source_type": {"type": "string"},
                        "labels": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "Repeat the field, or separate labels by commas.",
                        },
                        "app_id": _SCOPE,
                        "project_id": _SCOPE,
                    },
                }
            }
        },
    }
}
