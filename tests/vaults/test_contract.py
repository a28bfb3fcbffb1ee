"""``routing.json``: the packaged one, a tenant's own, and what is said about a wrong one."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from wiki.errors import ConfigurationError
from wiki.tenants import Layout, Tenant
from wiki.vaults.contract import SCHEMA, TEMPLATE, load_contract, schema_text


@pytest.fixture
def layout(root: Path) -> Layout:
    layout = Layout(root, Tenant())
    layout.home.mkdir(parents=True)
    return layout


def test_without_a_file_the_packaged_contract_is_in_force(layout: Layout) -> None:
    contract = load_contract(layout)
    assert {route.content_type: route.vault_id for route in contract.routes} == {
        "agent-self": "ai", "user-facts": "user", "operational": "work",
    }  # fmt: skip


def test_the_schema_is_current_and_fits_the_template() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert SCHEMA.read_text(encoding="utf-8") == schema_text(), "write it anew from wiki.vaults.contract.schema_text"
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(json.loads(TEMPLATE.read_text(encoding="utf-8")))


def _changed(change: dict[str, Any]) -> str:
    data = json.loads(TEMPLATE.read_text(encoding="utf-8"))
    data["routes"][1] |= change
    return json.dumps(data, indent=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "no JSON"),
        ("[]", "valid dictionary"),
        ('{"schema_version": 2, "routes": []}', "schema_version"),
        (_changed({"folders": {"candidate": "../outside/"}}), "no folder inside a vault"),
        (_changed({"folders": {"candidate": "/abs"}}), "no folder inside a vault"),
        (_changed({"folders": {}}), "folders"),
        (_changed({"filename_pattern": "../<slug>.md"}), "no file name pattern"),
        (_changed({"writers": ["robot"]}), "writers"),
        (_changed({"unknown_key": 1}), "unknown_key"),
        (_changed({"content_type": "operational"}), "has two routes"),
    ],
    ids=["json", "list", "version", "up", "absolute", "empty", "pattern", "writer", "unknown", "twice"],
)
def test_a_wrong_contract_is_refused_with_its_place(layout: Layout, text: str, said: str) -> None:
    (layout.home / "routing.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said) as refused:
        load_contract(layout)
    assert "default/default/routing.json" in refused.value.message


def test_the_line_is_told(layout: Layout) -> None:
    (layout.home / "routing.json").write_text(_changed({"writers": ["robot"]}), encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        load_contract(layout)
    lines = (layout.home / "routing.json").read_text(encoding="utf-8").splitlines()
    assert '"writers"' in lines[refused.value.details["line"] - 1]
