"""The key with which a server signs, and the public key that checks it: Ed25519."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import TYPE_CHECKING

from unswayed.errors import InvalidInput
from unswayed.storage.files import explaining
from unswayed.text import printable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PURPOSE = b"unswayed record\n"  # begins every text that is signed, so that no signature fits another purpose
NEEDED = "signatures need one more package: pip install 'unswayed[server]'"


class PublicKey:
    """Checks signatures.

    Args:
        text: The key as base64, or the name of a file that holds it.

    Raises:
        InvalidInput: It is no public key, or the package for signatures is missing.
    """

    def __init__(self, text: str) -> None:
        try:
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ModuleNotFoundError:
            raise InvalidInput(NEEDED) from None
        self.text = text.strip()
        if os.path.isfile(text):
            with explaining(f"cannot read {text}"):
                self.text = Path(text).read_text().strip()
        try:
            self._key = Ed25519PublicKey.from_public_bytes(base64.b64decode(self.text, validate=True))
        except (ValueError, binascii.Error):
            shown = printable(self.text, limit=60)
            raise InvalidInput(
                f"a public key is 44 characters, such as `unswayed serve` prints, not {shown!r}"
            ) from None

    def checks(self, text: bytes, signature: object) -> bool:
        """Whether this key signed a text.

        Args:
            text: The text.
            signature: The signature as base64.
        """
        from cryptography.exceptions import InvalidSignature

        try:
            self._key.verify(base64.b64decode(str(signature), validate=True), PURPOSE + text)
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey:
    """Signs.

    Args:
        key: The private key.
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = PublicKey(base64.b64encode(key.public_key().public_bytes_raw()).decode())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SigningKey:
        """The key in a file, which is made if there is none. Only its owner may read it.

        Args:
            path: The file.

        Raises:
            InvalidInput: The file is no key, or the package for signatures is missing.
            SystemFault: The system refuses to read or write it.
        """
        try:
            from cryptography.hazmat.primitives import serialization as form
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        except ModuleNotFoundError:
            raise InvalidInput(NEEDED) from None
        with explaining(f"cannot open the key {os.fspath(path)}"):
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                try:
                    found = form.load_pem_private_key(Path(path).read_bytes(), None)
                except (ValueError, TypeError):
                    found = None
                if not isinstance(found, Ed25519PrivateKey):
                    raise InvalidInput(f"{os.fspath(path)} is no Ed25519 key: give another --key") from None
                return cls(found)
            made = Ed25519PrivateKey.generate()
            with os.fdopen(handle, "wb") as file:
                file.write(made.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))
                file.flush()
                os.fsync(file.fileno())
            return cls(made)

    def sign(self, text: bytes) -> str:
        """The signature of a text, as base64.

        Args:
            text: The text.
        """
        return base64.b64encode(self._key.sign(PURPOSE + text)).decode()
