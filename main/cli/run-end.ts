import { join, relative } from 'node:path'
import { pagesCommand, typedCommand } from '../evidence/typed-command.ts'
import type { PreparedRun } from '../runner/prepare-run.ts'
import { textOption, type Invocation } from './command.ts'
import { RUN_OPTIONS } from './options.ts'

/** The options that decide where the artifacts of a run are, as the person typed them. */
const placeOptions = (invocation: Invocation): string[] =>
  (['project', 'results'] as const).flatMap((name) => {
    const given = textOption(invocation, name)
    return given === null || given === RUN_OPTIONS[name].default ? [] : [`--${name}`, given]
  })

/** The last lines of a complete run: where its results are, and the commands that open them and write them as a page. */
export function runEndLines(
  { resultsDir, runId }: Pick<PreparedRun, 'resultsDir' | 'runId'>,
  invocation: Invocation,
): string {
  const report = typedCommand(['report', ...placeOptions(invocation), '--run-id', runId])
  return [
    `answers, evidence and scores are in ${join(relative(process.cwd(), resultsDir), `${runId}-*`)}`,
    `to look at them in the pages: ${pagesCommand()}`,
    `to write them as one HTML page: ${report}`,
    '',
  ].join('\n')
}
