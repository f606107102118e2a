import { appendFile, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { ExperimentSource } from './experiment-source.ts'

let root: string
let changes: number
let source: ExperimentSource

beforeEach(async () => {
  root = await temporaryFolder()
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  await Promise.all(
    ['baseline_curated', 'cyber_threat_intel', 'graph_native', 'mixed_formats', 'spoken_notes'].map((id) =>
      rm(join(root, `manifests/datasets/${id}.yaml`)),
    ),
  )
  changes = 0
  source = new ExperimentSource(root, {}, () => (changes += 1))
})

afterEach(() => source.close())

it('the manifests are loaded once while no file of theirs changes', async () => {
  const first = await source.current()
  expect(await source.current()).toBe(first)
  expect(changes).toBe(0)
})

it('an edited manifest is loaded again, and the change is reported', async () => {
  const first = await source.current()
  await source.current()
  await appendFile(join(root, 'manifests/consumer.yaml'), '# edited\n')
  expect(await source.current()).not.toBe(first)
  await expect.poll(() => changes).toBe(1)
})

it('a dataset of the person’s own that appears, and one that is repaired, is reported without being asked for', async () => {
  await source.current()
  source.watch()
  const folder = join(root, 'datasets/harbour')
  await mkdir(join(folder, 'documents'), { recursive: true })
  await writeFile(join(folder, 'dataset.yaml'), 'version: 1\nlabel: Harbour\nquestions: none\n')
  await expect.poll(() => changes, { timeout: 10_000 }).toBe(1)
  const unread = (await source.current()).unusable.length
  await writeFile(join(folder, 'dataset.yaml'), 'version: 1\nlabel: Harbour\nquestions: []\n')
  await expect.poll(() => changes, { timeout: 10_000 }).toBe(2)
  expect([unread, (await source.current()).unusable.length]).toEqual([1, 0])
})
