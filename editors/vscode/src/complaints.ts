import * as vscode from "vscode";
import { explained, installCommand } from "./messages";
import type { Obstacle } from "./probe";

const COPY = "Copy install command";
const LOG = "Show log";
const RESTART = "Restart server";

/** Says what keeps the server from running, and how to install what is missing. */
export async function complain(obstacle: Obstacle): Promise<void> {
  const text = explained(obstacle);
  const answer = await vscode.window.showErrorMessage(text, ...buttons(obstacle));
  if (answer === LOG) await vscode.commands.executeCommand("devlint.showLog");
  if (answer === RESTART) await vscode.commands.executeCommand("devlint.restart");
  if (answer === COPY && obstacle.kind === "no module") {
    await copied(installCommand(obstacle.python));
  }
}

function buttons(obstacle: Obstacle): string[] {
  if (obstacle.kind === "no module") return [COPY, LOG];
  return obstacle.kind === "ended" ? [RESTART, LOG] : [LOG];
}

async function copied(command: string): Promise<void> {
  await vscode.env.clipboard.writeText(command);
  const text = `Run \`${command}\` in a terminal (it is on the clipboard), then restart the server.`;
  if (await vscode.window.showInformationMessage(text, RESTART)) {
    await vscode.commands.executeCommand("devlint.restart");
  }
}
