import { dirname } from "node:path";
import * as vscode from "vscode";
import { complain } from "./complaints";
import { folderOf, launcher } from "./interpreter";
import { withArguments } from "./launcher";

/** A command of devlint that is run on a file, in a terminal. */
export interface Run {
  readonly title: string;
  readonly words: readonly string[];
}

export const DRY_RUN: Run = { title: "Dry-run", words: ["run", "--sandbox"] };
export const CONFIRM: Run = { title: "Confirm", words: ["confirm"] };

/** Runs it on a document, by its address, or on the one at hand. */
export async function start(run: Run, address?: string | vscode.Uri): Promise<void> {
  const file = await saved(address === undefined ? atHand() : uriOf(address));
  if (!file) {
    void vscode.window.showErrorMessage(
      `${run.title} needs a Python file or a notebook that is saved.`,
    );
    return;
  }
  const starter = await launcher(file);
  if (!starter) return complain({ kind: "no python" });
  const words = withArguments(starter, ...run.words, file.fsPath);
  await vscode.tasks.executeTask(task(run, file, starter.command, words));
}

function task(run: Run, file: vscode.Uri, command: string, words: string[]): vscode.Task {
  const folder = vscode.workspace.getWorkspaceFolder(file);
  const name = `${run.title} ${vscode.workspace.asRelativePath(file)}`;
  const kind = { type: "devlint", command: run.words[0], file: file.fsPath };
  const cwd = folderOf(file) ?? dirname(file.fsPath);
  const execution = new vscode.ProcessExecution(command, words, { cwd });
  const scope = folder ?? vscode.TaskScope.Global;
  const made = new vscode.Task(kind, scope, name, "devlint", execution);
  made.presentationOptions = { clear: true, showReuseMessage: false };
  return made;
}

function uriOf(address: string | vscode.Uri): vscode.Uri {
  return typeof address === "string" ? vscode.Uri.parse(address) : address;
}

function atHand(): vscode.Uri | undefined {
  const notebook = vscode.window.activeNotebookEditor?.notebook;
  return notebook?.uri ?? vscode.window.activeTextEditor?.document.uri;
}

/** Where a document is on the disk, once it is saved; a cell is in the file of its notebook. */
async function saved(uri: vscode.Uri | undefined): Promise<vscode.Uri | undefined> {
  const document = vscode.workspace.textDocuments.find((each) => isAt(each.uri, uri));
  const notebook = vscode.workspace.notebookDocuments.find(
    (each) => isAt(each.uri, uri) || each.getCells().some((cell) => isAt(cell.document.uri, uri)),
  );
  const open = notebook ?? document;
  if (open?.isDirty && !open.isUntitled) await open.save();
  const file = open?.uri ?? uri;
  return file?.scheme === "file" ? file : undefined;
}

function isAt(one: vscode.Uri, other: vscode.Uri | undefined): boolean {
  return one.toString() === other?.toString();
}
