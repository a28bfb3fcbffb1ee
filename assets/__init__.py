"""What the pipeline makes: Dagster's view of files, documents, topics and the two indexes."""
