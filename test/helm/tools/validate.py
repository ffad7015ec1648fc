"""Prints a line for each rendered object that its schema refuses.

validate.py DEFINITIONS VERSION... < {"name of a value set": [object, ...], ...}

Kubernetes' own kinds are checked strictly against each VERSION; custom resources against the
CustomResourceDefinitions in the folder DEFINITIONS.
"""

import functools
import json
import pathlib
import sys

import jsonschema
import yaml
from kubernetes_validate import utils

# It would parse 20 MB of definitions again for each object.
utils.schema_contents = functools.cache(utils.schema_contents)


def strict(schema):
    """As the API server reads it: unknown fields are errors, numbers may be strings where said."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if schema.get("x-kubernetes-int-or-string"):
        closed.pop("type", None)
    is_open = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object" and not is_open:
        closed["additionalProperties"] = False
    return closed


def definitions_in(folder):
    found = {}
    for path in pathlib.Path(folder).glob("*.yaml"):
        for crd in yaml.safe_load_all(path.read_text()):
            if not crd or crd.get("kind") != "CustomResourceDefinition":
                continue
            spec = crd["spec"]
            for version in spec["versions"]:
                schema = strict(version["schema"]["openAPIV3Schema"])
                schema.setdefault("properties", {}).update(apiVersion={}, kind={}, metadata={})
                name = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
                found[name] = jsonschema.Draft202012Validator(schema)
    return found


def complaints(one, versions, custom):
    validator = custom.get((one["apiVersion"], one["kind"]))
    if validator is not None:
        for error in validator.iter_errors(one):
            yield f"{'.'.join(map(str, error.path))}: {error.message}"
        return
    for version in versions:
        try:
            utils.validate(one, version, strict=True)
        except jsonschema.ValidationError as error:
            yield f"{version}: {'.'.join(map(str, error.path))}: {error.message}"
        except utils.SchemaNotFoundError:
            yield f"no schema for {one['apiVersion']}"


custom = definitions_in(sys.argv[1])
for values, objects in json.load(sys.stdin).items():
    for one in objects:
        for complaint in complaints(one, sys.argv[2:], custom):
            print(f"{values}: {one['kind']} {one['metadata']['name']}: {complaint}")
