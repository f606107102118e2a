import { resolve } from 'node:path'
import { writeLongCsv } from '../../report/long-csv.ts'
import { summarizeFolder } from '../../report/summarize-folder.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { EXIT, textOption, type Command } from '../command.ts'
import { RUN_OPTIONS } from '../run-options.ts'
import { printAggregates } from '../print-matrix.ts'

export const summarizeCommand: Command = {
  name: 'summarize',
  summary: 'Sum up finished runs from their evidence: the matrix on the terminal, and all figures as one long CSV.',
  options: {
    results: { ...RUN_OPTIONS.results, description: 'folder with artifacts; published and historical ones work too' },
    'run-id': { type: 'string', hint: 'ID', description: 'only this run' },
    'csv-output': { type: 'string', hint: 'FILE', description: 'where to write the CSV' },
  },
  async run(invocation) {
    const folder = resolve(textOption(invocation, 'results') ?? 'results')
    const summaries = await summarizeFolder(folder, textOption(invocation, 'run-id') ?? undefined)
    if (summaries.aggregates.length + summaries.snapshots.length === 0)
      throw new InputError([
        `${folder} holds no finished cells${invocation.values['run-id'] === undefined ? '' : ' of this run'}`,
      ])
    printAggregates(summaries.aggregates, invocation.stdout)
    const csv = textOption(invocation, 'csv-output')
    if (csv === null) return EXIT.ok
    const written = await writeLongCsv(resolve(csv), summaries)
    invocation.stdout.write(`${resolve(csv)}  sha256 ${written.sha256}\n`)
    return EXIT.ok
  },
}
