"""Parses answers.json by api_client, the output of openapi-python-client."""

import importlib
import json
import re
import sys
from datetime import datetime
from pathlib import Path

import httpx

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
from api_client import Client  # noqa: E402

document = json.loads((folder / "openapi.json").read_text())
tags = {item["get"]["operationId"]: item["get"]["tags"][0] for item in document["paths"].values()}
client = Client(base_url="http://localhost", raise_on_unexpected_status=True)


def given_back(value):
    if isinstance(value, list):
        return [given_back(one) for one in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def without_zones(value):
    """A moment is written in another form than it was read."""
    if isinstance(value, list):
        return [without_zones(one) for one in value]
    if isinstance(value, dict):
        return {name: without_zones(one) for name, one in value.items()}
    is_moment = isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT", value)
    return datetime.fromisoformat(value) if is_moment else value


answers = json.loads((folder / "answers.json").read_text())
for answer in answers:
    operation = answer["operationId"]
    name = re.sub(r"(?<!^)([A-Z])", r"_\1", operation).lower()
    module = importlib.import_module(f"api_client.api.{tags[operation]}.{name}")
    response = httpx.Response(200, json=answer["body"])
    parsed = module._parse_response(client=client, response=response)
    if without_zones(given_back(parsed)) != without_zones(answer["body"]):
        raise SystemExit(f"{answer['request']} is not given back as it is")
print(f"parsed {len(answers)} answers")
