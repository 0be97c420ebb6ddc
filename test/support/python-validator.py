"""Judges JSON texts by schemas of a bundle, with python-jsonschema as it is by default.

Standard input: the bundle (`$defs`) in the first line, then lines `<pointer> <JSON text>`. Standard output: `1` (fits) or `0` a line.
"""

import json
import sys

from jsonschema import Draft202012Validator


def main():
    bundle = json.loads(sys.stdin.readline())
    validators = {}
    for line in sys.stdin:
        pointer, text = line.rstrip("\n").split(" ", 1)
        if pointer not in validators:
            schema = {"$ref": "#" + pointer, "$defs": bundle["$defs"]}
            Draft202012Validator.check_schema(schema)
            validators[pointer] = Draft202012Validator(schema)
        print(1 if validators[pointer].is_valid(json.loads(text)) else 0)


main()
