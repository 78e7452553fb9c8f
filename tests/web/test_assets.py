"""The pages' files: each is named after its content, and after that of all that it imports."""

from collections.abc import Mapping

import pytest

from plantstore.web.assets import Assets

SCRIPTS = {
    "main.js": 'import { a } from "./near.js";\nimport { b } from "./aside.js";\n',
    "near.js": 'export { a } from "./far.js";\n',
    "far.js": "export const a = 1;\n",
    "aside.js": "export const b = 2;\n",
}


def load(files: Mapping[str, str]) -> dict[str, str]:
    """The paths that the files have once ``main.js`` is loaded, in the order of loading."""
    assets = Assets(lambda name: files[name].encode())
    assets.path_of("main.js")
    return {path.split("/")[2].split(".")[0] + ".js": path for path in assets.by_path()}


def test_a_scripts_name_changes_with_those_that_it_imports() -> None:
    before, after = load(SCRIPTS), load(SCRIPTS | {"far.js": "export const a = 3;\n"})
    changed = {name for name in SCRIPTS if before[name] != after[name]}
    assert changed == {"far.js", "near.js", "main.js"}


def test_the_same_content_has_the_same_name() -> None:
    assert load(SCRIPTS) == load(dict(SCRIPTS))


def test_a_script_is_loaded_with_all_that_it_imports_and_names_them_by_their_paths() -> None:
    assets = Assets(lambda name: SCRIPTS[name].encode())
    main, paths = assets.path_of("main.js"), load(SCRIPTS)
    assert list(paths) == ["far.js", "near.js", "aside.js", "main.js"]
    assert main == paths["main.js"]
    content = assets.by_path()[main].content.decode()
    assert content == (
        f'import {{ a }} from "{paths["near.js"]}";\nimport {{ b }} from "{paths["aside.js"]}";\n'
    )


@pytest.mark.parametrize(
    "line",
    [
        "import { a } from './far.js';",
        'import { a } from "./far.js"',
        'import { a } from"./far.js";',
        'import {\n  a,\n} from\n  "./far.js";',
        'import { a } from "./Far.js";',
        'import { a } from "./folder/far.js";',
        'import { a } from "../far.js";',
        'import "./far.js";',
        'const a = await import("./far.js");',
        "const a = await import( `./far.js` );",
        "export * from './far.js';",
    ],
)
def test_an_import_of_another_form_is_refused_with_the_scripts_name(line: str) -> None:
    with pytest.raises(ValueError, match=r"near\.js has an import of a form that is not known"):
        load(SCRIPTS | {"near.js": f"// A script.\n{line}\n"})


def test_what_is_no_script_is_left_as_it_is() -> None:
    content = '@import "./other.css";'
    assets = Assets(lambda _name: content.encode())
    path = assets.path_of("style.css")
    assert assets.by_path()[path].content.decode() == content
