import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ladderPage } from '../html/ladder-page.ts'
import { verifyPage } from './verify-page.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-page-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('each file that a page names is reported as same, changed or missing', async () => {
  const names = ["a & b's 100%.json", 'ä <c>.jsonl', 'gone.json']
  const artifacts = names.map((href) => ({
    datasetId: 'd',
    href,
    sha256: createHash('sha256').update(href).digest('hex'),
  }))
  const page = join(folder, 'ladder.html')
  await writeFile(page, await ladderPage({ aggregates: [], artifacts }))
  await writeFile(join(folder, names[0]!), names[0]!)
  await writeFile(join(folder, names[1]!), `${names[1]!} `)
  expect(await verifyPage(page)).toEqual([
    { name: names[0], state: 'same' },
    { name: names[1], state: 'changed' },
    { name: names[2], state: 'missing' },
  ])
})

it('finds nothing to compare in a page without hashes', async () => {
  const page = join(folder, 'bare.html')
  await writeFile(page, await ladderPage({ aggregates: [], artifacts: [] }))
  expect(await verifyPage(page)).toEqual([])
})
