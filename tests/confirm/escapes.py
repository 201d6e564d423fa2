"""Ways to change a file of the user from within a sandbox, by what they have in common.

Each is a program to which `here` is the project, `away` a folder beside it, `home` that of the user
and `spare` a folder in which it may write.
"""

from __future__ import annotations

HEAD = """
import contextlib, ctypes, fcntl, mmap, multiprocessing, os, pathlib, shutil, socket, sqlite3
import stat, struct, subprocess, sys, tempfile, threading, time
libc = ctypes.CDLL(None, use_errno=True)
log, model, large = here + "/log.csv", away + "/model.pt", here + "/large.bin"
b = os.fsencode
AT = -100
def python(code, *arguments, **more):
    command = [sys.executable, "-I", "-S", "-c", code, *arguments]
    return subprocess.run(command, stderr=subprocess.DEVNULL, **more)
def opened(path, flags=0):
    return libc.open(b(path), os.O_RDONLY | flags, 0o600)
def libc_creat(path):
    libc.creat(b(path), 0o600)
def swapped():
    open(spare + "/own", "w").close()
    def swap():
        for number in range(300):
            for target in (spare + "/own", log):
                os.symlink(target, f"{spare}/half")
                os.replace(f"{spare}/half", f"{spare}/way")
    swapping = threading.Thread(target=swap)
    swapping.start()
    while swapping.is_alive():
        yield spare + "/way"
"""

CONTENTS = {
    "open": 'open(log, "w").write("x")',
    "open to append": 'open(model, "a").write("x")',
    "os.open": "os.write(os.open(log, os.O_WRONLY), b'x')",
    "os.open to truncate": "os.open(model, os.O_WRONLY | os.O_TRUNC)",
    "os.open in a folder": """
folder = os.open(away, os.O_RDONLY)
os.write(os.open("model.pt", os.O_WRONLY, dir_fd=folder), b"x")
""",
    "posix.open": "import posix; os.write(posix.open(log, os.O_WRONLY), b'x')",
    "io.FileIO": 'import _io; _io.FileIO(log, "w").write(b"x")',
    "pathlib": 'pathlib.Path(log).write_text("x")',
    "pathlib to make": 'pathlib.Path(away, "new").touch()',
    "shutil": "shutil.copyfile(sys.executable, model)",
    "shutil.move": "shutil.move(model, here + '/moved')",
    "shutil.rmtree": "shutil.rmtree(here + '/runs')",
    "os.truncate": "os.truncate(log, 1)",
    "os.replace": "open('x', 'w').close(); os.replace('x', log)",
    "os.remove": "os.remove(model)",
    "mkdir": "os.mkdir(away + '/made')",
    "mknod": "os.mknod(away + '/made')",
    "mkfifo": "os.mkfifo(away + '/made')",
    "symlink": "os.symlink('x', away + '/made')",
    "sqlite3": "sqlite3.connect(away + '/new.db').execute('create table t (n)')",
    "sqlite3 by an address": """
sqlite3.connect(f"file:{away}/new.db", uri=True).execute("create table t (n)")
""",
    "tempfile in a folder": "tempfile.mkstemp(dir=away)",
    "the folder for temporary files": """
os.environ["TMPDIR"] = away
tempfile.tempdir = None
python("import tempfile; tempfile.mkstemp()")
""",
    "another home": """
os.environ["HOME"] = away
python("import os; open(os.path.expanduser('~/.new'), 'w')")
""",
    "fopen": 'libc.fopen(b(log), b"w")',
    "creat": "libc.creat(b(log), 0o600)",
    "openat": "libc.openat(AT, b(log), os.O_WRONLY | os.O_TRUNC)",
    "openat2": """
how = struct.pack("QQQ", os.O_WRONLY | os.O_TRUNC, 0, 0)
libc.syscall(437, AT, b(log), how, ctypes.c_size_t(len(how)))
""",
    "truncate": "libc.truncate(b(log), ctypes.c_long(1))",
    "unlink": "libc.unlink(b(model))",
    "rename": "libc.rename(b(model), b(away + '/renamed'))",
    "renameat2 to exchange": "libc.renameat2(AT, b(log), AT, b(model), 2)",
    "link": "libc.link(b(model), b(away + '/linked'))",
    "mkdir of C": "libc.mkdir(b(away + '/made'), 0o700)",
    "a link of C": "libc.symlink(b'x', b(away + '/made'))",
    "a folder of C": "libc.rmdir(b(here + '/data/empty'))",
    "a temporary file without a name": """
handle = libc.open(b(away), os.O_TMPFILE | os.O_RDWR, 0o600)
libc.linkat(AT, b(f"/proc/self/fd/{handle}"), AT, b(away + "/made"), 0x400)
""",
    "/proc/self/fd": """
handle = opened(log)
os.write(libc.open(b(f"/proc/self/fd/{handle}"), os.O_WRONLY), b"x")
""",
    "/proc/self/root": "os.write(libc.open(b('/proc/self/root' + log), os.O_WRONLY), b'x')",
    "/proc/self/cwd": """
os.chdir("/")
os.write(libc.open(b("/proc/self/cwd" + log), os.O_WRONLY), b"x")
""",
    "a linked folder": "os.write(libc.open(b'shared/model.pt', os.O_WRONLY), b'x')",
    "a linked file": "os.write(libc.open(b'large.bin', os.O_WRONLY), b'x')",
    "a link that is made": """
os.symlink(log, "way")
os.write(libc.open(b"way", os.O_WRONLY), b"x")
""",
    "a link that is swapped": """
for way in swapped():
    with contextlib.suppress(OSError):
        open(way, "r+").write("x")
    handle = libc.open(b(way), os.O_WRONLY)
    if handle >= 0:
        os.write(handle, b"x")
        os.close(handle)
""",
    "mmap": """
handle = libc.open(b(log), os.O_RDWR)
mmap.mmap(handle, 4, mmap.MAP_SHARED)[:1] = b"x"
""",
    "mmap of what was read": """
handle = opened(log)
again = libc.open(b(f"/proc/self/fd/{handle}"), os.O_RDWR)
mmap.mmap(again, 4, mmap.MAP_SHARED)[:1] = b"x"
""",
    "copy_file_range": """
handle = libc.open(b(log), os.O_RDWR)
os.copy_file_range(os.open("program.py", os.O_RDONLY), handle, 8)
""",
    "sendfile": """
os.sendfile(libc.open(b(log), os.O_WRONLY), os.open("program.py", os.O_RDONLY), 0, 8)
""",
    "splice": """
reading, writing = os.pipe()
os.write(writing, b"x")
libc.splice(reading, None, libc.open(b(log), os.O_WRONLY), None, ctypes.c_size_t(1), 0)
""",
    "fallocate": "os.posix_fallocate(libc.open(b(log), os.O_RDWR), 0, 99)",
    "a file in memory": """
code = f"open({log!r}, 'w').write('x')"
handle = os.memfd_create("program")
os.write(handle, f"#!{sys.executable}\\n{code}".encode())
subprocess.run([f"/proc/{os.getpid()}/fd/{handle}"])
""",
    "a named pipe": """
os.mkfifo(spare + "/pipe")
code = "import sys; open(sys.argv[2], 'w').write(open(sys.argv[1]).read(1))"
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", code, spare + "/pipe", log])
pipe = os.open(spare + "/pipe", os.O_RDWR)
os.write(pipe, b"x")
child.wait()
""",
    "a socket with a name": """
os.chdir(away)
socket.socket(socket.AF_UNIX).bind("made")
""",
    "~/.ssh": "open(home + '/.ssh/config', 'w').write('x')",
    "~/.ssh from C": "libc.fopen(b(home + '/.ssh/config'), b'w')",
    "~/.aws by a command": "subprocess.run(['sh', '-c', 'echo x > ~/.aws'], env={'HOME': home})",
    "~/.bashrc by a command": "subprocess.run(['sh', '-c', 'echo x >> ~/.bashrc'])",
    "~/.config from C": "libc.mkdir(b(home + '/.config/made'), 0o700)",
}

METADATA = {
    "os.chmod": "os.chmod(log, 0o640)",
    "os.chmod of a folder": "os.chmod(away, 0o750)",
    "os.chmod in a folder": "os.chmod('model.pt', 0o640, dir_fd=os.open(away, os.O_RDONLY))",
    "os.chmod of a handle": "os.chmod(opened(log), 0o640)",
    "os.fchmod": "os.fchmod(opened(model), 0o640)",
    "os.chown": "os.chown(log, os.getuid(), os.getgid())",
    "os.fchown": "os.fchown(opened(log), os.getuid(), os.getgid())",
    "os.lchown": "os.lchown(here + '/latest.pt', os.getuid(), os.getgid())",
    "os.utime": "os.utime(model, (1, 1))",
    "os.utime of a link": "os.utime(here + '/latest.pt', (1, 1), follow_symlinks=False)",
    "os.utime in a folder": "os.utime('model.pt', (1, 1), dir_fd=os.open(away, os.O_RDONLY))",
    "os.utime of a handle": "os.utime(opened(large), (1, 1))",
    "posix.chmod": "import posix; posix.chmod(log, 0o640)",
    "posix.utime": "import posix; posix.utime(log, (1, 1))",
    "pathlib.chmod": "pathlib.Path(log).chmod(0o640)",
    "pathlib.touch": "pathlib.Path(model).touch()",
    "shutil.copystat": "shutil.copystat(sys.executable, model)",
    "os.setxattr": "os.setxattr(log, 'user.x', b'x')",
    "os.setxattr of a handle": "os.setxattr(opened(log), 'user.x', b'x')",
    "os.removexattr": "os.removexattr(log, 'user.kept')",
    "chmod": "libc.chmod(b(log), 0o640)",
    "fchmod": "libc.fchmod(opened(log), 0o640)",
    "fchmodat": "libc.fchmodat(AT, b(log), 0o640, 0)",
    "fchmodat2": "libc.syscall(452, AT, b(log), 0o640, 0)",
    "chown": "libc.chown(b(log), os.getuid(), os.getgid())",
    "lchown": "libc.lchown(b(log), os.getuid(), os.getgid())",
    "fchown": "libc.fchown(opened(log), os.getuid(), os.getgid())",
    "fchownat": "libc.fchownat(AT, b(log), os.getuid(), os.getgid(), 0)",
    "fchownat of a handle": "libc.fchownat(opened(log), b'', os.getuid(), os.getgid(), 0x1000)",
    "utime": "libc.utime(b(log), None)",
    "utimes": "libc.utimes(b(log), None)",
    "lutimes": "libc.lutimes(b(log), None)",
    "futimes": "libc.futimes(opened(log), None)",
    "futimens": "libc.futimens(opened(log), None)",
    "utimensat": "libc.utimensat(AT, b(log), None, 0)",
    "futimesat": "libc.futimesat(AT, b(log), None)",
    "setxattr": "libc.setxattr(b(log), b'user.x', b'x', ctypes.c_size_t(1), 0)",
    "lsetxattr": "libc.lsetxattr(b(log), b'user.x', b'x', ctypes.c_size_t(1), 0)",
    "fsetxattr": "libc.fsetxattr(opened(log), b'user.x', b'x', ctypes.c_size_t(1), 0)",
    "removexattr": "libc.removexattr(b(log), b'user.kept')",
    "lremovexattr": "libc.lremovexattr(b(log), b'user.kept')",
    "fremovexattr": "libc.fremovexattr(opened(log), b'user.kept')",
    "flags of a file": "fcntl.ioctl(opened(log), 0x40086602, struct.pack('L', 0x80))",
    "/proc/self/fd of C": "libc.chmod(b(f'/proc/self/fd/{opened(log)}'), 0o640)",
    "a linked file that is changed": "libc.chmod(b'large.bin', 0o640)",
    "a link to it": "os.symlink(log, 'way'); libc.chmod(b'way', 0o640)",
    "a link that is swapped and changed": """
for way in swapped():
    with contextlib.suppress(OSError):
        os.chmod(way, 0o640)
""",
    "the command chmod": "subprocess.run(['chmod', '640', log])",
    "the command chmod of a tree": "subprocess.run(['chmod', '-R', 'go-rwx', here])",
    "the command chown": "subprocess.run(['chown', str(os.getuid()), log])",
    "the command touch": "subprocess.run(['touch', '-d', '2001-01-01', log])",
    "the command cp": "subprocess.run(['cp', '-p', '--attributes-only', sys.executable, log])",
    "the command ln": "subprocess.run(['ln', model, away + '/linked'])",
    "a hard link from C": "libc.link(b(log), b(spare + '/linked'))",
    "a hard link of a handle": """
handle = opened(log)
libc.linkat(AT, b(f"/proc/self/fd/{handle}"), AT, b(spare + "/linked"), 0x400)
""",
    "a hard link of Python": "os.link(model, away + '/linked')",
    "~/.ssh": "os.chmod(home + '/.ssh', 0o755)",
    "~/.ssh from C": "libc.chmod(b(home + '/.ssh'), 0o755)",
}

PROCESSES = {
    "fork": """
if os.fork() == 0:
    libc.chmod(b(log), 0o640); libc.creat(b(log), 0o600); os._exit(0)
os.wait()
""",
    "exec": """
if os.fork() == 0:
    os.execv("/bin/sh", ["sh", "-c", 'chmod 640 "$0"; echo x > "$0"', log])
os.wait()
""",
    "posix_spawn": """
command = ["sh", "-c", 'chmod 640 "$0"; echo x > "$0"', log]
os.waitpid(os.posix_spawn("/bin/sh", command, {}), 0)
""",
    "os.system": "os.system(f'chmod 640 {log}; echo x > {log}')",
    "system of C": "libc.system(b(f'chmod 640 {log}; echo x > {log}'))",
    "a process in a session of its own": """
subprocess.run(["sh", "-c", 'chmod 640 "$0"; echo x > "$0"', log], start_new_session=True)
""",
    "a shell in the background": """
subprocess.run(["sh", "-c", '(echo x > "$0"; chmod 640 "$0"; echo done > "$1") &', log, "done"])
while not os.path.exists("done"):
    time.sleep(0.01)
""",
    "Python by itself": "python('import os, sys; os.chmod(sys.argv[1], 0o640)', log)",
    "Python without variables": """
python("import sys; open(sys.argv[1], 'w')", log, env={})
""",
    "multiprocessing": """
context = multiprocessing.get_context("spawn")
if __name__ != "__mp_main__":
    process = context.Process(target=libc_creat, args=(log,))
    process.start()
    process.join()
""",
    "a thread": """
def change():
    libc.chmod(b(log), 0o640)
    libc.creat(b(log), 0o600)
thread = threading.Thread(target=change)
thread.start()
thread.join()
""",
    "chroot": """
libc.unshare(0x10000000)
libc.chroot(b(away))
os.write(libc.open(b"/model.pt", os.O_WRONLY), b"x")
libc.chmod(b"/model.pt", 0o640)
""",
    "a mount": """
libc.unshare(0x10000000 | 0x00020000)
libc.mount(b(away), b(spare), None, 4096, None)
libc.creat(b(spare + "/made"), 0o600)
libc.creat(b(away + "/made"), 0o600)
""",
    "memory of the parent": """
open(f"/proc/{os.getppid()}/mem", "r+b").close()
libc.creat(b(log), 0o600)
""",
    "ptrace of the parent": """
if libc.ptrace(0x4206, os.getppid(), None, None) == 0:
    libc.chmod(b(log), 0o640)
""",
    "an open file of the parent": """
for name in os.listdir(f"/proc/{os.getppid()}/fd"):
    with contextlib.suppress(OSError):
        os.ftruncate(os.open(f"/proc/{os.getppid()}/fd/{name}", os.O_WRONLY), 1)
libc.creat(b(log), 0o600)
""",
    "a handle that is sent": """
ours, theirs = socket.socketpair()
if os.fork() == 0:
    socket.send_fds(theirs, [b"x"], [opened(log)])
    os._exit(0)
handle = socket.recv_fds(ours, 1, 1)[1][0]
libc.fchmod(handle, 0o640)
os.write(libc.open(b(f"/proc/self/fd/{handle}"), os.O_WRONLY), b"x")
""",
}
ESCAPES = {
    f"{kind}: {name}": HEAD + program
    for kind, programs in (
        ("contents", CONTENTS), ("metadata", METADATA), ("processes", PROCESSES),
    )
    for name, program in programs.items()
}  # fmt: skip
