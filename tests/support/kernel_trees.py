"""A git tree of "kernels": Debian's own with a module whose source differs by commit."""

from __future__ import annotations

from pathlib import Path

from support.guests import OLD, PARTS
from support.repositories import commit

LEFT = "out"
"""Where the build leaves the kernel, in the checkout."""
MODULE = "slow"
_SOURCE = """\
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#define DELAY_MS %(delay_ms)d /* in change %(number)d */
static int before(struct kprobe *probe, struct pt_regs *registers)
{
	mdelay(DELAY_MS);
	return 0;
}
static struct kprobe probe = { .symbol_name = "blk_mq_start_request", .pre_handler = before };
static int __init begin(void)
{
	%(first)s;
	return DELAY_MS ? register_kprobe(&probe) : 0;
}
module_init(begin);
MODULE_LICENSE("GPL");
"""
_BUILD = """\
#!/bin/sh -e
# Debian's kernel in out/, as its package unpacks to, with the module of this change.
mkdir -p out
[ -d out/boot ] || cp -r {kernel}/boot {kernel}/lib out/
mkdir -p module
cp slow.c module/
echo 'obj-m := slow.o' >module/Makefile
make -s -C {headers}/build M="$PWD/module" modules
cp module/slow.ko out/lib/modules/*/
"""
_FIRSTS = {"no build": "this is no C", "no boot": 'panic("change that does not boot")'}


def kernel_tree(folder: Path, changes: int, culprit: int, **broken: str) -> list[str]:
    """The commits of a fresh repository, from first to last. From change ``culprit`` on (the first
    is 0) each request waits for 10 ms; ``broken`` are changes by kind: ``no_build="3 8"``."""
    kinds = {
        int(number): kind.replace("_", " ")
        for kind, text in broken.items()
        for number in text.split()
    }
    commits = []
    for number in range(changes):
        said = {
            "number": number,
            "delay_ms": 10 if number >= culprit else 0,
            "first": _FIRSTS.get(kinds.get(number, ""), ""),
        }
        commits.append(commit(folder, f"Change {number}", slow__c=_SOURCE % said))
    return commits


def build_script(folder: Path) -> Path:
    """The build command of such a tree."""
    path = folder / "build-kernel"
    path.write_text(_BUILD.format(kernel=PARTS / OLD, headers=PARTS / "headers"))
    path.chmod(0o755)
    return path
