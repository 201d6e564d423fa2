/** The settings that the server is handed, by their names without `devlint.`. */
export const KEYS = [
  "select",
  "extendSelect",
  "ignore",
  "confidence",
  "configuration",
  "inlayHints",
  "codeLens",
  "lintOn",
] as const;

export type Options = Record<string, unknown>;

/** What the server is told at its start. */
export function options(setting: (name: string) => unknown): Options {
  return Object.fromEntries(KEYS.map((key) => [key, setting(key)]));
}
