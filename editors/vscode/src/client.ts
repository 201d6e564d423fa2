import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
} from "vscode-languageclient/node";
import { options } from "./options";
import { Restarts } from "./restarts";
import type { ServerProcess } from "./serverProcess";

const SELECTOR = [
  { scheme: "file", language: "python" },
  { scheme: "untitled", language: "python" },
  { notebook: "*", language: "python" },
];

/** A client that calls back when its server has ended for good. */
export function newClient(
  process: ServerProcess,
  log: vscode.LogOutputChannel,
  onEnd: () => void,
): LanguageClient {
  const handler = new Handler(onEnd);
  const all = { ...clientOptions(log), errorHandler: handler };
  const client = new Client("devlint", "devlint", () => process.start(), all);
  handler.client = client;
  return client;
}

function clientOptions(log: vscode.LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: SELECTOR,
    outputChannel: log,
    initializationOptions: () =>
      options((name) => vscode.workspace.getConfiguration("devlint").get(name)),
    initializationFailedHandler: () => false,
    synchronize: { configurationSection: "devlint" },
  };
}

/** Says what goes wrong in the log alone: what matters is said by `onEnd`. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Starts a server again that ended while it ran, a few times. */
class Handler implements ErrorHandler {
  client: LanguageClient | undefined;
  private readonly restarts = new Restarts();

  constructor(private readonly onEnd: () => void) {}

  error() {
    return { action: ErrorAction.Continue, handled: true };
  }

  closed() {
    const isToRestart = this.client?.isRunning() && this.restarts.areLeft();
    if (!isToRestart) this.onEnd();
    const action = isToRestart ? CloseAction.Restart : CloseAction.DoNotRestart;
    return { action, handled: true };
  }
}
