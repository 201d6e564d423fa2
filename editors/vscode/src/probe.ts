import { type ExecFileException, execFile } from "node:child_process";
import { type Launcher, MODULE } from "./launcher";
import { located } from "./searchPath";

/** What is in the way of starting the server. */
export type Obstacle =
  | { readonly kind: "no python" }
  | { readonly kind: "no program"; readonly program: string }
  | { readonly kind: "no module"; readonly python: string; readonly modules: readonly string[] }
  | { readonly kind: "failed" | "ended"; readonly program: string; readonly detail: string };

/** What the server imports that `pip install devlint`, without the extra, does not bring. */
const NEEDED = [MODULE, "lsprotocol", "pygls"];
const MARK = "missing:";
const SCRIPT = `from importlib.util import find_spec
print("${MARK}", *[name for name in ${JSON.stringify(NEEDED)} if find_spec(name) is None])`;
const PATIENCE = 30_000;

/** Asks an interpreter what it lacks. `folder` must hold no Python: modules are sought there too. */
export async function obstacle(
  launcher: Launcher | undefined,
  folder: string,
): Promise<Obstacle | undefined> {
  if (!launcher) return { kind: "no python" };
  const program = launcher.command;
  if (!located(program)) return { kind: "no program", program };
  if (!launcher.python) return undefined;
  return new Promise((resolve) => {
    const options = { cwd: folder, timeout: PATIENCE };
    execFile(program, ["-c", SCRIPT], options, (error, out, complaint) => {
      resolve(judged(program, out, complaint.trim() || how(error)));
    });
  });
}

function how(error: ExecFileException | null): string | undefined {
  if (error?.killed) return "no answer";
  return typeof error?.code === "number" ? `exit code ${error.code}` : error?.message;
}

/** What an interpreter's answer says. */
export function judged(
  python: string,
  out: string,
  complaint: string | undefined,
): Obstacle | undefined {
  const answer = out.split(/\r?\n/).find((line) => line.startsWith(MARK));
  if (answer === undefined) {
    const detail = complaint?.split(/\r?\n/).at(-1) ?? "no answer";
    return { kind: "failed", program: python, detail };
  }
  const modules = answer.slice(MARK.length).trim().split(" ").filter(Boolean);
  return modules.length ? { kind: "no module", python, modules } : undefined;
}
