import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { ALIASES, evaluation, fixtureDataset, fixtureRow, goldenRows } from '../../tests/helpers/report-rows.ts'
import { sealRow } from '../evidence/rows/row-line.ts'
import { readEvidenceRows, readFigureRows } from './read-evidence.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await temporaryFolder('report-read')
  file = join(dir, 'x-evidence.jsonl')
})

const dataset = fixtureDataset('subset', 'Subset', 1)
const rows = goldenRows(dataset)
const sealed = (row: CanonicalRow): Buffer => {
  const result = sealRow(row)
  if (!result.ok) throw new Error(result.problem)
  return result.line
}
const read = (): Promise<CanonicalRow[]> => Array.fromAsync(readEvidenceRows(file))
const refusal = () =>
  read().then(
    () => null,
    (error: unknown) => error,
  )

it('figures of a row whose grading was refused have its trace, which holds what the service said; others have none', async () => {
  const step = { name: 'evaluator: m', kind: 'model', start_ms: 0, duration_ms: 1, error: 'HTTP 402' } as const
  const trace = { level: 'tree' as const, steps: [step] }
  const refused = evaluation({}, { status: 'error', metric_errors: { faithfulness: 'BadRequestError' } })
  const all = [0, 1, 2].map((index) => ({
    ...fixtureRow(dataset, ALIASES.vanilla, index, index === 1 ? { ragas: refused } : {}),
    trace,
  }))
  await writeFile(file, Buffer.concat(all.map(sealed)))
  const found = (await Array.fromAsync(readFigureRows(file))).flat().slice(1)
  expect(found.map((row) => row.trace)).toEqual([trace, undefined])
})

describe('readEvidenceRows', () => {
  it('yields every row in file order, with lines longer than a read and text outside ASCII', async () => {
    const long = fixtureRow(dataset, ALIASES.adaptive, 0, { answer: 'long ▲ '.repeat(400_000) })
    const all = [...rows, long, fixtureRow(dataset, ALIASES.adaptive, 1)]
    await writeFile(
      file,
      all.map(sealed).reduce((a, b) => Buffer.concat([a, b])),
    )
    const back = (await read()).map(({ checksum: _checksum, ...row }) => row)
    expect(back).toEqual(all)
  })

  it('reads each row as it was where provenance differs, is absent from its place or is quoted in an answer', async () => {
    const [row] = rows as [CanonicalRow]
    const other = { ...row.reproducibility, seed: 'other' }
    const metadata = { other: 1, reproducibility: row.reproducibility }
    const text = `,"reproducibility":${JSON.stringify(row.reproducibility)}`
    const all = [
      row,
      { ...rows[1]!, reproducibility: other },
      rows[2]!,
      { ...rows[3]!, evidence: { ...rows[3]!.evidence!, answer: text, approach_metadata: metadata } },
      rows[4]!,
    ]
    await writeFile(file, all.map((each) => `${JSON.stringify(each)}\n`).join(''))
    expect(await read()).toEqual(all)
    const { reproducibility: _none, ...without } = {
      ...rows[5]!,
      error: { type: 'http_error', message: 'x', reproducibility: row.reproducibility },
    }
    await writeFile(file, `${JSON.stringify(row)}\n${JSON.stringify(without)}\n`)
    expect(await refusal()).toMatchObject({ code: 'malformed_line', data: { line: 2 } })
  })

  it('reads an empty file as no rows', async () => {
    await writeFile(file, '')
    expect(await read()).toEqual([])
  })

  it('reads lines without a checksum', async () => {
    await writeFile(file, `${JSON.stringify(rows[0])}\n`)
    expect(await read()).toEqual([rows[0]])
  })

  it('refuses the line where rows with a checksum and rows without one meet, and one without it of a version that writes it', async () => {
    const plain = (row: CanonicalRow): Buffer => Buffer.from(`${JSON.stringify(row)}\n`)
    const { reproducibility } = rows[2]!
    const runtime = { ...reproducibility.runtime, platform: { version: '0.2.0', revision: null } }
    for (const lines of [
      [sealed(rows[0]!), sealed(rows[1]!), plain(rows[2]!)],
      [plain(rows[0]!), plain(rows[1]!), sealed(rows[2]!)],
      [plain(rows[0]!), plain(rows[1]!), plain({ ...rows[2]!, reproducibility: { ...reproducibility, runtime } })],
    ]) {
      await writeFile(file, Buffer.concat(lines))
      expect(await refusal()).toMatchObject({
        code: 'malformed_line',
        data: { line: 3 },
        message: expect.stringContaining('checksum is missing') as string,
      })
    }
  })

  it.each([
    ['malformed_line', 3, Buffer.from('{"schema_version":1\n')],
    ['malformed_line', 3, Buffer.from('{"schema_version":2}\n')],
    ['malformed_line', 3, Buffer.from('null\n')],
    ['malformed_line', 3, Buffer.from('\n')],
    [
      'malformed_line',
      3,
      Buffer.concat([Buffer.from('{"schema_version":1,"row_id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]),
    ],
    ['torn_tail', 3, Buffer.from('{"schema')],
    ['duplicate_row', 3, sealed(rows[0]!)],
  ])('refuses %s at line %i', async (code, line, bytes) => {
    await writeFile(file, Buffer.concat([sealed(rows[0]!), sealed(rows[1]!), bytes]))
    expect(await refusal()).toMatchObject({ name: 'ReportError', code, data: { file, line } })
  })

  it('refuses a flipped byte that leaves the JSON valid', async () => {
    const line = sealed(rows[0]!)
    const at = line.indexOf('Subset')
    line[at] = 'Z'.charCodeAt(0)
    await writeFile(file, sealed(rows[1]!))
    await appendFile(file, line)
    expect(await refusal()).toMatchObject({ code: 'malformed_line', data: { line: 2 } })
  })

  it('names a file that is not there', async () => {
    expect(await refusal()).toMatchObject({ code: 'unreadable', data: { file } })
  })
})
