import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { type Launcher, withArguments } from "./launcher";

const PATIENCE = 1000;

/** The process of the server: one at a time, and what it last complained of. */
export class ServerProcess {
  private child: ChildProcessWithoutNullStreams | undefined;
  private lastWords = "";

  /** `folder` must hold no Python: `python -m` looks there first. The server leaves it by itself. */
  constructor(
    private readonly launcher: Launcher,
    private readonly folder: string,
  ) {}

  get line(): string {
    return [this.launcher.command, ...withArguments(this.launcher, "server")].join(" ");
  }

  async start(): Promise<ChildProcessWithoutNullStreams> {
    const words = withArguments(this.launcher, "server");
    const child = spawn(this.launcher.command, words, { cwd: this.folder });
    this.child = child;
    this.lastWords = "";
    await once(child, "spawn");
    child.on("error", (error) => this.remember(error.message));
    child.stderr.on("data", (part) => this.remember(String(part)));
    return child;
  }

  /** Ends it if it is still there. */
  end(): void {
    this.child?.kill();
    this.child = undefined;
  }

  /** Why it ended, or is about to; nothing if it lives. */
  async fate(): Promise<string | undefined> {
    const child = this.child;
    if (!child?.pid) return undefined;
    if (!child.stderr.closed || !how(child)) {
      const patience = AbortSignal.timeout(PATIENCE);
      await once(child, "close", { signal: patience }).catch(() => undefined);
    }
    return how(child) && (this.lastWords || how(child));
  }

  private remember(part: string): void {
    this.lastWords = part.trim().split(/\r?\n/).at(-1) || this.lastWords;
  }
}

function how({ exitCode, signalCode }: ChildProcessWithoutNullStreams): string | undefined {
  return signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`);
}
