"""Changes that no commit has, told without a program of the checkout's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from iogate.git.changes import has_changes

IDENTITY = {
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": "/dev/null",
}  # fmt: skip


def git(*words: str, folder: Path | None = None) -> None:
    env = {**os.environ, **IDENTITY}
    subprocess.run(["git", *words], env=env, cwd=folder, check=True, capture_output=True)


def make(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    git("init", "-q", "-b", "main", folder=folder)
    for name, text in files.items():
        (folder / name).write_text(text)
    git("add", ".", folder=folder)
    git("commit", "-q", "-m", "x", folder=folder)
    return folder


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make(tmp_path / "repository", {"file": "one", ".gitattributes": "* filter=evil\n"})
    monkeypatch.chdir(made)
    return made


def touched(file: Path) -> None:
    """Git cannot tell without a look at what is in it."""
    os.utime(file, ns=(1, 1))


@pytest.mark.parametrize("name", ["evil", "e.v=il", 'e"v il', "EVIL", "évil"])
@pytest.mark.parametrize("key", ["clean", "process"])
def test_no_filter_of_the_checkout_is_run(repository: Path, name: str, key: str) -> None:
    evidence = repository.parent / "pwned"
    if " " not in name:
        (repository / ".gitattributes").write_text(f"file filter={name}\n")
        git("commit", "-q", "-a", "-m", "x")
    git("config", f"filter.{name}.{key}", f"touch {evidence}; cat")
    git("config", f"filter.{name}.required", "true")
    touched(repository / "file")
    assert not has_changes()
    assert not evidence.exists()
    (repository / "file").write_text("two")
    assert has_changes()
    assert not evidence.exists()


def test_one_that_an_included_file_defines_is_not_run(repository: Path) -> None:
    evidence = repository.parent / "pwned"
    (repository / "more").write_text(f'[filter "evil"]\n\tclean = touch {evidence}; cat\n')
    git("config", "include.path", str(repository / "more"))
    touched(repository / "file")
    assert not has_changes()
    assert not evidence.exists()


def test_one_whose_name_is_no_text_makes_it_changed(repository: Path) -> None:
    evidence = repository.parent / "pwned"
    with (repository / ".git/config").open("ab") as out:
        out.write(b'[filter "\xff"]\n\tclean = touch %s; cat\n' % os.fsencode(evidence))
    (repository / ".git/info/attributes").write_bytes(b"file filter=\xff\n")
    touched(repository / "file")
    assert has_changes()
    assert not evidence.exists()


@pytest.mark.parametrize("size", [7, 70_000])
def test_a_file_with_a_filter_is_known_by_its_time_and_size(repository: Path, size: int) -> None:
    """As with git-lfs: what is committed is a pointer, and the file was just checked out."""
    git("config", "filter.evil.clean", "sha256sum")
    (repository / "file").write_text("x" * size)
    (repository / "[f]ile").write_text("y" * size)
    git("add", ".")
    git("commit", "-q", "-m", "x")
    assert not has_changes()
    touched(repository / "[f]ile")
    assert has_changes(), "only its filter could tell"


def test_a_filter_without_a_program_is_none(repository: Path) -> None:
    (repository / "file").write_text("two")
    git("add", "file")
    git("commit", "-q", "-m", "x")
    (repository / "file").write_text("now")
    assert has_changes()


def test_settings_of_the_environment_stay(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("config", "filter.evil.required", "true")
    (repository / "file").chmod(0o755)
    assert has_changes()
    for name, value in (("COUNT", "1"), ("KEY_0", "core.fileMode"), ("VALUE_0", "false")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert not has_changes()


def test_staged_deleted_and_new_files(repository: Path) -> None:
    (repository / "new").write_text("x")
    assert not has_changes(), "nobody tracks it"
    git("add", "new")
    assert has_changes()
    git("commit", "-q", "-m", "x")
    assert not has_changes()
    (repository / "file").unlink()
    assert has_changes()


def test_a_submodule_counts_and_its_filters_are_not_run(repository: Path, tmp_path: Path) -> None:
    evidence = tmp_path / "pwned"
    other = make(tmp_path / "other", {"inner": "one", ".gitattributes": "* filter=evil\n"})
    add = ("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub")
    git(*add)
    git("commit", "-q", "-m", "x")
    assert not has_changes()
    git("config", "filter.evil.clean", f"touch {evidence}; cat", folder=repository / "sub")
    touched(repository / "sub/inner")
    assert not has_changes()
    (repository / "sub/inner").write_text("two")
    assert has_changes()
    assert not evidence.exists()
    git("commit", "-q", "-a", "-m", "y", folder=repository / "sub")
    evidence.unlink(missing_ok=True)  # that was git's commit
    assert has_changes(), "it is at another commit"


def test_a_submodule_that_leads_back_is_looked_at_once(repository: Path) -> None:
    """Its configuration says where its files are."""
    names = [f"sub{number}" for number in range(20)]
    for name in names:
        make(repository / name, {"x": "x"})
        git("config", "core.worktree", str(repository), folder=repository / name)
    lines = (f'[submodule "{name}"]\n\tpath = {name}\n' for name in names)
    (repository / ".gitmodules").write_text("".join(lines))
    git("add", ".gitmodules")
    git("commit", "-q", "-m", "x")
    assert not has_changes()
