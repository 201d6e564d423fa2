"""VS Code without a desktop, in a browser: code-server, with extensions from `.vsix` files."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

#: Nothing that moves by itself; terminals as text, so that they can be read.
SETTINGS = {
    "breadcrumbs.enabled": False,
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "files.autoSave": "off",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "terminal.integrated.gpuAcceleration": "off",
    "window.commandCenter": False,
    "workbench.activityBar.location": "hidden",
    "workbench.colorTheme": "Default Light Modern",
    "workbench.layoutControl.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}


@dataclass(frozen=True, slots=True)
class CodeServer:
    """`installed` is the folder where npm has put it, `home` one for what it writes."""

    node: str
    installed: Path
    home: Path

    def command(self, *options: str) -> list[str]:
        entry = self.installed / "node_modules/code-server/out/node/entry.js"
        folders = [f"--user-data-dir={self.home}/data", f"--extensions-dir={self.home}/extensions"]
        return [self.node, str(entry), f"--config={self.home}/config.yaml", *folders, *options]

    def install(self, *extensions: Path) -> None:
        for extension in extensions:
            command = self.command("--force", "--install-extension", str(extension))
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            if "successfully installed" not in ran.stdout:
                sys.exit(f"{extension} cannot be installed: {ran.stdout}{ran.stderr}")

    @contextmanager
    def running(self) -> Iterator[str]:
        """Its address."""
        user = self.home / "data/User"
        user.mkdir(parents=True, exist_ok=True)
        user.joinpath("settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        address = f"127.0.0.1:{free_port()}"
        options = ("--auth=none", f"--bind-addr={address}", "--disable-telemetry")
        log = self.home / "log"
        environment = {**os.environ, "XDG_DATA_HOME": str(self.home)}
        with (
            log.open("w") as out,
            subprocess.Popen(
                self.command(*options, "--disable-update-check"),
                env=environment,
                stdout=out,
                stderr=out,
            ) as server,
        ):
            try:
                await_health(server, address, log)
                yield f"http://{address}"
            finally:
                server.terminate()


def await_health(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    while True:
        try:
            urllib.request.urlopen(f"http://{address}/healthz", timeout=10).close()
            return
        except OSError:
            try:
                server.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            sys.exit(f"code-server does not start: {log.read_text()}")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def packed(path: Path, manifest: dict[str, object], script: str) -> Path:
    """An extension of one script."""
    about = manifest | {"version": "1.0.0", "engines": {"vscode": "^1.0.0"}, "main": "main.js"}
    identity = f'Id="{manifest["name"]}" Version="1.0.0" Publisher="{manifest["publisher"]}"'
    schema = "http://schemas.microsoft.com/developer/vsx-schema/2011"
    with ZipFile(path, "w") as archive:
        archive.writestr("extension/package.json", json.dumps(about))
        archive.writestr("extension/main.js", script)
        archive.writestr(
            "extension.vsixmanifest",
            f'<PackageManifest Version="2.0.0" xmlns="{schema}"><Metadata>'
            f'<Identity Language="en-US" {identity}/></Metadata></PackageManifest>',
        )
    return path
