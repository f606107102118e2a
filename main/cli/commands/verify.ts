import { verifyEvidence } from '../../evidence/verify-evidence.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { sanitizeForTerminal } from '../../report/sanitize-for-terminal.ts'
import { verifyPage } from '../../report/verify-page.ts'
import { EXIT, flagOption, type Command, type Invocation } from '../command.ts'

const SIGNS = { same: '●', changed: '▲', missing: '✕' } as const

/** Whether every file that a report page was made from is still the one beside it. */
async function pageHolds(page: string, invocation: Invocation): Promise<boolean> {
  const files = await verifyPage(page)
  if (files.length === 0) throw new InputError([`${page} carries no hashes: it is no report, or was made of no files`])
  const same = files.filter(({ state }) => state === 'same').length
  const ok = same === files.length
  const lines = flagOption(invocation, 'json')
    ? [JSON.stringify({ page, ok, files })]
    : [
        `${ok ? '●' : '▲'} ${page}: ${same} of ${files.length} files are those that its figures come from`,
        ...files.filter(({ state }) => state !== 'same').map(({ name, state }) => `  ${SIGNS[state]} ${state} ${name}`),
      ]
  invocation.stdout.write(`${sanitizeForTerminal(lines.join('\n'))}\n`)
  return ok
}

export const verifyCommand: Command = {
  name: 'verify',
  summary:
    'Check every byte of evidence files (form, checksums, row ids, duplicates, torn tails), or the files behind a report page.',
  positionals: '<evidence.jsonl | report.html> ...',
  options: { json: { type: 'boolean', description: 'print the reports as JSON lines' } },
  async run(invocation) {
    if (invocation.positionals.length === 0) throw new InputError(['name at least one evidence file or report page'])
    let damaged = false
    for (const file of invocation.positionals) {
      if (file.endsWith('.html')) {
        damaged = !(await pageHolds(file, invocation)) || damaged
        continue
      }
      const report = await verifyEvidence(file)
      damaged ||= !report.ok
      if (flagOption(invocation, 'json')) {
        invocation.stdout.write(`${JSON.stringify(report)}\n`)
        continue
      }
      const waiting = report.pendingAnswers === 0 ? '' : `, ${report.pendingAnswers} answers wait for evaluation`
      const head = `${report.ok ? '●' : '▲'} ${file}: ${report.rows} rows, ${report.sealedRows} with checksum, ${report.sizeBytes} bytes, index ${report.index}${waiting}`
      const problems = report.problems.map(({ message, remedy }) => `  ${message}\n    ${remedy}`)
      const more = report.problemCount - report.problems.length
      const tail = more > 0 ? [`  … and ${more} more`] : []
      invocation.stdout.write(
        `${sanitizeForTerminal([head, `  sha256 ${report.sha256}`, ...problems, ...tail].join('\n'))}\n`,
      )
    }
    return damaged ? EXIT.evidenceRefused : EXIT.ok
  },
}
