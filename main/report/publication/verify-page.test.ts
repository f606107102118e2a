import { hash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { fixtureDataset, goldenContext, goldenRows, streamOf } from '../../../tests/helpers/report-rows.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { sealedJson } from '../../lib/files/sealed-json.ts'
import { ladderPage } from '../html/ladder-page.ts'
import { NO_DIGEST, withDigest } from '../html/page-digest.ts'
import { verifyPage } from './verify-page.ts'

it('each file that a page names is reported as same, changed or missing', async () => {
  const names = ["a & b's 100%.json", 'ä <c>.jsonl', 'gone.json']
  const artifacts = names.map((href) => ({ datasetId: 'd', href, sha256: hash('sha256', href) }))
  const folder = await temporaryFolder()
  const page = join(folder, 'ladder.html')
  await writeFile(page, await ladderPage({ aggregates: [], artifacts }))
  await writeFile(join(folder, names[0]!), names[0]!)
  await writeFile(join(folder, names[1]!), `${names[1]!} `)
  expect((await verifyPage(page)).files).toEqual([
    { name: names[0], state: 'same' },
    { name: names[1], state: 'changed' },
    { name: names[2], state: 'missing' },
  ])
})

async function pageOfFiles(): Promise<{ page: string; text: string }> {
  const folder = await temporaryFolder()
  const small = fixtureDataset('small', 'Small', 1)
  const aggregate = await aggregateRun(streamOf(goldenRows(small)), goldenContext(small))
  const href = 'run-1-d-evaluation.json'
  const { sha256 } = await writeAtomic(join(folder, href), sealedJson(JSON.stringify(aggregate)))
  const page = join(folder, 'report.html')
  const text = await ladderPage({
    aggregates: [aggregate],
    artifacts: [{ datasetId: aggregate.dataset.id, href, sha256 }],
  })
  await writeFile(page, text)
  return { page, text }
}

it('a page is the one that its files give, has their figures in other words, or has other figures', async () => {
  const { page, text } = await pageOfFiles()
  expect((await verifyPage(page)).page).toBe('remade')
  const withNewDigest = (changed: string): string =>
    withDigest(changed.replace(/(?<=page-sha256" content=")\w+/, NO_DIGEST))
  await writeFile(page, withNewDigest(text.replace('Which retrieval approach', 'What')))
  expect((await verifyPage(page)).page).toBe('figures')
  const figure = />(0\.\d+)</.exec(text)![1]!
  await writeFile(page, withNewDigest(text.replace(`>${figure}<`, '>0.999<')))
  expect((await verifyPage(page)).page).toBe('other_figures')
})

it.each(['Which retrieval approach', '</html>', '.banner', 'use strict'])(
  'a change of %j in a page is noticed',
  async (part) => {
    const { page, text } = await pageOfFiles()
    expect(text).toContain(part)
    await writeFile(page, text.replace(part, part.replace(/\w/, 'x')))
    const { page: state, files } = await verifyPage(page)
    expect([state, files.map((file) => file.state)]).toEqual(['changed', ['same']])
  },
)

it('a page from before pages had a digest is named as one, and one without files has its digest alone', async () => {
  const { page, text } = await pageOfFiles()
  const older = text.replace(/<meta name="page-sha256"[^>]*>/, '')
  await writeFile(page, older)
  expect((await verifyPage(page)).page).toBe('figures')
  await writeFile(page, older.replace(/>0\.\d+</, '>0.999<'))
  expect((await verifyPage(page)).page).toBe('absent')
  await writeFile(page, await ladderPage({ aggregates: [], artifacts: [] }))
  expect(await verifyPage(page)).toEqual({ files: [], page: 'remade' })
})
