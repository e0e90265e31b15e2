"""Names of what libblkid finds on a device, as ``holds:`` gives them."""

from __future__ import annotations

NOTHING, ANYTHING = "nothing", "anything"
# Names of our own, for those that libblkid calls as no person would.
_PLAIN = {
    "crypto_luks": "luks",
    "lvm1_member": "lvm",
    "lvm2_member": "lvm",
    "linux_raid_member": "md",
    "zfs_member": "zfs",
}
_OTHERS = """
adaptec_raid_member apfs atari bcache befs bfs bitlocker bsd btrfs ceph_bluestore cramfs
ddf_raid_member dm_integrity dm_snapshot_cow dm_verity_hash dos drbd drbdmanage_control_volume
drbdproxy_datalog erofs exfat exfs ext2 ext3 ext4 ext4dev f2fs gfs gfs2 gpt hfs hfsplus
hpfs hpt37x_raid_member hpt45x_raid_member isw_raid_member iso9660 jbd jfs jmicron_raid_member
lsi_mega_raid_member mac minix mpool nilfs2 nss ntfs nvidia_raid_member ocfs ocfs2 oracleasm
promise_fasttrack_raid_member refs reiser4 reiserfs romfs sgi silicon_medley_raid_member
solaris squashfs squashfs3 stratis sun swap swsuspend sysv ubi ubifs udf ufs ultrix unixware vdo
vfat via_raid_member vmfs vmfs_volume_member vxfs xenix xfs xfs_external_log zonefs
"""
SIGNATURES = frozenset({*_PLAIN.values(), *_OTHERS.split()})
HELD = SIGNATURES | {NOTHING, ANYTHING}


def plain_name(told: str) -> str:
    """The name of a signature by libblkid's word for it."""
    return _PLAIN.get(told.lower(), told.lower())
