"""The bundled model as an ONNX file: exported once, kept in the user's cache under the digest of its weights."""

import os
import tempfile
import warnings
from pathlib import Path

from wiki.errors import CapabilityUnavailable

EXPORT_NAME = "hidden-states-1.onnx"
"""Changes with the form of the export, so that an older file is never taken for it."""


def cache_dir() -> Path:
    """Where derived model files are kept: ``$WIKI_CACHE_DIR``, else the user's cache folder."""
    base = os.environ.get("WIKI_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "knowledge-wiki"


def exported_model(source: Path, digest: str) -> Path:
    """The ONNX file (fp32, last hidden states) of the transformer at ``source``; made when it isn't there yet.

    Processes may do this at the same time: each writes its own file, and the last rename wins.
    """
    target = cache_dir() / digest / EXPORT_NAME
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".export-", suffix=".onnx", dir=target.parent)
        os.close(handle)
        try:
            _export(source, Path(name))
            os.replace(name, target)
        finally:
            Path(name).unlink(missing_ok=True)
    return target


def _export(source: Path, target: Path) -> None:
    try:
        import onnx  # noqa: F401  # pyright: ignore[reportUnusedImport]
        import torch
        from transformers import AutoModel
        from transformers.utils import logging
    except ImportError as error:
        raise CapabilityUnavailable(
            f"the bundled embedding model needs {error.name}: run pip install 'knowledge-wiki[models]'"
        ) from error

    class HiddenStates(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            logging.disable_progress_bar()
            self.model = AutoModel.from_pretrained(source, attn_implementation="eager", local_files_only=True).eval()

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            return self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state

    ids = torch.tensor([[101, 7592, 2088, 102], [101, 7592, 102, 0]])
    axes = {0: "batch", 1: "tokens"}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            HiddenStates(),
            (ids, (ids > 0).long()),
            str(target),
            dynamo=False,
            opset_version=17,
            input_names=["input_ids", "attention_mask"],
            output_names=["hidden"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "hidden": axes},
        )
