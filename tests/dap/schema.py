# SPDX-License-Identifier: MIT
"""The protocol's own JSON schema (debugAdapterProtocol.json of microsoft/debug-adapter-protocol), which is no part
of this repository: BREAKWATER_DAP_SCHEMA names a copy. Where it does, every message of every test is held
against it, in both directions, beside shapes.py."""
import functools
import json
import os

import shapes

PATH = os.environ.get("BREAKWATER_DAP_SCHEMA")


@functools.cache
def definitions():
    """By kind and name of the message: ("event", "stopped") -> "StoppedEvent"."""
    with open(PATH, encoding="utf-8") as f:
        whole = json.load(f)
    by_name = {}
    for name, definition in whole["definitions"].items():
        for part in definition.get("allOf", []):
            for kind in ("event", "command"):
                for word in part.get("properties", {}).get(kind, {}).get("enum", []):
                    by_name["request" if kind == "command" else kind, word] = name
    return whole, by_name


@functools.cache
def validator(name):
    import jsonschema
    whole, _ = definitions()
    return jsonschema.Draft4Validator({"$ref": f"#/definitions/{name}", "definitions": whole["definitions"]})


def requests():
    """Every request of the protocol, or None where there is no schema."""
    if not PATH:
        return None
    return sorted(name for kind, name in definitions()[1] if kind == "request")


def name_of(message):
    _, by_name = definitions()
    kind = message["type"]
    word = message["event"] if kind == "event" else message["command"]
    if kind == "response" and not message["success"]:
        return "ErrorResponse"
    known = by_name.get(("request", word) if kind == "response" else (kind, word))
    if known and kind == "response":
        known = known.removesuffix("Request") + "Response"
    if not known and not word.startswith("breakwater/"):
        raise shapes.Wrong(f"the schema has no {kind} {word}")
    return known or {"event": "Event", "response": "Response", "request": "Request"}[kind]


def check(message):
    """Raises shapes.Wrong for a message that the schema does not allow."""
    if not PATH:
        return
    for error in validator(name_of(message)).iter_errors(message):
        where = "/".join(str(p) for p in error.absolute_path)
        raise shapes.Wrong(f"{where or 'message'}: {error.message[:200]}")
