"""What fio prints, in the forms of its versions; the numbers are made up."""

from __future__ import annotations

from typing import Any

VERSION_1 = """\
$ fio readers.fio
reader: (g=0): rw=randread, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1
writer: (g=0): rw=randwrite, bs=8K-8K/8K-8K, ioengine=libaio, iodepth=16
Starting 2 processes
reader: (groupid=0, jobs=1): err= 0: pid=501
  read : io=64MiB, bw=1,092KiB/s, iops=273, runt= 60000msec
    clat (usec): min=120, max=98K, avg=3650.25, stdev=1200.50
    bw (KiB/s) : min=  500, max= 2000, per=99.12%, avg=1092.00, stdev=100.00
  cpu          : usr=0.50%, sys=1.25%, ctx=16500, majf=1, minf=12
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     issued r/w: total=16384/0, short=0/0
     lat (usec): 250=30.00%, 500=1.00%
writer: (groupid=0, jobs=1): err= 0: pid=502
  write: io=16,400KiB, bw=1,025KiB/s, iops=128, runt= 16000msec
    slat (usec): min=9, max=42,510, avg=38.73, stdev=663.37
    clat (msec): min=1, max=224, avg=12.5, stdev=4.00
  cpu          : usr=0.40%, sys=4.13%, ctx=18254, majf=0, minf=9
     issued r/w: total=0/2050, short=0/0

Run status group 0 (all jobs):
   READ: io=64MiB, aggrb=1,092KiB/s, minb=1,092KiB/s, maxb=1,092KiB/s, mint=60000msec, maxt=60000msec

Disk stats (read/write):
  dm-1: ios=16384/2050, merge=0/0, ticks=15/12, in_queue=27, util=97.50%

And on another day, cut short:

reader: (groupid=0, jobs=1): err= 0: pid=777
  read : io=64MiB, bw=2,184KiB/s, iops=546, runt= 30000msec
   READ: io=64MiB, aggrb=2,184KiB/s, minb=2,184KiB/s, maxb=2,184KiB/s, mint=30000msec, maxt=30000msec
"""  # noqa: E501

VERSION_3 = """\
root@host:/mnt# fio --name=oltp --ioengine=libaio --iodepth=8 --rw=randrw --bs=16k --direct=1 \\
  --size=1g --numjobs=4 --runtime=100 --group_reporting --time_based --filename=/dev/sdz
oltp: (g=0): rw=randrw, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, ioengine=libaio, iodepth=8
...
fio-3.12
Starting 4 processes
Jobs: 4 (f=4): [m(4)][100.0%][r=124MiB/s,w=56.4MiB/s][r=7936,w=3609 IOPS][eta 00m:00s]
oltp: (groupid=0, jobs=4): err= 0: pid=28093: Mon May 27 15:38:10 2019
   read: IOPS=12.3k, BW=193MiB/s (202MB/s)(18.8GiB/100000msec)
    slat (usec): min=5, max=329, avg= 8.70, stdev= 4.27
    clat (nsec): min=999, max=2646.4M, avg=584075.73, stdev=24517674.64
     lat (usec): min=37, max=2646.4k, avg=592.88, stdev=24518.10
    clat percentiles (usec):
     |  1.00th=[     35],  5.00th=[     36], 10.00th=[     37],
     | 99.00th=[     72], 99.90th=[  72877], 99.99th=[1300235]
   bw (  KiB/s): min=  128, max=920064, per=19.13%, avg=156157.50, stdev=332417.67, samples=3149
   iops        : min=    2, max=14376, avg=2439.95, stdev=5194.02, samples=3149
  write: IOPS=5012, BW=78.3MiB/s (82.1MB/s)(7831MiB/100000msec); 0 zone resets
    clat (usec): min=1, max=1137, avg=59.67, stdev=14.25
    clat percentiles (usec):
     |  1.00th=[   37],  5.00th=[   38], 10.00th=[   38], 20.00th=[   39],
     | 99.99th=[39584]
  lat (usec)   : 2=0.01%, 4=0.01%, 10=0.01%, 20=0.01%, 50=91.14%
  fsync/fdatasync/sync_file_range:
    sync (msec): min=2, max=30, avg= 7.50, stdev= 1.25
    sync percentiles (usec):
     |  1.00th=[ 2000], 99.00th=[ 9000]
  cpu          : usr=0.91%, sys=2.64%, ctx=5498484, majf=0, minf=113
  IO depths    : 1=0.0%, 2=0.0%, 4=0.1%, 8=99.9%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued rwts: total=1230000,501200,0,100 short=0,0,0,0 dropped=0,0,0,0
     latency   : target=0, window=0, percentile=100.00%, depth=8

Run status group 0 (all jobs):
   READ: bw=193MiB/s (202MB/s), 193MiB/s-193MiB/s (202MB/s-202MB/s), io=18.8GiB (20.2GB), run=100000-100000msec

Disk stats (read/write):
    dm-0: ios=1230000/501200, merge=0/0, ticks=2252346/97460, in_queue=2352889, util=100.00%, aggrios=3/1, aggrutil=100.00%
  sdz: ios=1230000/501300, merge=0/0, ticks=2255572/298661, in_queue=2553993, util=99.00%
"""  # noqa: E501

LOOKS = """\
st: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process

st: (groupid=0, jobs=1): err= 0: pid=77: Sun Nov 22 06:24:55 2026
  read: IOPS=501, BW=2004KiB/s (2052kB/s)(2004KiB/1000msec)
    clat (usec): min=33, max=753, avg=85.27, stdev=56.48
     issued rwts: total=501,0,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
   READ: bw=2004KiB/s (2052kB/s), 2004KiB/s-2004KiB/s (2052kB/s-2052kB/s), io=2004KiB (2052kB), run=1000-1000msec

Disk stats (read/write):
  vda: ios=501/0, merge=0/0, ticks=0/0, in_queue=0, util=50.00%
st: (groupid=0, jobs=1): err= 0: pid=77: Sun Nov 22 06:24:56 2026
  read: IOPS=500, BW=2000KiB/s (2048kB/s)(4000KiB/2000msec)
    clat (usec): min=33, max=964, avg=86.36, stdev=62.93
     issued rwts: total=1000,0,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
   READ: bw=2000KiB/s (2048kB/s), 2000KiB/s-2000KiB/s (2048kB/s-2048kB/s), io=4000KiB (4096kB), run=2000-2000msec

Disk stats (read/write):
  vda: ios=1000/0, merge=0/0, ticks=0/0, in_queue=0, util=60.00%
"""  # noqa: E501

MIXED = """\
u: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
u: (groupid=0, jobs=1): err= 0: pid=78: Sun Nov 22 06:25:02 2026
  read: IOPS=500, BW=2000KiB/s (2048kB/s)(2000KiB/1000msec)
    clat (usec): min=26, max=900, avg=51.25, stdev=13.50
  write: IOPS=520, BW=2080KiB/s (2130kB/s)(2080KiB/1000msec); 0 zone resets
    clat (nsec): min=1374, max=23285, avg=3052.50, stdev=1851.12
    clat percentiles (nsec):
     |  1.00th=[ 1624], 99.00th=[ 8896]
  mixed: IOPS=1020, BW=4080KiB/s (4178kB/s)(4080KiB/1000msec)
    clat (nsec): min=1374, max=900800, avg=26426.67, stdev=96148.58
    clat percentiles (nsec):
     |  1.00th=[ 1704], 99.00th=[144384]
     issued rwts: total=500,520,0,0 short=0,0,0,0 dropped=0,0,0,0
"""


def latency(mean: float, *, n: int | None = 100, bins: bool = False) -> dict[str, Any]:
    """A block of latencies; without ``n`` as versions before 3.14 wrote it."""
    found: dict[str, Any] = {"min": 10, "max": 4000, "mean": mean, "stddev": 5.5}
    if n is not None:
        found["N"] = n
    found["percentile"] = {"50.000000": 900, "99.000000": 3000, "99.900000": 3900}
    return found | ({"bins": {"900": 60, "3000": 40}} if bins else {})


def part(ios: int, **more: Any) -> dict[str, Any]:
    """One direction: ``ios`` I/Os of 4 KiB in two seconds."""
    return {
        "io_bytes": ios * 4096,
        "io_kbytes": ios * 4,
        "bw_bytes": ios * 2048,
        "bw": ios * 2,
        "iops": ios / 2,
        "runtime": 2000 if ios else 0,
        "total_ios": ios,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": latency(0, n=0) | {"max": 0},
        "clat_ns": latency(1000.5, n=ios),
        "lat_ns": latency(1100.5, n=ios),
    } | more


def document(
    *, name: str = "reader", at_s: int = 1_600_000_000, elapsed_s: int = 3, **options: str
) -> dict[str, Any]:
    """A result of fio 3.33 of one job that read."""
    job = {
        "jobname": name, "groupid": 0, "error": 0, "eta": 0, "elapsed": elapsed_s,
        "job options": {"name": name, **options},
        "read": part(100), "write": part(0), "trim": part(0),
        "sync": {"total_ios": 0, "lat_ns": latency(0, n=0)},
        "job_runtime": 2000, "usr_cpu": 1.5, "sys_cpu": 2.5, "ctx": 7, "majf": 0, "minf": 1,
        "iodepth_level": {"1": 100.0},
    }  # fmt: skip
    return {
        "fio version": "fio-3.33",
        "timestamp": at_s,
        "timestamp_ms": at_s * 1000 + 500,
        "time": "Sun Sep 13 12:26:40 2020",
        "global options": {"ioengine": "psync", "size": "8M", "directory": "/srv/x"},
        "jobs": [job],
        "disk_util": [{"name": "sda", "read_ios": 5, "write_ios": 6, "util": 50.5}],
    }
