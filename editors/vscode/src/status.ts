import * as vscode from "vscode";

export type State = "running" | "starting" | "stopped" | "error";

/** The entry among the language statuses of Python. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("devlint", [
    { language: "python" },
  ]);

  constructor() {
    this.item.name = "devlint";
    this.item.command = { command: "devlint.showLog", title: "Show log" };
    this.show("stopped");
  }

  show(state: State, detail = ""): void {
    this.item.text = `devlint: ${state}`;
    this.item.detail = detail;
    this.item.busy = state === "starting";
    this.item.severity =
      state === "error"
        ? vscode.LanguageStatusSeverity.Error
        : vscode.LanguageStatusSeverity.Information;
  }

  dispose(): void {
    this.item.dispose();
  }
}
