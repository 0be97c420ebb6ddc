"""Reads one vector a line (secret, t, the body in base64) and prints the v1 of each, with nothing but Python's own library."""

import base64
import hashlib
import hmac
import sys

for line in sys.stdin:
    secret, t, body = line.rstrip("\n").split(" ")
    signed = t.encode() + b"." + base64.b64decode(body)
    print(hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest())
