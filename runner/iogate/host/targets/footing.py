"""The places of a run, and that each still is what it was when it was looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iogate.errors import RefusedError
from iogate.host.foreseen import foreseen
from iogate.host.targets.check import Use, taken
from iogate.host.targets.places import changed, place_of
from iogate.model.place import Place, PlaceKind
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut


class Footing:
    """``places`` is where each target is measured, by name; it is kept up to date: a
    filesystem is found when it is mounted, a new file once a repetition has made it."""

    def __init__(self, sut: Sut, uses: Sequence[Use], places: dict[str, Place]) -> None:
        self._sut = sut
        self._uses = {use.target.name: use for use in uses}
        self.places = places
        self._used: set[str] = set()

    def target(self, target: Target) -> Target:
        """The target of a case with paths that hold no link, as they were looked up."""
        return self._uses[target.name].target

    def confirm(self, target: Target) -> Sut:
        """RefusedError when anything else stands where the target was found: its file or
        device, the device of its filesystem, the directory that its folder is in. The look that
        was taken."""
        use, look = self._uses[target.name], foreseen(self._sut, f"confirm {target.name}")
        if use.target.kind is TargetKind.FILE and target.name in self._used:
            self._follow(target.name, look)
        self._used.add(target.name)
        for place in (self._uses[target.name].place, *use.beside):
            _require(look, use.target, place)
        return look

    def arrive(self, target: Target, *, made: bool, look: Sut | None = None) -> None:
        """The same of the place that is measured, right before it is. ``made``: a filesystem
        was made and mounted there just now, and this is what it is from now on. What is written
        is asked for its users again, too: not every engine does. ``look`` is that of ``confirm``
        where nothing was changed since."""
        if made:
            self.places[target.name] = place_of(self._sut, self.places[target.name].path)
        look = look or foreseen(self._sut, f"arrive {target.name}")
        _require(look, target, self.places[target.name])
        if what := taken(look, self._written(target)):
            raise _in_use(target, self.places[target.name].path, what)

    def require_unused(self, target: Target) -> None:
        """RefusedError when somebody has begun to use what a repetition has just written, and
        that nothing has claimed meanwhile: it is not what was to be measured, nor to be written."""
        look = foreseen(self._sut, f"leave {target.name}")
        if what := taken(look, self._written(target)):
            self.require_unexchanged(target)  # what is in use may not be what was written
            raise RefusedError(
                f"target {target.name}: {self.places[target.name].path} came into use while it "
                f"was measured: {what}",
                remedy="it was written meanwhile: see what became of what uses it",
                where=target.where,
            )

    def _written(self, target: Target) -> Use:
        """The use of what is written: of an array the device that it is now."""
        use = self._uses[target.name]
        if target.kind is not TargetKind.ARRAY:
            return use
        path = self.places[target.name].path
        return replace(use, target=Target(target.name, TargetKind.DEVICE, path))

    def require_unexchanged(self, target: Target) -> None:
        """RefusedError when another file, or a link, stands where the target's file was. One that
        is gone, or came, is nobody's exchange: a repetition may have done that."""
        place = self.places[target.name]
        if target.kind is TargetKind.FILE and place.identity and self._sut.stat(place.path):
            _require(self._sut, target, place)

    def confirm_device(self, target: Target) -> Place:
        """The same of a device that the target's path is the node of, and that nobody, this run
        neither, has taken meanwhile: it is about to be written. Where it is."""
        place = self.device(target)
        if what := taken(self._sut, Use(target, writes=True)):
            raise _in_use(target, target.path, what)
        return place

    def device(self, target: Target) -> Place:
        """Where a device is that the target's path is the node of. RefusedError when another one
        stands there; this run may have a filesystem on it."""
        places = (each for use in self._uses.values() for each in (use.place, *use.beside))
        place = next((each for each in places if each and each.path == target.path), None)
        what = changed(self._sut, place) if place else "no target of this run is there"
        if place is None or what:
            raise _refused(target, target.path, what)
        return place

    def _follow(self, name: str, look: Sut) -> None:
        """A repetition makes its file where there was none, and one with ``unlink`` takes it
        away: both are its own doing."""
        before = self.places[name]
        status = look.stat(before.path)
        if before.identity is None or status is None:
            now = place_of(self._sut, before.path)
            plain = now.identity is None or now.identity.kind is PlaceKind.FILE
            if plain and now.path == before.path and (status is None or status.links == 1):
                self._replace(name, now)

    def _replace(self, name: str, place: Place) -> None:
        self._uses[name] = replace(self._uses[name], place=place)
        self.places[name] = place


def _require(sut: Sut, target: Target, place: Place | None) -> None:
    if place and (what := changed(sut, place)):
        raise _refused(target, place.path, what)


def _in_use(target: Target, path: str, what: str) -> RefusedError:
    return RefusedError(
        f"target {target.name}: {path} is in use since this run looked it up: {what}",
        remedy="nothing was written to it since; unmount or detach what uses it, and start again",
        where=target.where,
    )


def _refused(target: Target, path: str, what: str) -> RefusedError:
    return RefusedError(
        f"target {target.name}: {path} is not what it was when this run looked it up: {what}",
        remedy="nothing was touched since; see who changed it, and start again",
        where=target.where,
    )
