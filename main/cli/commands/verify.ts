import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { countWords, plural } from '../../../contract/words.ts'
import { verifyEvidence, type EvidenceReport } from '../../evidence/verify-evidence.ts'
import { readSealedJson } from '../../lib/files/sealed-json.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { parseJudgments } from '../../report/aggregate/judge-input.ts'
import { parseAggregate } from '../../report/aggregate/stored-aggregate.ts'
import { removedRows } from '../../report/publication/removed-rows.ts'
import { unpackedForUse } from '../../report/publication/published-folder.ts'
import { verifyPage, type PageState } from '../../report/publication/verify-page.ts'
import { EXIT, flag, flagOption, type Command, type Invocation } from '../command.ts'
import { evidenceArguments, pickOptions } from '../options.ts'

const SIGNS = { same: '●', changed: '▲', missing: '✕' } as const

const WRITE_AGAIN = 'rag-ladder report writes it again from the files'

const PAGE_WORDS: Readonly<Record<PageState, string>> = {
  remade: '● this version writes the same page, character by character, from these files',
  figures:
    '● its figures are those that this version takes from these files; its words are not compared, because another version wrote them',
  other_figures: `▲ changed: its figures are not those that this version takes from these files; ${WRITE_AGAIN}`,
  same: '○ the page matches the digest in it, which whoever changes a page can make again; its figures could not be made again from these files',
  changed: `▲ changed: the page does not match the digest in it; ${WRITE_AGAIN}`,
  absent: `○ the page has no digest, as before pages had one, and its figures are not those that this version takes from these files, or could not be compared; ${WRITE_AGAIN}`,
}

/** Returns true when a report page is as it was written, and every file that it was made from is still the one beside it. */
async function pageHolds(page: string, invocation: Invocation): Promise<boolean> {
  const { files, page: state } = await verifyPage(page)
  if (files.length === 0 && state === 'absent')
    throw new InputError([`${page} carries no hashes: it is not a report, or it was made from no files`])
  const same = files.filter((file) => file.state === 'same').length
  const ok = same === files.length && !['changed', 'other_figures'].includes(state)
  const lines = flagOption(invocation, 'json')
    ? [JSON.stringify({ page, ok, state, files })]
    : [
        `${ok ? '●' : '▲'} ${page}: ${same} of ${plural(files.length, 'file')} unchanged since its figures were made`,
        `  ${PAGE_WORDS[state]}`,
        ...files
          .filter((file) => file.state !== 'same')
          .map((file) => `  ${SIGNS[file.state]} ${file.state} ${file.name}`),
      ]
  invocation.stdout.write(`${sanitizeForTerminal(lines.join('\n'))}\n`)
  return ok
}

/** Summaries and judgments: written as a whole, with a checksum at their end. */
const SEALED = /-(evaluation|judgments)\.json(?:\.br)?$/

const SEALS = {
  intact: 'with checksum',
  absent: 'without checksum, as it was written before such files had one: a changed figure would not be noticed',
  broken: '',
} as const

/** Returns true when a summary or judgments file can be used. */
async function sealHolds(file: string, invocation: Invocation): Promise<boolean> {
  const text = await unpackedForUse(file, (plain) => readFile(plain, 'utf8'))
  const problem = file.match(SEALED)![1] === 'evaluation' ? problemOfSummary(text) : problemOfJudgments(text, file)
  const ok = problem === null
  const seal = readSealedJson(text)?.seal ?? 'broken'
  const line = flagOption(invocation, 'json')
    ? JSON.stringify({ file, ok, seal, problem })
    : `${ok ? '●' : '▲'} ${file}: ${problem ?? SEALS[seal]}`
  invocation.stdout.write(`${sanitizeForTerminal(line)}\n`)
  return ok
}

function problemOfSummary(text: string): string | null {
  const parsed = parseAggregate(text)
  return parsed.ok ? null : parsed.issues[0]!
}

function problemOfJudgments(text: string, file: string): string | null {
  const input = parseJudgments(text, basename(file))
  return input.state === 'unusable' ? input.message : null
}

/** Damaged evidence keeps its name; a file of another name without a single row is something else. */
const holdsEvidence = ({ file, ok, rows }: EvidenceReport): boolean => ok || rows > 0 || /\.jsonl(\.br)?$/.test(file)

/** The report of an evidence file, compared with the summary beside it; a packed one, as results are published, is unpacked. Throws `InputError` for a damaged package. */
async function unpackedReport(file: string): Promise<EvidenceReport> {
  try {
    const report = { ...(await unpackedForUse(file, verifyEvidence)), file }
    const removed = report.ok ? await removedRows(report) : null
    return removed === null ? report : { ...report, ok: false, problems: [removed], problemCount: 1 }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error
    throw new InputError([
      `${file} is damaged and cannot be unpacked (${error.message}): restore it from the project's history`,
    ])
  }
}

/** Why a file cannot be checked at all. */
function problemOf(file: string): string | null {
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) return `${file}: there is no such file`
  if (info.isDirectory()) return `${file} is a folder: name the files in it, ${file}/*.jsonl`
  return info.isFile() ? null : `${file} is not a regular file: name an evidence file or report page`
}

/** Returns what was found of the texts of traces; empty where the file has none beside it. */
const tracesOf = ({ traceTexts, missingTraceTexts }: EvidenceReport): string =>
  traceTexts === null
    ? ''
    : `, ${plural(traceTexts, 'text')} of traces${missingTraceTexts === 0 ? '' : `, ${countWords(missingTraceTexts)} missing`}`

export const verifyCommand: Command = {
  name: 'verify',
  positionals: '<evidence.jsonl | evaluation.json | judgments.json | report.html> ...',
  options: {
    ...pickOptions('project'),
    json: flag('print the reports as JSON lines'),
  },
  async run(invocation) {
    const files = evidenceArguments(invocation)
    if (files.length === 0)
      throw new InputError(['name at least one evidence file or report page, or set MATRIX_CANONICAL_FILE'])
    const problems = files.flatMap((file) => problemOf(file) ?? [])
    if (problems.length > 0) throw new InputError(problems)
    let damaged = false
    for (const file of files) {
      if (file.endsWith('.html')) {
        damaged = !(await pageHolds(file, invocation)) || damaged
        continue
      }
      if (SEALED.test(file)) {
        damaged = !(await sealHolds(file, invocation)) || damaged
        continue
      }
      const report = await unpackedReport(file)
      if (!holdsEvidence(report))
        throw new InputError([
          `${file} is not an evidence file: none of its lines is a row. verify checks <run>-<dataset>-evidence.jsonl, -evaluation.json and -judgments.json, and report pages (.html)`,
        ])
      damaged ||= !report.ok
      if (flagOption(invocation, 'json')) {
        invocation.stdout.write(`${JSON.stringify(report)}\n`)
        continue
      }
      const waiting =
        report.pendingAnswers === 0 ? '' : `, ${plural(report.pendingAnswers, 'answer')} kept for evaluation`
      const again = report.supersededRows === 0 ? '' : `, ${countWords(report.supersededRows)} replaced by a later try`
      const head = `${report.ok ? '●' : '▲'} ${file}: ${plural(report.rows, 'row')}${again}, ${countWords(report.sealedRows)} with checksum, ${plural(report.sizeBytes, 'byte')}${waiting}${tracesOf(report)}`
      const unsealed = report.ok ? report.rows - report.sealedRows : 0
      const warning =
        unsealed === 0
          ? []
          : [`  ${plural(unsealed, 'row')} without checksum: a changed figure in them would not be noticed`]
      const problems = report.problems.map(({ message, remedy }) => `  ${message}\n    ${remedy}`)
      const more = report.problemCount - report.problems.length
      const tail = more > 0 ? [`  … and ${more} more`] : []
      invocation.stdout.write(
        `${sanitizeForTerminal([head, `  sha256 ${report.sha256}`, ...warning, ...problems, ...tail].join('\n'))}\n`,
      )
    }
    return damaged ? EXIT.evidenceRefused : EXIT.ok
  },
}
