#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/gen-schema.py, with a template and facts that agree, and with some that do not.

Usage: schema.py GENERATOR
"""
import json
import pathlib
import subprocess
import sys
import tempfile

FACTS = "facts\tinfo cats\nfact\tname\ttext\tof the cat\nfact\tlives\tnumber?\t\nfact\tcolour\tblack|white\t\n"
TEMPLATE = {"$defs": {"number": {"type": "integer", "minimum": 0},
                      "answer-cats": {"$object": {"type": "=answer", "cats": {"$facts": "info cats"}}}}}


def generate(folder, facts=FACTS, template=TEMPLATE):
    (folder / "facts").write_text(facts)
    (folder / "template").write_text(json.dumps(template))
    r = subprocess.run([sys.executable, sys.argv[1], folder / "template", folder / "facts", folder / "out"],
                       text=True, capture_output=True)
    return r.returncode, r.stderr


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        status, errors = generate(folder)
        assert status == 0, errors
        schema = json.loads((folder / "out").read_text())
        assert schema["oneOf"] == [{"$ref": "#/$defs/answer-cats"}]
        answer = schema["$defs"]["answer-cats"]
        assert answer["required"] == ["type", "cats"] and answer["additionalProperties"] is False
        assert answer["properties"]["type"] == {"const": "answer"}
        assert answer["properties"]["cats"] == {"type": "array", "items": {
            "type": "object", "required": ["name", "colour"], "additionalProperties": False, "properties": {
                "name": {"type": "string", "description": "of the cat"}, "lives": {"$ref": "#/$defs/number"},
                "colour": {"enum": ["black", "white"]}}}}
        for wrong, says in (({"facts": FACTS + "facts\tinfo cats\n"}, "two tables are called info cats"),
                            ({"facts": FACTS + "facts\tinfo dogs\n"}, "has no info dogs"),
                            ({"facts": FACTS.replace("number?", "numbr?")}, "there is no type numbr"),
                            ({"facts": FACTS.replace("info cats", "info dogs")}, "the program has no table info cats")):
            status, errors = generate(folder, **wrong)
            assert status == 1 and says in errors, errors


if __name__ == "__main__":
    main()
