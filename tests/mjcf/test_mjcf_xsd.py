"""The XML Schema for editors accepts all models that the reader accepts, and rejects violations of the grammar."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from lxml import etree
from test_mjcf_refused import TABLE, model

import conjoint
from conjoint.lang.errors import ModelError
from conjoint.mjcf import read_string
from conjoint.mjcf.xsd import xml_schema


@cache
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(etree.fromstring(xml_schema().encode()))


def problem(tree: etree._ElementTree) -> str:
    """Return the first schema error of a document, or "" if the document is valid."""
    return "" if schema().validate(tree) else f"{schema().error_log[0].line}: {schema().error_log[0].message}"


def problem_of_text(xml: str) -> str:
    return problem(etree.ElementTree(etree.fromstring(xml.encode())))


def test_models_of_the_repository_are_valid(model_path):
    assert problem(etree.parse(model_path)) == ""


def test_models_of_the_corpus_are_valid(corpus):
    manifest = json.loads((corpus / "manifest.json").read_text())["models"]
    loading = [row["path"] for row in manifest if row["loads"] and row["path"].endswith(".xml")]
    assert len(loading) > 100
    # the reader repairs malformed XML, but editors do not
    trees = {path: etree.parse(str(corpus / path), etree.XMLParser(recover=True)) for path in loading}
    assert {path: said for path, tree in trees.items() if (said := problem(tree))} == {}


def test_what_is_saved_is_valid(model_path):
    saved = conjoint.MjSpec.from_file(model_path).to_xml()
    assert problem_of_text(saved) == ""


ORDER_AND_REPETITION = """<mujoco>
  <include file="a.xml"/>
  <actuator><motor joint="j"/><include file="b.xml"/></actuator>
  <worldbody>words<geom size="1"/><body><geom size="1 2  3"/><joint name="j"/><inertial pos="0 0 0" mass="1"/>
    <frame><body><include file="c.xml"/></body></frame><body/><geom friction=""/></body></worldbody>
  <worldbody/><option timestep=".1"/><default><default class="a"/><geom rgba="1 1. +1 1e0"/></default><option/>
</mujoco>"""


def test_order_is_free_and_sections_repeat():
    assert problem_of_text(ORDER_AND_REPETITION) == ""


def test_urdf_with_settings_of_models():
    robot = "<robot name='r'><mujoco><compiler {}='true'/></mujoco><link name='a'/><transmission/></robot>"
    assert problem_of_text(robot.format("fusestatic")) == ""
    assert problem_of_text(robot.format("fusestatics")) != ""


GRAMMAR = re.compile(
    r"attribute '\w+': .*(is not one of|is not a number|is not a whole number|too many|too few)"
    r"|unknown attribute|is not allowed inside"
)
"""Pattern of the reader's messages about grammar violations; an XML Schema can express almost no other rules."""


def reading(xml: str) -> str:
    """Return the reader's error message, or "" if there is none."""
    try:
        read_string(xml)
    except ModelError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("section", dict.fromkeys(line[0] for line in TABLE))
def test_wrong_models_are_invalid_and_others_are_not(section):
    for part in [line[3] for line in TABLE if line[0] == section]:
        xml = model(section, part)
        ours, theirs = reading(xml), problem_of_text(xml)
        if GRAMMAR.search(ours):
            assert theirs != "", part
        elif "is missing" not in ours:
            assert theirs == "", part


def test_attributes_that_are_required_are_required():
    assert "'site' is required" in problem_of_text("<mujoco><sensor><touch/></sensor></mujoco>")
