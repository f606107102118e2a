import { dirname, extname, resolve } from 'node:path'
import { InputError } from '../../manifests/runner-inputs.ts'
import { ladderPage } from '../../report/html/ladder-page.ts'
import { ladderReportOf, runsIn } from '../../report/ladder-folder.ts'
import { ladderMarkdown } from '../../report/ladder-markdown.ts'
import { writeAtomic } from '../../report/write-atomic.ts'
import { EXIT, textOption, type Command, type Invocation } from '../command.ts'
import { RUN_OPTIONS } from '../run-options.ts'

/** The run that is named, or the only one there is. */
async function chosenRun(invocation: Invocation, folder: string): Promise<string> {
  const runs = await runsIn(folder).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new InputError([`${folder}: no such folder`]) : error
  })
  const named = textOption(invocation, 'run-id')
  if (named !== null && !runs.includes(named)) throw new InputError([`${folder} holds nothing of the run ${named}`])
  if (named !== null) return named
  if (runs.length === 1) return runs[0]!
  throw new InputError([
    runs.length === 0 ? `${folder} holds no finished cells` : `--run-id: name one of ${runs.join(', ')}`,
  ])
}

export const reportCommand: Command = {
  name: 'report',
  summary: 'Write the report of a run: one HTML page with charts that needs no network, or Markdown.',
  options: {
    results: { ...RUN_OPTIONS.results, description: 'folder with artifacts; the published one works too' },
    'run-id': { type: 'string', hint: 'ID', description: 'the run; not needed where there is only one' },
    output: { type: 'string', hint: 'FILE', description: 'where to write: .html, or .md for Markdown' },
  },
  async run(invocation) {
    const folder = resolve(textOption(invocation, 'results') ?? 'results')
    const output = textOption(invocation, 'output')
    if (output === null) throw new InputError(['--output: name the file to write'])
    const file = resolve(output)
    const isMarkdown = extname(file) === '.md'
    if (!isMarkdown && extname(file) !== '.html')
      throw new InputError([`--output: ${output} ends neither in .html nor in .md`])
    const report = await ladderReportOf(folder, await chosenRun(invocation, folder), dirname(file))
    const text = isMarkdown ? ladderMarkdown(report.aggregates, report.artifacts) : ladderPage(report)
    const written = await writeAtomic(file, text)
    invocation.stdout.write(`${file}  sha256 ${written.sha256}\n`)
    return EXIT.ok
  },
}
