"""Validates answers.json by models.py, the output of datamodel-code-generator."""

import json
import sys
from pathlib import Path

from pydantic import TypeAdapter

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))
import models  # noqa: E402

document = json.loads((folder / "openapi.json").read_text())
schemas = {}
for item in document["paths"].values():
    operation = item["get"]
    body = operation["responses"]["200"]["content"]["application/json"]["schema"]
    schemas[operation["operationId"]] = body["$ref"].rsplit("/", 1)[-1]

answers = json.loads((folder / "answers.json").read_text())
for answer in answers:
    model = getattr(models, schemas[answer["operationId"]])
    TypeAdapter(model).validate_json(json.dumps(answer["body"]))
print(f"parsed {len(answers)} answers")
