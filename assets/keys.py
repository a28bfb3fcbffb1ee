"""Names everything else refers to: asset keys, partitions, groups."""

import dagster as dg

RAW_FILES = dg.AssetKey("raw_files")
PARSED_DOCUMENTS = dg.AssetKey("parsed_documents")
MARKDOWN_TOPICS = dg.AssetKey("markdown_topics")
TOPIC_VECTORS = dg.AssetKey("topic_vectors")
LANCEDB_INDEX = dg.AssetKey("lancedb_index")
DUCKDB_CATALOG = dg.AssetKey("duckdb_catalog")
VAULT_AUDIT = dg.AssetKey("vault_audit")

MADE_FROM = {PARSED_DOCUMENTS: RAW_FILES, MARKDOWN_TOPICS: PARSED_DOCUMENTS}
"""Within the ingest, one partition is made from the same one of the asset before."""

INGEST = (RAW_FILES, PARSED_DOCUMENTS, MARKDOWN_TOPICS)
INDEXES = (LANCEDB_INDEX, DUCKDB_CATALOG)

source_files = dg.DynamicPartitionsDefinition(name="source_files")
"""SHA-256 of every file a document was made from; ``app.project:sha`` outside default/default."""

topic_files = dg.DynamicPartitionsDefinition(name="topic_files")
"""SHA-256 of every live topic file and note, the same way."""

DOC_ID_TAG = "wiki/doc_id"
NOTE_ID_TAG = "wiki/note_id"
PID_TAG = "wiki/pid"
"""The process of a run: how a run that lost it is told from one that works."""

DATA_VERSION_TAG = "dagster/data_version"
CODE_VERSION_TAG = "dagster/code_version"
INPUT_VERSION_TAG = "dagster/input_data_version"
