"""``wiki eval``: retrieval quality on a collection with known answers."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from wiki.cli.output import print_json
from wiki.cli.progress import Progress
from wiki.cli.scope import AppOption, JsonOption, ProjectOption, RootOption, scope, settings_of
from wiki.errors import InvalidInput
from wiki.views import Method

COLLECTION_FILES = ("documents.jsonl", "queries.jsonl", "qrels.tsv")


def register(app: typer.Typer) -> None:
    app.command("eval")(evaluate)


def evaluate(
    collection: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Folder with documents.jsonl, queries.jsonl, qrels.tsv.", show_default=False
        ),
    ],
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="keyword, vector or hybrid only; may be repeated.", show_default=False),
    ] = None,
    max_queries: Annotated[
        int | None, typer.Option("--max-queries", min=1, help="Only the first so many queries.", show_default=False)
    ] = None,
    root: RootOption = None,
    app: AppOption = "default",
    project: ProjectOption = "default",
    as_json: JsonOption = False,
) -> None:
    """Measure retrieval on a collection with known answers.

    Works in a scratch store; the root only lends its settings.

    \b
    Example:
        wiki eval ~/collections/scifact --method hybrid --json
    """
    missing = [name for name in COLLECTION_FILES if not (collection / name).is_file()]
    if missing:
        raise InvalidInput(f"{collection} is no collection: it lacks {', '.join(missing)}", missing=missing)
    unknown = sorted(set(method or ()) - set(get_args(Method)))
    if unknown:
        raise InvalidInput(f"--method {', '.join(unknown)}: there are {', '.join(get_args(Method))}")
    from wiki.evaluation import evaluate as measure

    options: dict[str, Any] = {"methods": tuple(method)} if method else {}
    settings = settings_of(scope(root, app, project, create=True))
    with Progress("evaluating") as progress:
        report = measure(collection, settings, progress=progress.update, max_queries=max_queries, **options)
    if as_json:
        print_json(report)
        return
    typer.echo(f"{report['collection']}, {report['queries']} queries")
    for name, figures in report["methods"].items():
        typer.echo(f"{name:<8} " + "  ".join(f"{figure} {value:.3f}" for figure, value in figures.items()))
