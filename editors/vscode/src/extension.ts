import * as vscode from "vscode";
import { commands } from "./commands";
import { Choices } from "./pythonExtension";
import { Server } from "./server";

/** What the server has to be started anew for. */
const RESTARTING = [
  "devlint.enable",
  "devlint.interpreter",
  "devlint.path",
  "python.defaultInterpreterPath",
];
let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("devlint", { log: true });
  const one = new Server(context.extensionUri.fsPath, log);
  server = one;
  context.subscriptions.push(log, one, ...commands(one), ...listeners(one));
  void one.restart();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function listeners(server: Server): vscode.Disposable[] {
  return [
    new Choices(() => server.reconsider()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.reconsider()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (RESTARTING.some((name) => change.affectsConfiguration(name))) void server.restart();
    }),
  ];
}
