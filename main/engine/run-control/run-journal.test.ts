import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { StoredRunRequest } from '../../../contract/control/run-job.ts'
import { RunJournal, type JournalEntry } from './run-journal.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder('journal')
})

const entry = (run_id: string, state: JournalEntry['state'] = 'running'): JournalEntry => ({
  schema_version: 1,
  run_id,
  state,
  request: StoredRunRequest.parse({ dataset_ids: ['smoke'], models: ['vanilla-rag'] }),
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: null,
  finished_at: null,
  failures: [],
  retry_of: null,
  order: 1,
  cells: null,
  datasets: [],
  cold_datasets: [],
})

describe('RunJournal', () => {
  it('is empty before the first run', async () => {
    expect(await new RunJournal(join(folder, 'missing')).load(() => undefined)).toEqual([])
  })

  it('gives back what was saved last, whatever was saved at the same time', async () => {
    const journal = new RunJournal(folder)
    const states = ['queued', 'running', 'pausing', 'paused'] as const
    await Promise.all([...states.map((state) => journal.save(entry('one', state))), journal.save(entry('two'))])
    const loaded = await new RunJournal(folder).load(() => undefined)
    expect(loaded.sort((a, b) => (a.run_id < b.run_id ? -1 : 1))).toEqual([entry('one', 'paused'), entry('two')])
    expect((await readdir(folder)).sort()).toEqual(['one.json', 'two.json'])
  })

  it.each([
    ['no JSON', '{"schema_version": 1,'],
    ['another form', '{"schema_version": 2}'],
    ['another run’s name', JSON.stringify(entry('elsewhere'))],
  ])('sets a file with %s aside and reports it', async (_what, text) => {
    await writeFile(join(folder, 'bad.json'), text)
    const warnings: string[] = []
    expect(await new RunJournal(folder).load((message) => warnings.push(message))).toEqual([])
    expect(warnings).toHaveLength(1)
    expect(await readdir(folder)).toEqual(['bad.json.unusable'])
  })
})
