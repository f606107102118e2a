import { join, relative } from 'node:path'
import { pagesCommand, typedCommand } from '../evidence/typed-command.ts'
import type { PreparedRun } from '../runner/prepare/prepare-run.ts'
import type { DatasetOutcome } from '../runner/run-dataset.ts'
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
  {
    resultsDir,
    runId,
    files,
    experiment,
    modelSet,
  }: Pick<PreparedRun, 'resultsDir' | 'runId' | 'files' | 'experiment' | 'modelSet'>,
  invocation: Invocation,
  datasets: readonly Pick<DatasetOutcome, 'datasetId' | 'columns'>[],
): string {
  const report = typedCommand(['report', ...placeOptions(invocation), '--run-id', runId])
  const here = (path: string): string => relative(process.cwd(), path)
  const own = join(resultsDir, `${runId}-`)
  // Files that variables put elsewhere, each by its name.
  const named = Object.values(files).flatMap((kinds) => Object.values(kinds).filter((path) => !path.startsWith(own)))
  const places = [join(here(resultsDir), `${runId}-*`), ...named.map(here)]
  const unscored = datasets.filter(({ columns }) => columns.some(({ kind }) => kind === 'metric'))
  const ids = unscored.map(({ datasetId }) => datasetId).join(',')
  const set = modelSet ?? experiment.models.default_set
  const command = ['evaluate', ...placeOptions(invocation), '--dataset', ids, '--from', runId]
  const again = (name: string): string =>
    typedCommand([...command, '--run-id', `${runId}-rescored`, '--model-set', name])
  return [
    ...(unscored.length === 0 ? [] : scoringLines(set, again)),
    `answers, evidence and scores are in ${places.join(', ')}`,
    `to look at them in the pages: ${pagesCommand()}`,
    `to write them as one HTML page: ${report}`,
    '',
  ].join('\n')
}

/** The commands that score stored answers, with the model set of the run and with rules. */
const scoringLines = (set: string, again: (set: string) => string): string[] => [
  ...(set === 'builtin'
    ? []
    : [
        `to score these answers again by model set ${set}, after its service or key is repaired, without asking an approach again: ${again(set)}`,
      ]),
  `to score these answers by the built-in evaluator, without asking an approach again: ${again('builtin')}`,
]
