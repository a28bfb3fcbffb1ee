"""A root with everything its tenants share."""

import importlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from wiki.documents.taxonomy import default_taxonomy
from wiki.extraction.categories import warm_categories
from wiki.index.language_counts import LanguageCounts
from wiki.library.language_warning import language_warnings
from wiki.library.tenant import TenantLibrary
from wiki.models.factory import make_chat, make_embedder, make_reranker
from wiki.models.protocols import ChatModel, Embedder, Reranker
from wiki.parsing.worker import ParserPool
from wiki.presence import Presence
from wiki.settings import Settings
from wiki.tenants import Layout, Tenant, discover_tenants


class Library:
    """A root with its models and parsers, shared by all tenants. Thread safe; everything heavy is made when needed."""

    def __init__(
        self,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        chat: ChatModel | None = None,
    ) -> None:
        self.settings = settings
        self.root: Path = settings.root
        self.presence = Presence(settings.root)
        self._embedder = embedder
        self._reranker = reranker
        self._chat = chat
        self._tenants: dict[Tenant, TenantLibrary] = {}
        self._guard = threading.RLock()
        self._warming = threading.Lock()
        self._warm = False

    @property
    def embedder(self) -> Embedder:
        """The embedding model. Raises ConfigurationError for provider ``none``."""
        with self._guard:
            if self._embedder is None:
                self._embedder = make_embedder(self.settings.embedding)
            return self._embedder

    @property
    def reranker(self) -> Reranker:
        """The reranker. Raises ConfigurationError for provider ``none``."""
        with self._guard:
            if self._reranker is None:
                self._reranker = make_reranker(self.settings.rerank)
            return self._reranker

    @property
    def chat(self) -> ChatModel:
        """The language model. Raises ConfigurationError for provider ``none``."""
        with self._guard:
            if self._chat is None:
                self._chat = make_chat(self.settings.llm)
            return self._chat

    @cached_property
    def parser(self) -> ParserPool:
        """The warm child processes that read files."""
        return ParserPool(self.settings.parsing)

    @cached_property
    def background(self) -> ThreadPoolExecutor:
        """Where a write is indexed when no cascade runs: it may take longer than its writer waits."""
        return ThreadPoolExecutor(max_workers=1, thread_name_prefix="own-index")

    def tenant(self, app_id: str = "default", project_id: str = "default") -> TenantLibrary:
        """One tenant's library. Raises InvalidInput on a name of the wrong form; creates nothing on disk."""
        tenant = Tenant(app_id, project_id)
        with self._guard:
            if tenant not in self._tenants:
                self._tenants[tenant] = TenantLibrary(self, Layout(self.root, tenant))
            return self._tenants[tenant]

    def tenants(self) -> list[Tenant]:
        """Every tenant with a folder on disk, and the one the settings give vaults to."""
        found = list(discover_tenants(self.root))
        return found if Tenant() in found or not self.settings.vaults.folders else sorted([*found, Tenant()])

    def recover(self) -> None:
        """Finish or empty what a crash left in any ``.staging``. Safe at any time, also beside running writers."""
        for tenant in self.tenants():
            here = self.tenant(tenant.app_id, tenant.project_id)
            here.documents.recover()
            here.recover_moves()

    def warm(self) -> None:
        """Load LanceDB and the embedding model, exporting it once if needed, and embed the default categories.

        Once done it costs nothing. Raises ConfigurationError or CapabilityUnavailable without a model.
        """
        with self._warming:
            if not self._warm:
                importlib.import_module("wiki.index.lance_table")
                self.embedder.embed_query("warm")
                warm_categories([(c.id, c.description) for c in default_taxonomy().categories], self.embedder)
                self._warm = True

    def ready(self) -> dict[str, Any]:
        """Whether questions can be answered, what is still to do, and warnings, counted over all tenants. Calls no
        provider."""
        reconciled = self.presence.reconciled()
        pending, faults, languages = 0, 0, LanguageCounts()
        published = True
        for tenant in self.tenants():
            here = self.tenant(tenant.app_id, tenant.project_id)
            published = published and here.published()
            pending += here.index.drift().pending
            faults += len(here.faults())
            languages += here.language_counts()
        return {
            "ready": reconciled and published,
            "pending": pending,
            "faults": faults,
            "warnings": [asdict(warning) for warning in language_warnings(languages)],
            "providers": {
                "embedding": self.settings.embedding.provider,
                "rerank": self.settings.rerank.provider,
                "llm": self.settings.llm.provider,
            },
            "cascade": {"watching": self.presence.somebody_watches(), **self.presence.cascade()},
        }

    def close(self) -> None:
        """End the parser processes, and let a write that is being indexed finish."""
        if "background" in self.__dict__:
            self.background.shutdown(wait=True, cancel_futures=True)
        if "parser" in self.__dict__:
            self.parser.close()
