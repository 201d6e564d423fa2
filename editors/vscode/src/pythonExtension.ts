import * as vscode from "vscode";

const ID = "ms-python.python";

/** What is used of the public interface of the Python extension. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): EnvironmentPath;
    resolveEnvironment(path: EnvironmentPath): Promise<Environment | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

interface EnvironmentPath {
  readonly id: string;
  readonly path: string;
}

interface Environment {
  readonly executable: { readonly uri: vscode.Uri | undefined };
}

/** The interpreter that was chosen in the Python extension, if that is there. */
export async function chosen(where: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await activated())?.environments;
  if (!environments) return undefined;
  const path = environments.getActiveEnvironmentPath(where);
  return (await environments.resolveEnvironment(path))?.executable.uri?.fsPath;
}

/** Calls back whenever another interpreter is chosen, or the extension comes or goes. */
export class Choices implements vscode.Disposable {
  private listener: vscode.Disposable | undefined;
  private readonly extensions = vscode.extensions.onDidChange(() => this.renew());

  constructor(private readonly callback: () => void) {
    void this.listen();
  }

  dispose(): void {
    this.extensions.dispose();
    this.listener?.dispose();
  }

  private async renew(): Promise<void> {
    await this.listen();
    this.callback();
  }

  private async listen(): Promise<void> {
    const environments = (await activated())?.environments;
    this.listener?.dispose();
    this.listener = environments?.onDidChangeActiveEnvironmentPath(this.callback);
  }
}

async function activated(): Promise<PythonExtension | undefined> {
  try {
    return await vscode.extensions.getExtension<PythonExtension>(ID)?.activate();
  } catch {
    return undefined;
  }
}
