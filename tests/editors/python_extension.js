// Stands for the Python extension: its interface, and the interpreter that a setting names.
const vscode = require("vscode");

const chosen = (resource) =>
  vscode.workspace.getConfiguration("standIn", resource).get("interpreter");

exports.activate = () => {
  const changes = new vscode.EventEmitter();
  vscode.workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration("standIn")) changes.fire({});
  });
  return {
    environments: {
      getActiveEnvironmentPath: (resource) => ({ id: "chosen", path: chosen(resource) }),
      resolveEnvironment: async ({ path }) =>
        path && { executable: { uri: vscode.Uri.file(path) } },
      onDidChangeActiveEnvironmentPath: changes.event,
    },
  };
};
