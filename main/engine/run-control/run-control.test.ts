import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { StoredRunRequest } from '../../../contract/control/run-job.ts'
import type { PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { EventHub } from '../event-hub.ts'
import { RunControl } from './run-control.ts'
import { RunJournal } from './run-journal.ts'

let folder: string
/** Journals are stored here; a file in its place makes every write fail as a full or read-only disk does. */
let journalFolder: string
let started: string[]
beforeEach(async () => {
  folder = await temporaryFolder('runs')
  journalFolder = join(folder, 'runs')
  started = []
})

async function breakJournal(): Promise<void> {
  await rename(journalFolder, `${journalFolder}-away`).catch(() => undefined)
  await writeFile(journalFolder, 'not a folder')
}

async function repairJournal(): Promise<void> {
  await rm(journalFolder)
  await rename(`${journalFolder}-away`, journalFolder).catch(() => undefined)
}

const request = (run_id: string) => ({
  ...StoredRunRequest.parse({ dataset_ids: ['smoke'], models: ['vanilla-rag'] }),
  run_id,
})

/** Runs end at once, because their request has a problem; `started` lists those that were begun. */
const openControl = (): Promise<RunControl> =>
  RunControl.open({
    journal: new RunJournal(journalFolder),
    hub: new EventHub(),
    artifacts: { resultsDir: folder, named: {} },
    prepare: async ({ run_id }) => {
      started.push(run_id!)
      return { ok: false, problems: [{ path: 'models', message: 'refused by the test' }] }
    },
    beginPlatform: () => Promise.reject(new Error('no platform in this test')),
    endPlatform: () => undefined,
    report: () => undefined,
  })

/** Resolves once the run's end is recorded too: a journal that a test breaks before would lose it. */
const ended = (control: RunControl, runId: string): Promise<unknown> =>
  expect.poll(() => [control.stateOf(runId), control.isIdle], { timeout: 5000 }).toEqual(['failed', true])

describe('RunControl whose journal cannot be written', () => {
  it('does not start a run later whose start was refused', async () => {
    const control = await openControl()
    await breakJournal()
    await expect(control.queueRun(request('first'))).rejects.toMatchObject({ error: { code: 'journal_not_written' } })
    expect(control.isIdle).toBe(true)
    expect(control.jobs()).toEqual([])
    await repairJournal()
    await control.queueRun(request('second'))
    await ended(control, 'second')
    expect(started).toEqual(['second'])
  })

  it('keeps the former state of a run whose second start was refused', async () => {
    const control = await openControl()
    await control.queueRun(request('first'))
    await ended(control, 'first')
    await breakJournal()
    await expect(control.queueRun(request('first'))).rejects.toThrow('Cannot record the state of run first')
    expect(control.stateOf('first')).toBe('failed')
    await repairJournal()
    expect(JSON.parse(await readFile(join(journalFolder, 'first.json'), 'utf8'))).toMatchObject({ state: 'failed' })
  })

  it('does not start a run later whose resume was refused', async () => {
    const control = await openControl()
    await control.queueRun(request('first'))
    await ended(control, 'first')
    started = []
    await breakJournal()
    await expect(control.resume('first')).rejects.toMatchObject({ error: { code: 'journal_not_written' } })
    expect(control.jobs()).toMatchObject([{ run_id: 'first', state: 'failed', resumable: true }])
    await repairJournal()
    await control.queueRun(request('second'))
    await ended(control, 'second')
    expect(started).toEqual(['second'])
  })
})

describe('what the start of a run prepared', () => {
  // Its platform is refused, so that the run ends at once.
  const prepared = { datasets: [] } as unknown as PreparedRun

  it('is used where the run need not wait, and prepared again where it is resumed', async () => {
    const control = await openControl()
    await control.queueRun(request('first'), { prepared })
    await ended(control, 'first')
    expect(started).toEqual([])
    await control.resume('first')
    await ended(control, 'first')
    expect(started).toEqual(['first'])
  })

  it('is prepared again where the run waits for another: manifests may be edited meanwhile', async () => {
    const control = await openControl()
    await Promise.all([
      control.queueRun(request('first'), { prepared }),
      control.queueRun(request('second'), { prepared }),
    ])
    await ended(control, 'first')
    await ended(control, 'second')
    // Which one of them waits depends on whose journal is written first.
    expect(started).toHaveLength(1)
  })
})
