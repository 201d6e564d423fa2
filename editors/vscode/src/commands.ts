import * as vscode from "vscode";
import { counted } from "./messages";
import { CONFIRM, DRY_RUN, start } from "./runs";
import type { Server } from "./server";

/** What the server calls it: the client may not have a command of the same name. */
const LINT_WORKSPACE = "devlint.lintWorkspace";
const FIX_ALL = "source.fixAll.devlint";

export function commands(server: Server): vscode.Disposable[] {
  const known: Record<string, (argument?: string | vscode.Uri) => unknown> = {
    "devlint.restart": () => server.restart(),
    "devlint.showLog": () => server.log.show(),
    "devlint.fixAll": fixAll,
    "devlint.checkWorkspace": () => checkWorkspace(server),
    "devlint.dryRun": (address) => start(DRY_RUN, address),
    "devlint.confirm": (address) => start(CONFIRM, address),
  };
  return Object.entries(known).map(([name, call]) => vscode.commands.registerCommand(name, call));
}

function fixAll(): Thenable<unknown> {
  const action = { kind: FIX_ALL, apply: "first" };
  return vscode.commands.executeCommand("editor.action.sourceAction", action);
}

async function checkWorkspace(server: Server): Promise<void> {
  const progress = { location: vscode.ProgressLocation.Notification, title: "devlint: linting" };
  try {
    const { files, findings } = await vscode.window.withProgress(progress, () => asked(server));
    void vscode.window.showInformationMessage(counted(findings, files));
  } catch (error) {
    server.log.error(String(error));
    const why = error instanceof Error ? error.message : error;
    void vscode.window.showErrorMessage(`devlint could not lint the workspace: ${why}`);
  }
}

async function asked(server: Server): Promise<{ files: number; findings: number }> {
  if (!server.client?.isRunning()) throw new Error("the server does not run");
  return server.client.sendRequest("workspace/executeCommand", {
    command: LINT_WORKSPACE,
    arguments: [],
  });
}
