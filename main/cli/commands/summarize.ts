import { resolve } from 'node:path'
import { ASKED_FIGURES, type AskedFigureId } from '../../../contract/asked-figures.ts'
import { plural } from '../../../contract/words.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { nearestName } from '../../lib/text/nearest-name.ts'
import { oneLine, sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { loadPrices } from '../../manifests/models/own-prices.ts'
import { InputError, splitList } from '../../manifests/runner-inputs.ts'
import { askedFigures, type AskedValue } from '../../report/asked/asked-figures.ts'
import { askedRows, askedText } from '../../report/asked/asked-tables.ts'
import { writeCellsCsv } from '../../report/csv/cells-csv.ts'
import { summarizeFolder } from '../../report/publication/folder-summaries.ts'
import { writeLongCsv } from '../../report/csv/long-csv.ts'
import { unpackedFolderForUse } from '../../report/publication/published-folder.ts'
import { unusableLines } from '../../report/publication/results-folder.ts'
import { textOption, textValue, type Command, type ExitCode, type Invocation } from '../command.ts'
import { artifactPlace, RUN_OPTIONS } from '../options.ts'
import { printAggregates, printParaphrases, printSnapshots } from '../print-matrix.ts'
import { readFolder, reportUnusable, UnusableFilesError } from '../unusable-files.ts'

export const summarizeCommand: Command = {
  name: 'summarize',
  options: {
    project: { ...RUN_OPTIONS.project, description: 'folder from which --results and MATRIX_… files count' },
    results: { ...RUN_OPTIONS.results, description: 'folder with artifacts; published and historical ones work too' },
    'run-id': textValue('ID', 'only this run'),
    figures: textValue(
      'NAME,...',
      `compute also from the stored rows: ${ASKED_FIGURES.map(({ id }) => id).join(', ')}`,
    ),
    'csv-output': textValue('FILE', 'where to write the CSV of all figures'),
    'cells-output': textValue('FILE', 'where to write a CSV with a line per answer: question, answer, scores'),
  },
  async run(invocation) {
    const wanted = wantedFigures(invocation)
    const artifacts = artifactPlace(invocation)
    const warn = (problem: string): void => void invocation.stderr.write(`${sanitizeForTerminal(problem)}\n`)
    return unpackedFolderForUse(artifacts.resultsDir, warn, (folder) =>
      summarize(folder, artifacts, wanted, invocation),
    )
  },
}

/** The figures that --figures names. Throws `InputError`. */
function wantedFigures(invocation: Invocation): AskedFigureId[] {
  const known = ASKED_FIGURES.map(({ id }) => id)
  return (splitList(textOption(invocation, 'figures')) ?? []).map((name) => {
    const found = known.find((id) => id === name)
    if (found !== undefined) return found
    const meant = nearestName(name, known)
    throw new InputError([
      `--figures: unknown figure ${name}${meant === null ? '.' : `, did you mean ${meant}?`} Known: ${known.join(', ')}`,
    ])
  })
}

/** `folder` holds the artifacts of the place, unpacked where they are published ones. */
async function summarize(
  folder: string,
  { resultsDir, named }: ArtifactPlace,
  wanted: readonly AskedFigureId[],
  invocation: Invocation,
): Promise<ExitCode> {
  const runId = textOption(invocation, 'run-id') ?? undefined
  const summaries = await readFolder(resultsDir, () => summarizeFolder(folder, runId, named))
  const { aggregates, snapshots, unusable } = summaries
  if (aggregates.length + snapshots.length === 0) {
    if (unusable.length > 0) throw new UnusableFilesError(unusableLines(unusable))
    throw new InputError([
      `${resultsDir} holds no finished answers${runId === undefined ? '' : ` of the run ${runId}`}`,
    ])
  }
  const prices = await loadPrices(resolve(textOption(invocation, 'project') ?? '.'))
  const runs = [...Map.groupBy(aggregates, (aggregate) => aggregate.run_id)].sort(([a], [b]) => (a < b ? -1 : 1))
  if (runs.length > 1)
    invocation.stdout.write(
      `${plural(runs.length, 'run')}: ${oneLine(runs.map(([id]) => id).join(', '))}; --run-id ID prints one alone\n`,
    )
  const asked: AskedValue[] = []
  // Rungs are compared within a run only.
  for (const [run, own] of runs) {
    printAggregates(own, prices, invocation.stdout)
    await printParaphrases(
      summaries.runs.filter(({ runId: id }) => id === run),
      invocation.stdout,
    )
  }
  if (wanted.length > 0) for (const file of summaries.evidence) asked.push(...(await askedFigures(file, wanted)))
  invocation.stdout.write(sanitizeForTerminal(askedText(asked)))
  printSnapshots(snapshots, invocation.stdout)
  const csv = textOption(invocation, 'csv-output')
  if (csv !== null) {
    const written = await writeLongCsv(resolve(csv), { ...summaries, asked: askedRows(asked) })
    invocation.stdout.write(`${resolve(csv)}  sha256 ${written.sha256}\n`)
  }
  const cells = textOption(invocation, 'cells-output')
  if (cells !== null) {
    const written = await writeCellsCsv(resolve(cells), summaries.evidence, prices)
    invocation.stdout.write(`${resolve(cells)}  sha256 ${written.sha256}\n`)
  }
  return reportUnusable(unusable, invocation)
}
