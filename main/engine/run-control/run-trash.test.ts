import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { listTrash } from '../../lib/files/trash.ts'
import { removeRun, restoreRun, type RunTrashPlace } from './run-trash.ts'

let root: string
let place: RunTrashPlace
let resultsDir: string
beforeEach(async () => {
  root = await temporaryFolder('trash')
  resultsDir = join(root, 'results')
  place = { root, stateDir: join(root, '.rag-ladder'), artifacts: { resultsDir, named: {} } }
  await mkdir(resultsDir)
})

const write = (name: string, text: string): Promise<void> => writeFile(join(resultsDir, name), text)
/** Lock folders stay: a removed lock no longer excludes other processes. */
const names = async (): Promise<string[]> => (await readdir(resultsDir)).filter((name) => !name.includes('lock')).sort()

async function writeRun(runId: string): Promise<void> {
  await write(`${runId}-smoke-evidence.jsonl`, `{"run_id":"${runId}"}\n`)
  await write(`${runId}-smoke-evaluation.json`, '{}')
  await write(`${runId}-smoke-judgments.json`, '{"judged": true}')
}

describe('the trash of runs', () => {
  it('takes every file of the run, none of another one, and gives all back', async () => {
    await writeRun('one')
    await writeRun('one-2')
    const removed = await removeRun(place, 'one', ['smoke'], null)
    expect(removed).toMatchObject({ run_id: 'one', files: 3 })
    expect(await names()).toEqual([
      'one-2-smoke-evaluation.json',
      'one-2-smoke-evidence.jsonl',
      'one-2-smoke-judgments.json',
    ])
    expect(await listTrash(place.stateDir)).toEqual([removed])
    expect((await restoreRun(place, removed.trash_id)).run).toEqual(removed)
    expect((await names()).filter((name) => !name.startsWith('one-2'))).toHaveLength(3)
    expect(await readFile(join(resultsDir, 'one-smoke-judgments.json'), 'utf8')).toBe('{"judged": true}')
    expect(await listTrash(place.stateDir)).toEqual([])
  })

  it('does not restore over a run of the same name', async () => {
    await writeRun('one')
    const { trash_id } = await removeRun(place, 'one', ['smoke'], null)
    await write('one-smoke-evidence.jsonl', 'new\n')
    await expect(restoreRun(place, trash_id)).rejects.toThrow('one-smoke-evidence.jsonl is there again')
    expect(await readFile(join(resultsDir, 'one-smoke-evidence.jsonl'), 'utf8')).toBe('new\n')
    expect(await listTrash(place.stateDir)).toHaveLength(1)
  })

  it('restores what a crash left half moved', async () => {
    await writeRun('one')
    const { trash_id } = await removeRun(place, 'one', ['smoke'], null)
    // As if the process had died before this file was moved.
    const folder = join(place.stateDir, 'run-trash', trash_id)
    const stored = (await readdir(folder)).find((name) => name.endsWith('one-smoke-evaluation.json'))!
    await write('one-smoke-evaluation.json', await readFile(join(folder, stored), 'utf8'))
    await rm(join(folder, stored))
    await restoreRun(place, trash_id)
    expect(await names()).toHaveLength(3)
  })

  it('refuses a run without files, and a name outside the trash', async () => {
    await expect(removeRun(place, 'none', ['smoke'], null)).rejects.toThrow('none has no file')
    await expect(restoreRun(place, '../run-trash/none')).rejects.toThrow('the trash has no')
  })
})
