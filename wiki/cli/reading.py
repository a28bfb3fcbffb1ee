"""``wiki search`` and ``wiki show``: questions to the library."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from wiki.cli.output import console, plain, print_json, say
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, opened, scope
from wiki.errors import NotFound
from wiki.views import Method

if TYPE_CHECKING:
    from wiki.library import TenantLibrary
    from wiki.views import DocumentView, Hit, SearchResult, TopicView


def register(app: typer.Typer) -> None:
    app.command("search")(search)
    app.command("show")(show)


def search(
    query: Annotated[str, typer.Argument(help="What to look for, in your own words.", show_default=False)],
    method: Annotated[Method, typer.Option("--method", help="Which channels look.")] = "hybrid",
    top_k: Annotated[int, typer.Option("--top-k", help="How many topics at most.")] = 10,
    category: Annotated[
        list[str] | None, typer.Option("--category", help="Only this category; may be repeated.", show_default=False)
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", help="Only with this label; may be repeated.", show_default=False)
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show ranks and scores of each step.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Search the topics of the library.

    \b
    Examples:
        wiki search "how long are backups kept"
        wiki search --method keyword --category Legal --json "notice period"
    """
    from wiki.views import SearchFilters, SearchQuery

    filters = SearchFilters(category_id=tuple(category or ()), label=tuple(label or ()))
    with opened(scope(root, app, project)) as library:
        result = library.search(SearchQuery(query, method=method, top_k=top_k, filters=filters, explain=explain))
    if as_json:
        print_json(result)
    else:
        _print_hits(result, explain)
        for warning in result.warnings:
            say(f"warning: {warning.message}; {warning.remedy}")


def show(
    id: Annotated[str, typer.Argument(help="Id of a document or a topic.", show_default=False)],
    markdown: Annotated[bool, typer.Option("--markdown", help="Print its Markdown text only.")] = False,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Show a document and its topics, or a topic and its text.

    \b
    Examples:
        wiki show d_a1b2c3d4e5f6
        wiki show d_a1b2c3d4e5f6_2 --markdown
    """
    with opened(scope(root, app, project)) as library:
        found = _find(library, id)
        if markdown:
            text = found.content if _is_topic(found) else library.markdown(id)
            typer.echo(text, nl=not text.endswith("\n"))
        elif as_json:
            print_json(found)
        else:
            _print_topic(found) if _is_topic(found) else _print_document(found)


def _find(library: "TenantLibrary", id: str) -> Any:
    try:
        return library.document(id)
    except NotFound:
        pass
    try:
        return library.topic(id)
    except NotFound:
        tenant = f"{library.tenant.app_id}/{library.tenant.project_id}"
        message = f"no document or topic {id!r} in {tenant}; `wiki search` prints the ids of what it finds"
        raise NotFound(message, id=id) from None


def _is_topic(found: Any) -> bool:
    return hasattr(found, "topic_id")


def _print_hits(result: "SearchResult", explain: bool) -> None:
    out = console()
    for rank, hit in enumerate(result.hits, 1):
        out.print(f"{rank}. {hit.topic_path}", style="bold", markup=False)
        out.print(f"   {hit.category_id} · {hit.score:.3f} · {hit.source} · {hit.topic_id}", style="dim", markup=False)
        out.print(f"   {hit.md_path}:{hit.lines[0]}{_pages(hit)}", style="dim", markup=False)
        out.print(f"   {' '.join(hit.snippet.text.split())}", markup=False)
        if explain and hit.explain:
            for step, value in hit.explain.items():
                out.print(f"     {step}: {plain(value)}", style="dim", markup=False)
        out.print()
    steps = ", ".join(f"{step} {ms:.0f}" for step, ms in result.timings.items()) if explain else ""
    found = "nothing found" if not result.hits else f"{len(result.hits)} of {result.total} topics"
    out.print(f"{found}, {result.took_ms:.0f} ms{f' ({steps})' if steps else ''}", style="dim", markup=False)


def _pages(hit: "Hit") -> str:
    return f", page {', '.join(map(str, hit.pages))}" if hit.pages else ""


def _print_document(document: "DocumentView") -> None:
    out = console()
    out.print(document.title, style="bold", markup=False)
    facts = [
        document.doc_id,
        document.category_id,
        document.source_name,
        f"updated {document.updated_at:%Y-%m-%d %H:%M}",
    ]
    out.print(" · ".join(fact for fact in facts if fact), style="dim", markup=False)
    out.print(document.md_path, style="dim", markup=False)
    out.print(f"\n{document.summary}\n", markup=False)
    for topic in document.topics:
        indent = "  " * max(topic.depth - 1, 0)
        out.print(f"{indent}{topic.position or '-'} {topic.topic_name}  {topic.topic_id}", markup=False)
    for fault in document.faults:
        out.print(f"\nfault in {fault.path}: {fault.reason}; {fault.remedy}", style="yellow", markup=False)


def _print_topic(topic: "TopicView") -> None:
    out = console()
    out.print(topic.topic_path, style="bold", markup=False)
    out.print(f"{topic.topic_id} · {topic.category_id} · {topic.md_path}", style="dim", markup=False)
    if topic.summary:
        out.print(f"\n{topic.summary}{' (of an older text)' if topic.summary_stale else ''}", markup=False)
    out.print(f"\n{topic.content}", markup=False)
