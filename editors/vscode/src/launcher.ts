import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** How devlint is started: a program, and the arguments that come before devlint's own. */
export interface Launcher {
  readonly command: string;
  readonly prefix: readonly string[];
  /** The interpreter, where devlint runs as a module of one. */
  readonly python?: string;
}

export const MODULE = "devlint";

export function ofCommand(command: string): Launcher {
  return { command, prefix: [] };
}

export function ofPython(python: string): Launcher {
  return { command: python, prefix: ["-m", MODULE], python };
}

export function withArguments(launcher: Launcher, ...words: string[]): string[] {
  return [...launcher.prefix, ...words];
}

export function isSame(one: Launcher | undefined, other: Launcher | undefined): boolean {
  return one?.command === other?.command && one?.python === other?.python;
}

/** A path as users write it in settings: variables, `~`, and relative to the workspace folder. */
export function expanded(
  path: string,
  folder: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const variables: Record<string, string | undefined> = {
    userHome: homedir(),
    workspaceFolder: folder,
  };
  const known = path
    .trim()
    .replace(/^~(?=$|[\\/])/, homedir())
    .replace(/\$\{env:([^}]*)\}/g, (_, name) => env[name] ?? "")
    .replace(/\$\{(\w+)\}/g, (whole, name) => variables[name] ?? whole);
  const isName = !/[\\/]/.test(known);
  return isName || isAbsolute(known) || !folder ? known : join(folder, known);
}
