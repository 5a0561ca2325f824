"""What schemathesis must not send as valid: JSON Schema cannot say that large whole numbers need an exponent."""

import schemathesis

from unswayed.service.interface.bodies import LARGEST_INTEGER


def huge(value):
    if isinstance(value, dict):
        return any(map(huge, value.values()))
    return any(map(huge, value)) if isinstance(value, list) else isinstance(value, int) and abs(value) > LARGEST_INTEGER


@schemathesis.hook
def filter_body(context, body):
    return not huge(body)
