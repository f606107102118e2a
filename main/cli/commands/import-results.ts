import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { Identifier } from '../../../contract/common.ts'
import { countWords, plural } from '../../../contract/words.ts'
import { messageOf } from '../../../core/json.ts'
import { artifactFiles } from '../../evidence/files/artifact-files.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { importRows } from '../../report/import-rows.ts'
import { EXIT, textOption, type Command } from '../command.ts'
import { RUN_OPTIONS } from '../options.ts'

const MOST_LISTED = 20

/** The lines of a file, named for a person. */
async function linesOf(file: string): Promise<{ location: string; text: string }[]> {
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new InputError([`${file} cannot be read: ${messageOf(error)}`])
  })
  return content.split('\n').map((text, index) => ({ location: `${basename(file)}:${index + 1}`, text }))
}

export const importResultsCommand: Command = {
  name: 'import-results',
  positionals: '<rows.jsonl> ...',
  options: { results: { ...RUN_OPTIONS.results, description: 'folder that the snapshots are written into' } },
  async run(invocation) {
    const { positionals, stdout, stderr } = invocation
    if (positionals.length === 0) throw new InputError(['name at least one file of rows (.jsonl)'])
    const folder = resolve(textOption(invocation, 'results') ?? 'results')
    const lines = (await Promise.all(positionals.map(linesOf))).flat()
    const { snapshots, refused, leftOut } = importRows(lines)
    const targets = snapshots.map((snapshot) => {
      const { runId, datasetId } = snapshot
      if (!Identifier.safeParse(runId).success || !Identifier.safeParse(datasetId).success)
        throw new InputError([`run ${runId}, dataset ${datasetId}: such a name cannot be part of a file name`])
      return { ...snapshot, files: artifactFiles(folder, runId, datasetId) }
    })
    const taken = targets.flatMap(({ files }) => [files.matrix, files.evidence].filter((file) => existsSync(file)))
    if (taken.length > 0)
      throw new InputError(taken.map((file) => `${file} exists already: name another folder with --results`))
    await mkdir(folder, { recursive: true })
    for (const { files, matrix, cells } of targets) {
      await writeAtomic(files.matrix, `${JSON.stringify(matrix, null, 1)}\n`)
      stdout.write(`${files.matrix}  ${plural(cells, 'answer')}\n`)
    }
    const notes = [
      ...[...leftOut].map(([field, rows]) => `not taken over: ${field} (${plural(rows, 'row')})`),
      ...(snapshots.length === 0
        ? []
        : ['unknown after this: gold evidence, required points, hops, attempts; so no retrieval or answer scores']),
      ...refused.slice(0, MOST_LISTED).map(({ location, reason }) => `not converted: ${location}: ${reason}`),
      ...(refused.length > MOST_LISTED ? [`… and ${countWords(refused.length - MOST_LISTED)} more lines`] : []),
    ]
    if (notes.length > 0)
      stderr.write(`${sanitizeForTerminal(notes.map((note) => note.replace(/\s+/g, ' ')).join('\n'))}\n`)
    return refused.length > 0 || snapshots.length === 0 ? EXIT.evidenceRefused : EXIT.ok
  },
}
