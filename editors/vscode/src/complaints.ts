import * as vscode from "vscode";
import { explained, installCommand } from "./messages";
import type { Obstacle } from "./probe";

const COPY = "Copy install command";
const LOG = "Show log";
const RESTART = "Restart server";

/** Says what keeps the server from starting, and how to install what is missing. */
export async function complain(obstacle: Obstacle): Promise<void> {
  const isMissing = obstacle.kind === "no module";
  const buttons = isMissing ? [COPY, LOG] : [LOG];
  const answer = await vscode.window.showErrorMessage(explained(obstacle), ...buttons);
  if (answer === LOG) await vscode.commands.executeCommand("devlint.showLog");
  if (answer === COPY && isMissing) await copied(installCommand(obstacle.python));
}

async function copied(command: string): Promise<void> {
  await vscode.env.clipboard.writeText(command);
  const text = `Run \`${command}\` in a terminal (it is on the clipboard), then restart the server.`;
  if (await vscode.window.showInformationMessage(text, RESTART)) {
    await vscode.commands.executeCommand("devlint.restart");
  }
}
