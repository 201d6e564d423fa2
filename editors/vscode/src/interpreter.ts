import * as vscode from "vscode";
import { expanded, type Launcher, ofCommand, ofPython } from "./launcher";
import { chosen } from "./pythonExtension";
import { firstOnPath, located, PYTHONS } from "./searchPath";

/** How devlint is started for a file, or for the workspace. */
export async function launcher(scope?: vscode.Uri): Promise<Launcher | undefined> {
  const where = scope ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const command = program("devlint", "path", where);
  if (command) return ofCommand(command);
  const python = await interpreter(where);
  return python ? ofPython(python) : undefined;
}

async function interpreter(where: vscode.Uri | undefined): Promise<string | undefined> {
  const configured = program("devlint", "interpreter", where);
  if (configured) return configured;
  // A workspace that is not trusted must not name what is run.
  const known = vscode.workspace.isTrusted
    ? ((await chosen(where)) ?? program("python", "defaultInterpreterPath", where))
    : undefined;
  return known ?? firstOnPath(PYTHONS);
}

/** The program that a setting names, as a path where it is found. */
function program(section: string, key: string, where: vscode.Uri | undefined): string | undefined {
  const value = vscode.workspace.getConfiguration(section, where).get<string>(key)?.trim();
  if (!value) return undefined;
  const path = expanded(value, folderOf(where));
  return located(path) ?? path;
}

export function folderOf(where: vscode.Uri | undefined): string | undefined {
  return where && vscode.workspace.getWorkspaceFolder(where)?.uri.fsPath;
}
