"""Two studies and somebody of every kind: what the tests of rules and of bodies attack."""

from tests.service.asgi import Direct
from tests.service.conftest import BOX
from unswayed.service.tokens import csrf

API = "/api/v1/studies"
ROLES = ("owner", "source", "source elsewhere", "reader", "reader elsewhere")
SECRET = 0.123456789  # what the source "rival" has told


class World:
    """An application with the studies "s" and "elsewhere".

    In "s" play 0 was told by "rival", who told `SECRET`; play 1 is open and was given to "lab".

    Args:
        host: An empty database, or a copy of one with a world in it.
        tokens: Those of the world that was copied.
    """

    def __init__(self, host, tokens=None):
        self.host, self.direct = host, Direct(host)
        self.tokens = tokens or self._begun(host)

    def _begun(self, host):
        """Begin the studies and make the tokens."""
        for name in ("s", "elsewhere"):
            host.begin(name, BOX, {"plays": 200, "seed": 1, "threat": 0.5})
        make = host.tokens.make
        self.tokens = {
            "owner": make("boss", "owner"),
            "source": make("lab", "source", "s"),
            "source elsewhere": make("stranger", "source", "elsewhere"),
            "reader": make("eye", "reader", "s"),
            "reader elsewhere": make("spy", "reader", "elsewhere"),
            "rival": make("rival", "source", "s"),
        }
        self.ask("rival")
        assert self.tell("rival", 0, SECRET).status == 200
        assert self.ask("source") == [1]
        return self.tokens

    def __call__(self, method, path, role=None, body=None, **more):
        return self.direct(method, path, self.tokens.get(role), body, **more)

    def ask(self, role, n=1):
        reply = self("POST", f"{API}/s/ask", role, {"n": n})
        assert reply.status == 200
        return [play["number"] for play in reply.json["plays"]]

    def tell(self, role, number, value, **more):
        return self("POST", f"{API}/s/plays/{number}/tell", role, {"value": value, **more})

    def log_in(self, role, **more):
        """The cookie of somebody, and the token of their forms."""
        reply = self("POST", "/login", form={"token": self.tokens[role], "next": "/"}, **more)
        if reply.status != 303:
            return None, None
        cookie = reply.headers["set-cookie"].split(";")[0].split("=", 1)[1]
        return cookie, csrf(cookie)

    def stored(self):
        """Everything that a request could have changed."""
        rows = [{**row, "seen": None} for row in self.host.tokens.rows()]
        names = self.host.names()
        studies = {name: (self.host.study(name).records(), self.host.study(name).study.settings) for name in names}
        return rows, studies, {name: list(self.host.study(name).log) for name in names}
