"""Stands in for the client of OpenAI, which is imported and never called."""

from types import SimpleNamespace

openai_object = SimpleNamespace(OpenAIObject=object)
