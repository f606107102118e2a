import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { ladderPage } from '../html/ladder-page.ts'
import { verifyPage } from './verify-page.ts'

it('each file that a page names is reported as same, changed or missing', async () => {
  const names = ["a & b's 100%.json", 'ä <c>.jsonl', 'gone.json']
  const artifacts = names.map((href) => ({ datasetId: 'd', href, sha256: hash('sha256', href) }))
  const folder = await temporaryFolder()
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
  const page = join(await temporaryFolder(), 'bare.html')
  await writeFile(page, await ladderPage({ aggregates: [], artifacts: [] }))
  expect(await verifyPage(page)).toEqual([])
})
