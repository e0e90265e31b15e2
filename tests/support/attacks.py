"""Ways in which a spec may try to leave its target: through fio's options, and through the rest
of the language.

In the texts ``{victim}`` is a folder of somebody else's with a ``file``, a ``trace`` and an empty
``folder``, ``{up}`` the same folder seen from the target, ``{device}`` a block device that nobody
named, and ``{port}`` a port at which somebody listens.
"""

from __future__ import annotations

SECRET = "hunter2-is-the-secret"  # what no output may ever show

# Options of one job, each by its name in fio.
OUTSIDE: dict[str, dict[str, str]] = {
    "an absolute file name": {"filename": "{victim}/file"},
    "an absolute name of a new file": {"filename": "{victim}/new"},
    "an absolute device": {"filename": "{device}"},
    "dots in a file name": {"filename": "{up}/file"},
    "dots in the middle": {"filename": "a/../{up}/file"},
    "the second name of a list": {"filename": "own:{victim}/file"},
    "dots in the second name of a list": {"filename": "own:{up}/file"},
    "a backslash before a backslash": {"filename": "own\\\\:{victim}/file"},
    "a backslash before a slash": {"filename": "\\{victim}/file"},
    "an empty name of a list": {"filename": ":{victim}/file"},
    "dots made of nothing": {"filename": ".${{X:-${{EMPTY}}}}./.${{X:-${{EMPTY}}}}.{victim}/file"},
    "dots made of one variable": {"filename": ".${{IOGATE_VAR_EMPTY}}./{up}/file"},
    "a device made of nothing": {"filename": ".${{X:-${{EMPTY}}}}./.${{X:-}}.{device}"},
    "a variable that holds a path": {"filename": "${{IOGATE_VAR_VICTIM}}/file"},
    "the home directory": {"filename": "${{HOME}}/file"},
    "a command's output": {"filename": "$(echo {victim}/file)"},
    "standard output": {"filename": "-"},
    "an open file of the engine": {"filename": "/dev/fd/0"},
    "a process's root": {"filename": "/proc/self/root{victim}/file"},
    "another directory": {"directory": "{victim}"},
    "two directories": {"directory": ".:{victim}", "numjobs": "2"},
    "dots for a directory": {"directory": "{up}"},
    "a format with a path": {"filename_format": "{victim}/$jobname"},
    "a format with dots": {"filename_format": "{up}/new.$jobnum"},
    "a format with a variable": {"filename_format": "${{HOME}}.$jobname"},
    "a format that is a list": {"filename_format": "own:{victim}/file"},
    "a format with a keyword of no use": {"filename_format": "$clientuid/{up}/new"},
    "a folder that is opened": {"opendir": "{victim}"},
    "a log of bandwidth": {"write_bw_log": "{victim}/new"},
    "a log of rates": {"write_iops_log": "{up}/new"},
    "a log of latencies": {"write_lat_log": "{victim}/new"},
    "a log of histograms": {"write_hist_log": "{victim}/new", "log_hist_msec": "100"},
    "a log of I/Os": {"write_iolog": "{victim}/new"},
    "a log that is replayed": {"read_iolog": "{victim}/trace"},
    "a trace that is merged": {"read_iolog": "own", "merge_blktrace_file": "{victim}/new"},
    "a trace that is led elsewhere": {
        "read_iolog": "{victim}/trace",
        "replay_redirect": "{device}",
    },
    "memory in a file": {"mem": "mmap:{victim}/file"},
    "memory in a shared file": {"mem": "mmapshared:{victim}/file"},
    "memory in a file of huge pages": {"mem": "mmaphuge:{victim}/file"},
    "a command before": {"exec_prerun": "touch {victim}/new"},
    "a command after": {"exec_postrun": "touch {victim}/new"},
    "an ioengine that runs programs": {
        "ioengine": "exec",
        "program": "/usr/bin/touch",
        "arguments": "{victim}/new",
    },
    "an ioengine from a file": {"ioengine": "external:{victim}/file"},
    "an ioengine by its path": {"ioengine": "{victim}/file"},
    "a donor that is truncated": {
        "ioengine": "e4defrag",
        "donorname": "{up}/file",
        "inplace": "0",
    },
    "a donor by an absolute name": {"ioengine": "e4defrag", "donorname": "{victim}/file"},
    "a connection": {
        "ioengine": "net",
        "hostname": "127.0.0.1",
        "port": "{port}",
        "protocol": "tcp",
    },
    "datagrams": {"ioengine": "net", "hostname": "127.0.0.1", "port": "{port}", "protocol": "udp"},
    "a socket in a folder": {"ioengine": "net", "hostname": "{victim}/new", "protocol": "unix"},
    "somebody who listens": {"ioengine": "net", "listen": "1", "port": "{port}"},
    "a connection that splices": {
        "ioengine": "netsplice",
        "hostname": "127.0.0.1",
        "port": "{port}",
    },
    "a network block device": {"ioengine": "nbd", "uri": "nbd://127.0.0.1:{port}/x"},
    "a web server": {"ioengine": "http", "http_host": "127.0.0.1:{port}"},
    "files that are made elsewhere": {"ioengine": "filecreate", "filename": "{victim}/new"},
    "files that are deleted": {"ioengine": "filedelete", "filename": "{victim}/file"},
    "folders that are made elsewhere": {"ioengine": "dircreate", "filename": "{victim}/new"},
    "folders that are deleted": {"ioengine": "dirdelete", "filename": "{victim}/folder"},
    "a file that is looked at": {"ioengine": "filestat", "filename": "{victim}/file"},
    "a file that is unlinked": {"filename": "{victim}/file", "unlink": "1"},
    "a file that is read as a pattern": {"buffer_pattern": "'{victim}/file'"},
    "a file that is read to verify": {"verify": "pattern", "verify_pattern": "'{victim}/file'"},
    "a group of the kernel": {"cgroup": "iogate-attack"},
    "another user": {"uid": "65534"},
    "another group": {"gid": "65534"},
    "a scheduler": {"ioscheduler": "none", "filename": "{device}"},
    "a profile": {"profile": "tiobench"},
    "what is mounted": {"allow_mounted_write": "1", "filename": "{device}"},
    "a section in a value": {"description": "x\n[evil]\nfilename={victim}/file"},
    "a section after a carriage return": {"comm": "x\r[evil]\rfilename={victim}/file"},
}

# Whole specs: what else of the language could lead out, or show what it should not.
SPECS: dict[str, str] = {
    "a job with a slash in its name": """
      jobs: {{ "../../x": {{ rw: write, size: 64k }} }}
""",
    "a job whose name ends its section": """
      jobs: {{ "x]\\nfilename={victim}/file": {{ rw: write, size: 64k }} }}
""",
    "a job that is called global": """
      jobs: {{ "global/../{up}": {{ rw: write, size: 64k }} }}
""",
    "a job file elsewhere": "      jobfile: {victim}/trace\n",
    "a job file that is a secret": "      jobfile: {victim}/file\n",
    "a job file in /etc": "      jobfile: /etc/shadow\n",
    "a job file through dots": "      jobfile: {up}/file\n",
    "a job file that never ends": "      jobfile: /dev/zero\n",
    "a job file that waits": "      jobfile: {victim}/pipe\n",
    "a job file of a process": "      jobfile: /proc/self/environ\n",
    "another spec's workload": "      extends: {victim}/file#w\n",
    "a secret in a name": "      fio: {{ rw: write, size: 64k, description: '${{DB_PWD}}' }}\n",
    "a secret by default": "      fio: {{ rw: write, size: 64k, description: '${{DB_PWD:-x}}' }}\n",
}
TOPS: dict[str, str] = {
    "a spec elsewhere": "extends: {victim}/file\n",
    "a spec in /etc": "extends: /etc/shadow\n",
    "a spec that never ends": "extends: /dev/zero\n",
    "a spec that waits": "extends: {victim}/pipe\n",
    "a spec through a link": "extends: link.yaml\n",
    "a kernel parameter that runs programs": (
        "environment: {{ sysctl: {{ kernel.core_pattern: '|{victim}/file' }} }}\n"
    ),
    "a kernel parameter by dots": "environment: {{ sysctl: {{ '../../{victim}/file': 1 }} }}\n",
    "an attribute of a queue by dots": "environment: {{ block: {{ '../../x': 1 }} }}\n",
}
