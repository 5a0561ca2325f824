"""`unswayed mcp` with the client of the `mcp` package, over standard input and output."""

import json
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from tests.service.quick import QuickServer

import unswayed as uw
from unswayed.cli.mcp.tools import Tools
from unswayed.errors import InvalidInput

pytest.importorskip("mcp")
DATA = Path(__file__).parents[2] / "docs"
TOOLS = {"audit", "ask", "tell", "fail", "status", "answer"}


@asynccontextmanager
async def agent(*words, folder=DATA, token=None):
    """A client that has started `unswayed mcp` with these words."""
    from mcp import ClientSession, StdioServerParameters, stdio_client

    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME", "NUMBA_CACHE_DIR") if name in os.environ}
    env = kept | ({"UNSWAYED_TOKEN": token} if token else {})
    command = ["-m", "unswayed", "mcp", *map(str, words), "--folder", str(folder)]
    async with (
        stdio_client(StdioServerParameters(command=sys.executable, args=command, env=env)) as streams,
        ClientSession(*streams) as session,
    ):
        await session.initialize()
        yield session


async def call(session, tool, **arguments):
    """The text and the plain values of a call."""
    reply = await session.call_tool(tool, arguments)
    return reply.content[0].text, reply.structured_content


async def refused(session, tool, **arguments):
    reply = await session.call_tool(tool, arguments)
    assert reply.is_error
    (said,) = reply.content
    assert "\n" not in said.text
    return said.text


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "lab.jsonl"
    uw.Optimizer(uw.Box({"x": uw.Real(0, 1)}), plays=6, seed=1, journal=path).close()
    return path


def test_an_agent_measures_for_a_journal_that_was_named_and_audits_a_file(journal):
    async def session():
        async with agent(journal) as one:
            known = await one.list_tools()
            assert {tool.name for tool in known.tools} == TOOLS
            assert all(tool.description and len(tool.description) < 300 for tool in known.tools)
            text, asked = await call(one, "ask", n=2)
            assert text.count("\n") == 1
            again = await call(one, "ask", n=2)
            assert again[1] == asked  # what it has and did not answer
            for play in asked["plays"]:
                await call(one, "tell", number=play["number"], value=play["point"]["x"])
            assert "already told" in await refused(one, "tell", number=0, value=9.0)
            assert "was not given to agent" in await refused(one, "tell", number=5, value=9.0)
            (_, more) = await call(one, "ask")
            await call(one, "fail", number=more["plays"][0]["number"], reason="the oven broke")
            text, status = await call(one, "status")
            assert status["counts"] == {"told": 2, "failed": 1}
            assert status["trust"] == {"self-reported": 2}
            assert len(text.splitlines()) <= 4
            text, found = await call(one, "answer")
            assert text.startswith("Best so far: x = ")
            assert found["measured"] == 2
            text, found = await call(one, "audit", file="daily.csv", option="variant", source="day",
                                     successes="conversions", trials="visitors")  # fmt: skip
            assert found["verdict"] == "no: tampered"
            assert text.startswith("Verdict: no")
            assert len(json.dumps(found)) < 6000

    anyio.run(session)
    with uw.Optimizer.open(journal) as study:
        assert {play.source for play in study.log} == {"agent"}


def test_an_agent_writes_and_reads_nothing_else(journal, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_bytes(journal.read_bytes())
    (tmp_path / "inside").mkdir()

    async def session():
        async with agent(journal, folder=tmp_path) as one:
            assert "may be read" in await refused(one, "ask", study="other.jsonl")
            assert "may be read" in await refused(one, "tell", study="other.jsonl", number=0, value=1.0)
            assert (await call(one, "status", study="other.jsonl"))[1]["counts"] == {}
            assert "n" in await refused(one, "ask", n=0)
            assert "number" in await refused(one, "tell", value=1.0)
            assert "valid number" in await refused(one, "tell", number=0, value=1e400)
            assert "Unknown tool" in await refused(one, "retract")
        async with agent(folder=tmp_path / "inside") as one:
            for file in ("../other.jsonl", str(other), "/etc/passwd", "nothing.csv", "\0", "."):
                assert "there is no file" in await refused(one, "audit", file=file)
                assert "there is no file" in await refused(one, "status", study=file)
            assert "name the study" in await refused(one, "ask")

    before = other.read_bytes()
    anyio.run(session)
    assert other.read_bytes() == before


def test_an_agent_measures_for_a_study_on_a_server_in_the_name_of_its_token(tmp_path):
    server = QuickServer(f"sqlite:///{tmp_path}/lab.db")
    try:
        server.begin("alloy", space={"x": {"low": 0, "high": 1}}, plays=4)
        token = server.make_token("bot-7", study="alloy")
        address = f"{server.address}/studies/alloy"

        async def session():
            async with agent(address, token=token) as one:
                (_, asked) = await call(one, "ask", n=2)
                for play in asked["plays"]:
                    await call(one, "tell", number=play["number"], value=1.0)
                assert "409" in await refused(one, "tell", number=0, value=2.0)
                assert (await call(one, "status"))[1]["plays_left"] == 2
                assert "a source may not do this" in await refused(one, "answer")

        anyio.run(session)
        assert [play.source for play in server.study("alloy").log] == ["bot-7", "bot-7"]
    finally:
        server.kill()


def test_what_is_not_there_is_said_when_it_starts(tmp_path, monkeypatch):
    monkeypatch.delenv("UNSWAYED_TOKEN", raising=False)
    with pytest.raises(InvalidInput, match="no journal"):
        Tools((str(tmp_path / "none.jsonl"),), tmp_path)
    with pytest.raises(InvalidInput, match="UNSWAYED_TOKEN"):
        Tools(("http://127.0.0.1:1/studies/s",), tmp_path)
    with pytest.raises(InvalidInput, match="no folder"):
        Tools((), tmp_path / "none")
