#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""doc/json.schema.json: doc/json.schema.in, with tables of facts as the program describes them ("breakwater help
--facts"; src/ui/table.h).

    gen-schema.py doc/json.schema.in FACTS OUTPUT

In the first, {"$facts": "info waves"} is a table's array; it may have further members, which an array may have.
"""
import json
import pathlib
import re
import sys

TYPES = {"text": {"type": "string"}, "bool": {"type": "boolean"}, "integer": {"type": "integer"}}


def schema_of(type_name, says):
    plain = type_name.removesuffix("?")
    one = plain.removesuffix("[]")
    schema = {"enum": one.split("|")} if "|" in one else TYPES.get(one) or {"$ref": f"#/$defs/{one}"}
    if one != plain:
        schema = {"type": "array", "items": schema}
    return {"description": says, **schema} if says else schema


def tables_of(path):
    """The facts of each table, by its name."""
    tables, rows = {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        kind, *fields = [re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], f) for f in line.split("\t")]
        if kind == "facts":
            assert fields[0] not in tables, f"two tables are called {fields[0]}"
            rows = tables[fields[0]] = []
        else:
            rows.append(fields)
    return tables


def array_of(rows):
    return {"type": "array", "items": {
        "type": "object", "properties": {key: schema_of(type_name, says) for key, type_name, says in rows},
        "required": [key for key, type_name, _ in rows if not type_name.endswith("?")], "additionalProperties": False}}


def filled(schema, tables, used):
    if isinstance(schema, list):
        return [filled(s, tables, used) for s in schema]
    if not isinstance(schema, dict):
        return schema
    out = {k: filled(v, tables, used) for k, v in schema.items() if k != "$facts"}
    if "$facts" in schema:
        used.add(schema["$facts"])
        out = {**out, **array_of(tables[schema["$facts"]])}
    return out


def main(template, facts, output):
    tables, used = tables_of(facts), set()
    schema = filled(json.loads(pathlib.Path(template).read_text()), tables, used)
    assert used == set(tables), f"{template} has no {', '.join(sorted(set(tables) - used))}"
    refs = set(re.findall(r'"\$ref": "#/\$defs/([^"]*)"', json.dumps(schema)))
    assert refs <= set(schema["$defs"]), f"there is no {', '.join(sorted(refs - set(schema['$defs'])))}"
    pathlib.Path(output).write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
