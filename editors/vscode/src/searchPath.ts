import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const IS_WINDOWS = process.platform === "win32";
/** On Windows, `python3` may be a stub that opens the shop. */
export const PYTHONS = IS_WINDOWS ? ["python", "python3"] : ["python3", "python"];

/** The first of these commands that is on the path. */
export function firstOnPath(
  names: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  for (const name of names) {
    const found = located(name, env);
    if (found) return found;
  }
  return undefined;
}

/** Where a program is, by its path or by its name. */
export function located(program: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (/[\\/]/.test(program)) return withEnding(program, env).find(isExecutable);
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => withEnding(join(folder, program), env)).find(isExecutable);
}

function withEnding(path: string, env: NodeJS.ProcessEnv): string[] {
  const endings = IS_WINDOWS ? (env.PATHEXT ?? ".EXE").split(";") : [];
  return [path, ...endings.map((ending) => path + ending)];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
