import { basename, dirname, extname, join, resolve } from 'node:path'
import { plural } from '../../../contract/words.ts'
import type { ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { ladderReportOf, runsIn } from '../../report/publication/folder-summaries.ts'
import { loadHistorical } from '../../report/publication/historical.ts'
import { ladderPage } from '../../report/html/ladder-page.ts'
import { ladderMarkdown } from '../../report/markdown/ladder-markdown.ts'
import { unusableLines, type ResultsFolder } from '../../report/publication/results-folder.ts'
import { canHoldSite, writeSite } from '../../report/html/site/write-site.ts'
import { textOption, textValue, type Command, type ExitCode, type Invocation } from '../command.ts'
import { artifactPlace, RUN_OPTIONS } from '../options.ts'
import { KEY_EXAMPLES_OPTION, keyCheck } from '../key-check.ts'
import { reportUnusable, scanArtifacts, UnusableFilesError } from '../unusable-files.ts'

/** The run that is named, or the only one there is. */
async function chosenRun(invocation: Invocation, dir: string, folder: ResultsFolder): Promise<string> {
  const runs = runsIn(folder)
  const named = textOption(invocation, 'run-id')
  if (named !== null && runs.includes(named)) return named
  if (named === null && runs.length === 1) return runs[0]!
  if (named === null && runs.length > 1) throw new InputError([`--run-id: name one of ${runs.join(', ')}`])
  const problems = [
    named === null
      ? `${dir} holds no finished answers`
      : `${dir} holds nothing of the run ${named}${runs.length === 0 ? '' : `; its runs are ${runs.join(', ')}`}`,
  ]
  if (folder.unusable.length > 0) throw new UnusableFilesError([...problems, ...unusableLines(folder.unusable)])
  const { snapshots } = await loadHistorical(dir)
  if (snapshots.length > 0)
    problems.push(
      `It holds historical snapshots (${snapshots.map(({ name }) => name).join(', ')}): a report needs evidence. Use rag-ladder summarize, or convert their rows with rag-ladder import-results.`,
    )
  throw new InputError(problems)
}

export const reportCommand: Command = {
  name: 'report',
  options: {
    project: { ...RUN_OPTIONS.project, description: 'folder from which --results and MATRIX_… files count' },
    results: { ...RUN_OPTIONS.results, description: 'folder with artifacts; the published one works too' },
    'run-id': textValue('ID', 'the run; not needed where there is only one'),
    output: textValue(
      'FILE',
      'where to write: .html, or .md for Markdown; <run>-report.html in the folder of --results unless given',
    ),
    'allow-key-examples': KEY_EXAMPLES_OPTION,
    site: textValue('FOLDER', 'write a leaderboard of all runs instead: index.html and a page for each run'),
  },
  async run(invocation) {
    const artifacts = artifactPlace(invocation)
    const site = textOption(invocation, 'site')
    if (site !== null) return writeWholeSite(site, artifacts, invocation)
    const output = textOption(invocation, 'output')
    const isMarkdown = output !== null && extname(output) === '.md'
    if (output !== null && !isMarkdown && extname(output) !== '.html')
      throw new InputError([`--output: ${output} ends neither in .html nor in .md`])
    const found = await scanArtifacts(artifacts)
    const runId = await chosenRun(invocation, artifacts.resultsDir, found)
    const file = output === null ? join(artifacts.resultsDir, `${runId}-report.html`) : resolve(output)
    const report = await ladderReportOf(found, runId, dirname(file))
    if (report.aggregates.length === 0) throw new UnusableFilesError(unusableLines(report.unusable))
    const text = isMarkdown
      ? ladderMarkdown(report.aggregates, report.artifacts, report.unusable, report.paraphrases)
      : await ladderPage(report)
    ;(await keyCheck(invocation, 'report'))(text, basename(file))
    const written = await writeAtomic(file, text)
    invocation.stdout.write(`${file}  sha256 ${written.sha256}\n`)
    return reportUnusable(report.unusable, invocation)
  },
}

async function writeWholeSite(site: string, artifacts: ArtifactPlace, invocation: Invocation): Promise<ExitCode> {
  const others = ['output', 'run-id'].filter((name) => textOption(invocation, name) !== null)
  if (others.length > 0) throw new InputError(others.map((name) => `--${name}: --site writes all runs`))
  const folder = resolve(site)
  if (!(await canHoldSite(folder)))
    throw new InputError([`--site: ${site} has an index.html that is no site of runs; name another folder`])
  const { runs, unusable } = await writeSite(
    await scanArtifacts(artifacts),
    folder,
    await keyCheck(invocation, `report --site ${site}`),
  )
  if (runs.length === 0 && unusable.length > 0) throw new UnusableFilesError(unusableLines(unusable))
  invocation.stdout.write(`${join(folder, 'index.html')}  ${plural(runs.length, 'run')}\n`)
  return reportUnusable(unusable, invocation)
}
