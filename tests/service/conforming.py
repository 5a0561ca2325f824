"""Whether replies are as the description of the interface says; entries that it does not name are faults too."""

import re
from functools import cache

import jsonschema_rs

from unswayed.service.interface.openapi import described

CHECKED = "application/json"


class Conforming:
    """The description of some routes."""

    def __init__(self, routes):
        self.document = described(routes)
        self.paths = {path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in self.document["paths"]}
        self.validator = cache(self._validator)

    def check(self, method, path, reply):
        """Fail if a reply is not one that is described. What is no route is described as an error only."""
        path = path.partition("?")[0]
        found = next((one for one, known in self.paths.items() if known.fullmatch(path)), None)
        operation = self.document["paths"].get(found, {}).get(method.lower())
        if operation is None or reply.status == 500:
            return
        known = operation["responses"].get(str(reply.status))
        assert known is not None, f"{method} {found} gives {reply.status}, which is not described"
        media = reply.headers["content-type"].partition(";")[0]
        content = self._content(known)
        assert media in content, f"{method} {found} gives {media} with {reply.status}, which is not described"
        if media == CHECKED and reply.body:
            errors = list(self.validator(method.lower(), found, reply.status).iter_errors(reply.json))
            assert not errors, f"{method} {found} {reply.status}: {[str(one) for one in errors][:3]}"

    def _content(self, known):
        reference = known.get("$ref", "").rpartition("/")[2]
        return (self.document["components"]["responses"][reference] if reference else known)["content"]

    def _validator(self, method, path, status):
        known = self.document["paths"][path][method]["responses"][str(status)]
        return jsonschema_rs.Draft202012Validator(closed(self._content(known)[CHECKED]["schema"]))


def closed(schema):
    """A schema whose objects have no more entries than it names."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {"additionalProperties": False} if "properties" in schema else {}
    return shut | {name: closed(one) for name, one in schema.items()}
