import { MODULE } from "./launcher";
import type { Obstacle } from "./probe";

/** What is installed, with what the server needs. */
const REQUIREMENT = "devlint[lsp]";

/** What to type to install devlint; PowerShell is what VS Code opens on Windows. */
export function installCommand(python: string, platform: string = process.platform): string {
  const isPlain = /^[\w./\\:~+-]+$/.test(python);
  if (platform === "win32") {
    const program = isPlain ? python : `& '${python.replaceAll("'", "''")}'`;
    return `${program} -m pip install '${REQUIREMENT}'`;
  }
  const program = isPlain ? python : `'${python.replaceAll("'", "'\\''")}'`;
  return `${program} -m pip install '${REQUIREMENT}'`;
}

export function explained(obstacle: Obstacle): string {
  switch (obstacle.kind) {
    case "no python":
      return "devlint found no Python. Choose one, or set `devlint.interpreter`.";
    case "no program":
      return `devlint cannot start: there is no program ${obstacle.program}.`;
    case "failed":
      return `devlint cannot start: ${obstacle.program} fails: ${obstacle.detail}`;
    case "ended":
      return `devlint's language server ended (${obstacle.program}): ${obstacle.detail}`;
    case "no module":
      return lacking(obstacle.python, obstacle.modules);
  }
}

function lacking(python: string, modules: readonly string[]): string {
  if (modules.includes(MODULE)) return `devlint is not installed for ${python}.`;
  return `devlint's language server needs ${modules.join(" and ")}, which ${python} does not have.`;
}

export function counted(findings: number, files: number): string {
  const found = findings === 0 ? "nothing" : plural(findings, "finding");
  return `devlint found ${found} in ${plural(files, "file")}.`;
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
