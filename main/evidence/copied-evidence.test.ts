import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyRecordOf, copyRecordPathFor } from './copied-evidence.ts'
import { RefusalError } from './errors.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'copied-evidence-'))
  file = join(folder, 'r-smoke-evidence.jsonl')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('a file without a record is no copy', async () => {
  expect(await copyRecordOf(file)).toBeNull()
})

it.each(['', '{"schema_version":1,"data', '{}'])(
  'a record of %j is refused with its place and what to do',
  async (text) => {
    await writeFile(copyRecordPathFor(file), text)
    const refused = await copyRecordOf(file).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(RefusalError)
    expect(String(refused)).toContain(copyRecordPathFor(file))
    expect((refused as RefusalError).refusal.remedy).toContain('remove both files')
  },
)
