import * as vscode from "vscode";
import { type LanguageClient, State } from "vscode-languageclient/node";
import { newClient } from "./client";
import { complain } from "./complaints";
import { launcher } from "./interpreter";
import { isSame, type Launcher } from "./launcher";
import { explained } from "./messages";
import { type Obstacle, obstacle } from "./probe";
import { ServerProcess } from "./serverProcess";
import { Status } from "./status";

/** The language server: one for the window, which is started and stopped in turn. */
export class Server implements vscode.Disposable {
  client: LanguageClient | undefined;
  private process: ServerProcess | undefined;
  private launcher: Launcher | undefined;
  private readonly status = new Status();
  private turn: Promise<void> = Promise.resolve();
  private isDue = false;

  /** `folder` is one without Python, where interpreters are started. */
  constructor(
    private readonly folder: string,
    readonly log: vscode.LogOutputChannel,
  ) {}

  /** Restarts that are asked for while one waits are the same one. */
  restart(): Promise<void> {
    if (this.isDue) return this.turn;
    this.isDue = true;
    return this.inTurn(() => this.renew());
  }

  /** Restarts if another interpreter is to be used than before. */
  reconsider(): Promise<void> {
    return this.inTurn(async () => {
      if (!isSame(this.launcher, await launcher())) await this.renew();
    });
  }

  async stop(): Promise<void> {
    const { client, process } = this;
    this.client = this.process = undefined;
    this.status.show("stopped");
    // A client that has not started yet refuses.
    await client?.dispose().catch((error) => this.log.debug(error));
    process?.end();
  }

  dispose(): void {
    this.status.dispose();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error) => this.log.error(error));
    return this.turn;
  }

  private async renew(): Promise<void> {
    this.isDue = false;
    await this.stop();
    if (!vscode.workspace.getConfiguration("devlint").get<boolean>("enable")) return;
    this.status.show("starting");
    this.launcher = await launcher();
    const found = await obstacle(this.launcher, this.folder);
    if (found) this.fail(found);
    else if (this.launcher) this.start(this.launcher);
  }

  /** Does not wait for the server, so that one that hangs can be restarted. */
  private start(launcher: Launcher): void {
    const process = new ServerProcess(launcher, this.folder);
    this.log.info(`Starting ${process.line}`);
    const client = newClient(process, this.log, () => this.ended(client, process));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.status.show("running", launcher.command);
    });
    this.client = client;
    this.process = process;
    client.start().catch((error) => this.ended(client, process, String(error)));
  }

  /** The server has ended by itself, or has not begun, which is said once. */
  private async ended(client: LanguageClient, process: ServerProcess, error = "no reason given") {
    if (this.client !== client) return;
    this.client = this.process = undefined;
    const detail = (await process.fate()) ?? error;
    process.end();
    this.fail({ kind: "ended", program: process.line, detail });
  }

  private fail(found: Obstacle): void {
    this.status.show("error");
    this.log.error(explained(found));
    void complain(found);
  }
}
