import { resolve } from 'node:path'
import { plural } from '../../../contract/words.ts'
import { oneLine } from '../../lib/sanitize-for-terminal.ts'
import { loadPrices } from '../../manifests/own-prices.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { writeCellsCsv } from '../../report/cells-csv.ts'
import { summarizeFolder } from '../../report/folder-summaries.ts'
import { writeLongCsv } from '../../report/long-csv.ts'
import { unusableLines } from '../../report/results-folder.ts'
import { textOption, type Command } from '../command.ts'
import { artifactPlace, RUN_OPTIONS } from '../options.ts'
import { printAggregates, printSnapshots } from '../print-matrix.ts'
import { readFolder, reportUnusable, UnusableFilesError } from '../unusable-files.ts'

export const summarizeCommand: Command = {
  name: 'summarize',
  summary:
    'Sum up finished runs from their evidence: the matrix of each run on the terminal, and all figures as one long CSV.',
  options: {
    project: { ...RUN_OPTIONS.project, description: 'folder from which --results and MATRIX_… files count' },
    results: { ...RUN_OPTIONS.results, description: 'folder with artifacts; published and historical ones work too' },
    'run-id': { type: 'string', hint: 'ID', description: 'only this run' },
    'csv-output': { type: 'string', hint: 'FILE', description: 'where to write the CSV of all figures' },
    'cells-output': {
      type: 'string',
      hint: 'FILE',
      description: 'where to write a CSV with a line per cell: question, answer, scores',
    },
  },
  async run(invocation) {
    const artifacts = artifactPlace(invocation)
    const folder = artifacts.resultsDir
    const runId = textOption(invocation, 'run-id') ?? undefined
    const summaries = await readFolder(folder, () => summarizeFolder(folder, runId, artifacts.named))
    const { aggregates, snapshots, unusable } = summaries
    if (aggregates.length + snapshots.length === 0) {
      if (unusable.length > 0) throw new UnusableFilesError(unusableLines(unusable))
      throw new InputError([`${folder} holds no finished cells${runId === undefined ? '' : ` of the run ${runId}`}`])
    }
    const prices = await loadPrices(resolve(textOption(invocation, 'project') ?? '.'))
    const runs = [...Map.groupBy(aggregates, (aggregate) => aggregate.run_id)].sort(([a], [b]) => (a < b ? -1 : 1))
    if (runs.length > 1)
      invocation.stdout.write(
        `${plural(runs.length, 'run')}: ${oneLine(runs.map(([id]) => id).join(', '))}; --run-id ID prints one alone\n`,
      )
    // Rungs are compared within a run only.
    for (const [, own] of runs) printAggregates(own, prices, invocation.stdout)
    printSnapshots(snapshots, invocation.stdout)
    const csv = textOption(invocation, 'csv-output')
    if (csv !== null) {
      const written = await writeLongCsv(resolve(csv), summaries)
      invocation.stdout.write(`${resolve(csv)}  sha256 ${written.sha256}\n`)
    }
    const cells = textOption(invocation, 'cells-output')
    if (cells !== null) {
      const written = await writeCellsCsv(resolve(cells), summaries.evidence)
      invocation.stdout.write(`${resolve(cells)}  sha256 ${written.sha256}\n`)
    }
    return reportUnusable(unusable, invocation)
  },
}
