import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import {
  matrixDataset as dataset,
  matrixFrame as frame,
  matrixText,
  toMatrix,
} from '../../../tests/helpers/matrix-in-memory.ts'
import { ALIASES, fixtureRow, goldenRows, streamOf } from '../../../tests/helpers/report-rows.ts'
import { MatrixSpool } from './matrix-spool.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await temporaryFolder('spool')
  path = join(folder, 'deep', 'x-matrix.json')
})

const long = fixtureRow(dataset, ALIASES.vanilla, 0, { repeat: 2 })
// More than is written at once, and letters of several bytes.
const LONG = { ...long, evidence: { ...long.evidence!, answer: 'ü€😀'.repeat(300_000) } }

it.each([
  ['no row', []],
  ['rows of several questions, approaches and failures', goldenRows(dataset)],
  ['rows in another order, one with an answer of megabytes', [LONG, ...goldenRows(dataset).toReversed()]],
])('writes the bytes of a matrix that is held in memory: %s', async (_name, rows) => {
  const spool = await MatrixSpool.open(path, frame)
  for (const row of rows) await spool.add(row)
  const order = { models: ['vanilla-rag'], questionIds: ['q-1'] }
  const { sizeBytes } = await spool.write(order)
  await spool.close()
  const text = await readFile(path, 'utf8')
  expect(text).toBe([...matrixText(await toMatrix(streamOf(rows), { ...frame, ...order }))].join(''))
  expect(Buffer.byteLength(text)).toBe(sizeBytes)
  expect(await readdir(join(folder, 'deep'))).toEqual(['x-matrix.json'])
})

it('refuses a row of another run and leaves neither matrix nor temporary file', async () => {
  const spool = await MatrixSpool.open(path, { ...frame, runId: 'another' })
  await expect(spool.add(goldenRows(dataset)[0]!)).rejects.toMatchObject({ code: 'foreign_row' })
  await spool.close()
  expect(await readdir(join(folder, 'deep'))).toEqual([])
})
