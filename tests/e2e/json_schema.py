# SPDX-License-Identifier: MIT
"""What breakwater writes with --json, held against json.schema.json, which the build makes, line by line and as a session."""
import itertools
import json
import os
import pathlib

import jsonschema  # Debian: python3-jsonschema

PATH = pathlib.Path(os.environ.get("BREAKWATER_BUILD", "build")).resolve() / "json.schema.json"
# What tells kinds of objects apart.
KEYS = ("type", "event", "command", "what", "result")


def values(schema):
    """What a member may be, of those that are written out; None: it is not in the object."""
    if schema is None:
        return [None]
    return schema.get("enum") or [schema["const"]]


class Schema:
    """As the whole schema does, but only what the object can be is looked at: a oneOf of all takes long, and
    says little when nothing fits."""

    def __init__(self):
        self.root = json.loads(PATH.read_text())
        self.kinds = {}
        self.names = [one["$ref"].removeprefix("#/$defs/") for one in self.root["oneOf"]]
        for name in self.names:
            schema = self.without_refs(self.root["$defs"][name])
            validator = jsonschema.Draft202012Validator(schema)
            for key in itertools.product(*[values(schema["properties"].get(k)) for k in KEYS]):
                self.kinds.setdefault(key, []).append(validator)

    def without_refs(self, schema):
        if isinstance(schema, list):
            return [self.without_refs(s) for s in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return self.without_refs(self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")])
        return {k: self.without_refs(v) for k, v in schema.items()}

    def fault(self, o):
        """What is wrong with the object, None: nothing."""
        if not isinstance(o, dict):
            return "it is not an object"
        kinds = self.kinds.get(tuple(v if isinstance(v, (str, type(None))) else "?" for v in map(o.get, KEYS)), [])
        if not kinds:
            return "the schema has no such object"
        errors = [list(k.iter_errors(o)) for k in kinds]
        if sum(not e for e in errors) == 1:
            return None
        if all(errors):
            return "; ".join(f"{e.json_path}: {e.message}" for e in min(errors, key=len))
        return "the schema has two such objects"


schema = None


def no_duplicates(pairs):
    o = dict(pairs)
    if len(o) != len(pairs):
        raise ValueError(f"a member comes twice in {pairs}")
    return o


def parse(line):
    """One line as an object; ValueError: it is none, or not one of the schema's."""
    global schema
    schema = schema or Schema()
    try:
        o = json.loads(line, object_pairs_hook=no_duplicates)
    except ValueError as e:
        raise ValueError(f"not one JSON object: {line[:500]!r} ({e})") from e
    fault = schema.fault(o)
    if fault:
        raise ValueError(f"not in the schema: {line.strip()[:2000]}: {fault}")
    return o


def check_session(objects, ended=True):
    """The objects of a request lie together, and its end is the last; answers belong to requests."""
    request = None
    for i, o in enumerate(objects):
        if (o.get("event") == "session") != (i == 0):
            raise ValueError(f"object {i} of a session is {o}")
        if o["type"] == "answer" and "request" not in o:
            raise ValueError(f"an answer to no request: {o}")
        if request is not None and o.get("request") != request:
            raise ValueError(f"within request {request!r}: {o}")
        request = None if o["type"] == "end" else o.get("request")
    if ended and request is not None:
        raise ValueError(f"request {request!r} has no end")
