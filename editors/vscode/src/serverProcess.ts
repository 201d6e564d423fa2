import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { type Launcher, withArguments } from "./launcher";

/** The process of the server: one at a time, and what it last complained of. */
export class ServerProcess {
  lastWords = "";
  private child: ChildProcessWithoutNullStreams | undefined;

  /** `folder` must hold no Python: `python -m` looks there first. The server leaves it by itself. */
  constructor(
    private readonly launcher: Launcher,
    private readonly folder: string,
  ) {}

  get line(): string[] {
    return [this.launcher.command, ...withArguments(this.launcher, "server")];
  }

  async start(): Promise<ChildProcessWithoutNullStreams> {
    const [command = "", ...words] = this.line;
    const child = spawn(command, words, { cwd: this.folder });
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

  /** Until it has said all it will, or after a while. */
  async over(): Promise<void> {
    const child = this.child;
    if (!child?.pid || child.stderr.closed) return;
    const waited = AbortSignal.timeout(1000);
    await once(child.stderr, "close", { signal: waited }).catch(() => undefined);
  }

  private remember(part: string): void {
    this.lastWords = part.trim().split(/\r?\n/).at(-1) || this.lastWords;
  }
}
