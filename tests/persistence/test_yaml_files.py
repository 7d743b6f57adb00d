"""YAML from others: read within a second, or refused in one line."""

import time

import pytest

from mvgraph.persistence.yaml_files import parse_yaml

pytest.importorskip("yaml")

BOMB = "a0: &a0 [x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "more than 1048576 values"),
        ("a: &x [*x]", "nested too deeply"),
        ("&x {a: {b: *x}}", "nested too deeply"),
        ("a: " + "[" * 900 + "]" * 900, "nested too deeply"),
        ("a: " + "1" * 5000, "not YAML"),
        ("a: 0x" + "f" * 2000, "a whole number of 8000 bits"),
        ("a: 2020-99-99", "not YAML"),
        ("a: !!timestamp x", "not YAML"),
        ("a: !!bool x", "not YAML"),
        ("a: !!int x", "not YAML"),
        ("a: !!binary x", "line 1, column 4"),
        ("a: !!python/object/apply:os.system [id]", "line 1, column 4"),
        ("a: 1\nb: 2\na: 3", "^line 3: 'a' is in line 1 already"),
        ("x: [{b: 1,\n  b: 1}]", "^line 2: 'b' is in line 1 already"),
        ("? [a]\n: 1", "unhashable"),
        ("a: \0", "not YAML"),
        ("a: \xff", "not text in UTF-8"),
        ("# " + "x" * (1 << 20), "longer than 1048576 bytes"),
    ],
    ids=lambda value: value[:12],
)
def test_refused_in_one_line(text, words):
    start = time.process_time()
    with pytest.raises(ValueError, match=words) as found:
        parse_yaml(text.encode("latin-1"))
    assert "\n" not in str(found.value)
    assert time.process_time() - start < 5


def test_an_alias_is_what_it_names():
    found = parse_yaml(b"a: &x [1, {b: 2.5}]\nc: *x")
    assert found == {"a": [1, {"b": 2.5}], "c": [1, {"b": 2.5}]}
