#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""json.schema.json: doc/json.schema.in, with tables of facts as the program describes them ("breakwater help --facts";
src/ui/table.h).

    gen-schema.py doc/json.schema.in FACTS OUTPUT

The first is a JSON Schema, in which two members stand for more. {"$facts": "info waves"} is a table's array.
{"$object": {"wave": "number", "pc?": "hex"}} is an object that has these members alone; "?" is one that may be missing. A
type is a word as in rows of facts, "=x" for the text x, or a schema. Both may have further members. Every line of output
is one of the definitions end-..., event-... and answer-...
"""
import json
import pathlib
import re
import sys

import generated


def check(is_right, says):
    if not is_right:
        raise SystemExit(f"gen-schema.py: {says}")


TYPES = {"text": {"type": "string"}, "bool": {"type": "boolean"}, "integer": {"type": "integer"}}


def type_of(word):
    """The schema that a word stands for."""
    one = word.removesuffix("[]")
    if one != word:
        return {"type": "array", "items": type_of(one)}
    if word.startswith("="):
        return {"const": word[1:]}
    return {"enum": word.split("|")} if "|" in word else TYPES.get(word) or {"$ref": f"#/$defs/{word}"}


def object_of(members):
    """members: a schema for each key."""
    return {"type": "object", "properties": {key.removesuffix("?"): s for key, s in members.items()},
            "required": [key for key in members if not key.endswith("?")], "additionalProperties": False}


def tables_of(path):
    """The facts of each table, by its name."""
    tables, rows = {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        kind, *fields = [re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], f) for f in line.split("\t")]
        if kind == "facts":
            check(fields[0] not in tables, f"two tables are called {fields[0]}")
            rows = tables[fields[0]] = []
        else:
            rows.append(fields)
    return tables


def array_of(rows):
    members = {}
    for key, word, says in rows:
        schema = type_of(word.removesuffix("?"))
        members[key + "?" * word.endswith("?")] = {"description": says, **schema} if says else schema
    return {"type": "array", "items": object_of(members)}


def filled(schema, tables, used):
    if isinstance(schema, list):
        return [filled(s, tables, used) for s in schema]
    if not isinstance(schema, dict):
        return schema
    out = {k: filled(v, tables, used) for k, v in schema.items() if k not in ("$facts", "$object")}
    if "$facts" in schema:
        check(schema["$facts"] in tables, f"the program has no table {schema['$facts']}")
        used.add(schema["$facts"])
        out.update(array_of(tables[schema["$facts"]]))
    if "$object" in schema:
        out.update(object_of({k: type_of(v) if isinstance(v, str) else filled(v, tables, used)
                              for k, v in schema["$object"].items()}))
    return out


def main(template, facts, output):
    tables, used = tables_of(facts), set()
    schema = filled(json.loads(pathlib.Path(template).read_text()), tables, used)
    schema["oneOf"] = [type_of(name) for name in schema["$defs"] if name.startswith(("end-", "event-", "answer-"))]
    check(used == set(tables), f"{template} has no {', '.join(sorted(set(tables) - used))}")
    refs = set(re.findall(r'"\$ref": "#/\$defs/([^"]*)"', json.dumps(schema)))
    check(refs <= set(schema["$defs"]), f"there is no type {', '.join(sorted(refs - set(schema['$defs'])))}")
    generated.write(output, json.dumps(schema, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
