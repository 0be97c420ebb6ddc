import hashlib
import hmac


def sign_body(body: bytes, secret: str, seconds: int) -> str:
    """The POS-Signature of a body (contract 5): HMAC-SHA256 over the moment, a full stop and the bytes that are sent.

    The key is the secret's text in UTF-8, even where it looks like hexadecimal digits. `seconds` since the epoch.
    """
    signed = str(seconds).encode() + b"." + body
    signature = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={signature}"
