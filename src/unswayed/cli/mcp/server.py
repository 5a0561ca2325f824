"""The tools of agents as a server of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from unswayed import __version__
from unswayed.cli.mcp.tools import Result, Tools
from unswayed.cli.options import Known
from unswayed.core.data.measurement import Measurement
from unswayed.errors import InvalidInput, UnswayedError
from unswayed.text import json_text, printable

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent, ToolAnnotations
    from pydantic import Field, ValidationError
except ModuleNotFoundError as error:
    raise InvalidInput(f"agents need more packages ({error.name}): pip install 'unswayed[mcp]'") from None

ABOUT = (
    "Unswayed finds the best option when some measurements may be false. Use audit before you rely on the winner of a "
    "table of results. To optimise, repeat: ask where to measure, measure exactly there, tell the value as measured; "
    "then answer says what to use and how far to trust it. What you tell is recorded as self-reported and is never "
    "changed; report a mistake to the owner instead of telling another value."
)
READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Study = Annotated[str | None, Field(description="The study; leave it out if the server was started with one.")]
Number = Annotated[int, Field(description="The number of the play, as ask gave it.")]
Column = Annotated[str | None, Field(description="The name of a column.")]


class OneLine(MCPServer):
    """A server whose errors are one line each."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool.

        Args:
            name: The tool.
            arguments: What it is given.
            context: Of the request.
        """
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                first = cause.errors()[0]
                raise ToolError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
            raise ToolError(printable(str(cause or error), limit=500)) from cause


def serve(tools: Tools) -> None:
    """Serve until the input ends.

    Args:
        tools: What agents can do.
    """
    made(tools).run("stdio")


def made(tools: Tools) -> MCPServer:
    """The server.

    Args:
        tools: What agents can do.
    """
    server = OneLine("unswayed", instructions=ABOUT, version=__version__, log_level="ERROR")
    _add_audit(server, tools)
    _add_writing(server, tools)
    _add_reading(server, tools)
    return server


def _add_audit(server: MCPServer, tools: Tools) -> None:
    @server.tool(annotations=READS)
    def audit(
        file: Annotated[str, Field(description="CSV, .xlsx, .ods, Parquet or JSON lines: a row for each measurement.")],
        objective: Annotated[str | None, Field(description="The column of values; the last one if left out.")] = None,
        parameters: Annotated[str | None, Field(description="Columns of parameters, with commas; all others.")] = None,
        option: Annotated[str | None, Field(description="The column with the label of the option, if any.")] = None,
        source: Annotated[str | None, Field(description="The column with who measured it.")] = None,
        noise: Annotated[str | None, Field(description="The column with the standard error of each value.")] = None,
        successes: Annotated[str | None, Field(description="The column with successes; needs trials.")] = None,
        trials: Annotated[str | None, Field(description="The column with trials.")] = None,
        minimize: Annotated[bool, Field(description="Whether smaller values are better.")] = False,
        lies: Annotated[int, Field(description="How many measurements may be false.", ge=0)] = 0,
        liars: Annotated[int, Field(description="How many sources may lie.", ge=0)] = 0,
        low: Annotated[float | None, Field(description="No honest measurement is smaller.")] = None,
        high: Annotated[float | None, Field(description="No honest measurement is larger.")] = None,
    ) -> CallToolResult:
        """Can the winner of this table be trusted? Says whether luck or false measurements could have made it win,
        which rows look false, and how little tampering would be enough."""
        columns = {
            "objective": objective, "parameters": parameters, "option": option, "source": source, "noise": noise,
            "successes": successes, "trials": trials,
        }  # fmt: skip
        known = Known(minimize=minimize, lies=lies, liars=liars, low=low, high=high)
        return _result(lambda: tools.audit(file, columns, known))


def _add_writing(server: MCPServer, tools: Tools) -> None:
    @server.tool(annotations=WRITES)
    def ask(
        study: Study = None, n: Annotated[int, Field(description="How many plays.", ge=1, le=20)] = 1
    ) -> CallToolResult:
        """Where to measure next: plays, each with a number and a point. Plays that you have and did not answer come
        first. Measure at exactly that point, then tell or fail it."""
        return _result(lambda: tools.ask(study, n))

    @server.tool(annotations=WRITES)
    def tell(
        number: Number,
        value: Annotated[float, Field(description="What was measured.")],
        study: Study = None,
        noise_std: Annotated[float | None, Field(description="Its standard error, if you know it.")] = None,
        trials: Annotated[int | None, Field(description="If it is a rate: of how many outcomes.")] = None,
    ) -> CallToolResult:
        """Record what was measured at a play. It is kept for ever as self-reported in your name; the same value again
        is harmless, another one is refused."""
        return _result(lambda: tools.tell(study, number, Measurement(value, None, noise_std, trials)))

    @server.tool(annotations=WRITES)
    def fail(
        number: Number, reason: Annotated[str, Field(description="Why, in one line.")], study: Study = None
    ) -> CallToolResult:
        """Record that a play could not be measured, with the reason. Do not tell an invented value instead."""
        return _result(lambda: tools.fail(study, number, reason))


def _add_reading(server: MCPServer, tools: Tools) -> None:
    @server.tool(annotations=READS)
    def status(study: Study = None) -> CallToolResult:
        """How far a study is: its parameters, plays by status, trust levels, threat, and plays left."""
        return _result(lambda: tools.status(study))

    @server.tool(annotations=READS)
    def answer(study: Study = None) -> CallToolResult:
        """What a study recommends now, what that is worth at least if the threat holds, what else it might be, and
        which measurements or sources are not believed."""
        return _result(lambda: tools.answer(study))


def _result(work: Callable[[], Result]) -> CallToolResult:
    """What a tool found, or one line that says what was wrong."""
    import json

    try:
        text, data = work()
    except UnswayedError as error:
        line = printable(" ".join(str(error).split()), limit=500)
        return CallToolResult(content=[TextContent(type="text", text=line)], is_error=True)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=json.loads(json_text(data)))
