/** What a pipe or a file is written for. */
const WITHOUT_TERMINAL = 80

/**
 * Columns of an output: `COLUMNS` where it is set to a number, as people and other tools expect it; else the terminal's width; else 80.
 */
export function outputColumns(
  out: { isTTY?: boolean; columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const wanted = Number(env['COLUMNS'])
  if (Number.isInteger(wanted) && wanted > 0) return wanted
  return out.isTTY === true && out.columns !== undefined && out.columns > 0 ? out.columns : WITHOUT_TERMINAL
}
