"""What Prometheus sees: requests, uploads and searches as they happen, sizes when it asks."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from wiki.errors import WikiError

if TYPE_CHECKING:
    from wiki.library import Library

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """One registry per application, so that two in one process do not mix."""

    def __init__(self, library: "Library") -> None:
        self.registry = CollectorRegistry(auto_describe=False)
        self.registry.register(TenantSizes(library))
        labels = ("route", "method", "status")
        self._requests = Counter("wiki_http_requests", "Requests answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "wiki_http_request_seconds",
            "Seconds from the request's first byte to the end of the answer.",
            ("route", "method"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._uploads = Counter("wiki_uploads", "Uploads by outcome.", ("outcome",), registry=self.registry)
        self._searches = Counter("wiki_searches", "Searches by method.", ("method",), registry=self.registry)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        verb = method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "other"
        self._requests.labels(route, verb, str(status)).inc()
        self._seconds.labels(route, verb).observe(seconds)

    def upload(self, outcome: str) -> None:
        """``outcome``: ``created``, ``existing``, ``replaced``, ``accepted`` or the code of the error that refused it."""
        self._uploads.labels(outcome).inc()

    def search(self, method: str) -> None:
        self._searches.labels(method).inc()

    def render(self) -> bytes:
        return generate_latest(self.registry)


class TenantSizes(Collector):
    """Documents, topics, faults and jobs of each tenant, read when scraped."""

    def __init__(self, library: "Library") -> None:
        self.library = library

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterable[Metric]:
        labels = ("app_id", "project_id")
        documents = GaugeMetricFamily("wiki_documents", "Documents in the catalog.", labels=labels)
        topics = GaugeMetricFamily("wiki_topics", "Topics in the catalog.", labels=labels)
        pending = GaugeMetricFamily("wiki_pending_changes", "Changed files not yet indexed.", labels=labels)
        faults = GaugeMetricFamily("wiki_faults", "Files that need a person.", labels=labels)
        jobs = GaugeMetricFamily("wiki_jobs", "Accepted uploads that are not done.", labels=(*labels, "status"))
        readable = GaugeMetricFamily("wiki_tenant_readable", "1 when the tenant's status can be read.", labels=labels)
        for tenant in self.library.tenants():
            key = [tenant.app_id, tenant.project_id]
            try:
                status = self.library.tenant(tenant.app_id, tenant.project_id).status()
            except WikiError:
                readable.add_metric(key, 0)
                continue
            readable.add_metric(key, 1)
            documents.add_metric(key, status.documents)
            topics.add_metric(key, status.topics)
            pending.add_metric(key, status.pending)
            faults.add_metric(key, len(status.faults))
            for name, count in asdict(status.jobs).items():
                jobs.add_metric([*key, name], count)
        return [documents, topics, pending, faults, jobs, readable]
