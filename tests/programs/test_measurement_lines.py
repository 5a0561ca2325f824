"""A program may print an object in place of a number: the value, who measured it, and how precisely."""

import sys

import pytest

from unswayed import Box, Command, CommandFailed, Measurement, Real, maximize


def printed(line):
    return Command(["printf", "%s\\n", line.replace("{", "{{").replace("}", "}}")])({})


def test_an_object_is_a_measurement():
    assert printed('{"value": 0.25, "source": "lab-2", "trials": 40}') == Measurement(0.25, source="lab-2", trials=40)
    assert printed('  {"value": -3e2, "noise_std": 0.5}') == Measurement(-300.0, noise_std=0.5)
    assert printed('{"value": 7}') == Measurement(7.0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"value": NaN}', "finite"),
        ('{"value": 1e999}', "finite"),
        ('{"value": null}', "a number"),
        ('{"value": true}', "a value that is a number"),
        ('{"value": "0.5"}', "a value that is a number"),
        ('{"source": "a"}', "needs a value"),
        ('{"value": 1, "colour": "red"}', "may have value, source, noise_std and trials"),
        ('{"value": 2, "trials": 10}', "between 0 and 1"),
        ('{"value": 1', "may have value"),
        ("{}", "needs a value"),
        ("{" * 2000, "may have value"),
    ],
)
def test_what_makes_no_sense_is_one_line(line, words):
    with pytest.raises(CommandFailed, match=words) as raised:
        printed(line)
    assert "\n" not in str(raised.value)


def test_a_study_of_a_program_knows_its_sources(tmp_path):
    program = tmp_path / "measure.py"
    program.write_text(
        "import json, sys\nprint(json.dumps({'value': 1 - (float(sys.argv[1]) - 0.5) ** 2, 'source': 'lab'}))\n"
    )
    command = Command([sys.executable, str(program), "{x}"])
    found = maximize(command, Box({"x": Real(0, 1)}), plays=12, seed=0, progress=False).answer
    assert [(source.name, source.measurements) for source in found.sources] == [("lab", 12)]
