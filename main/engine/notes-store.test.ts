import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { NotesStore } from './notes-store.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await temporaryFolder('notes')
  file = join(folder, 'notes.json')
})

const ROW = 'a'.repeat(64)
const open = (): Promise<NotesStore> => NotesStore.open(file, (message) => expect.unreachable(message))

describe('NotesStore', () => {
  it('keeps what was written at the same time about runs and cells', async () => {
    const store = await open()
    expect(store.ofRun('constructor')).toEqual({ label: '', starred: false, tags: [], note: '' })
    await Promise.all([
      store.annotateRun('one', { label: 'Larger chunks' }),
      store.annotateRun('one', { starred: true }),
      store.annotateRun('one', { tags: ['draft', 'draft'] }),
      store.annotateRun('constructor', { note: 'kept' }),
      store.annotateCell('one', ROW, { flagged: true, note: 'wrong source' }),
    ])
    const again = await open()
    expect(again.ofRun('one')).toEqual({ label: 'Larger chunks', starred: true, tags: ['draft'], note: '' })
    expect(again.ofRun('constructor').note).toBe('kept')
    expect(again.ofCells('one')).toEqual([{ row_id: ROW, flagged: true, note: 'wrong source' }])
    expect(again.ofCells('two')).toEqual([])
  })

  it('reads notes that were written before runs had labels', async () => {
    const runs = { one: { starred: true, tags: [], note: 'kept' } }
    await writeFile(file, JSON.stringify({ schema_version: 1, runs, cells: {} }))
    expect((await open()).ofRun('one')).toEqual({ label: '', starred: true, tags: [], note: 'kept' })
  })

  it('forgets a cell whose note is empty and whose flag is off', async () => {
    const store = await open()
    await store.annotateCell('one', ROW, { flagged: true, note: '' })
    await store.annotateCell('one', ROW, { flagged: false, note: ' ' })
    expect((await open()).ofCells('one')).toEqual([])
  })

  it('moves a file that it cannot use aside and reports it', async () => {
    await writeFile(file, '{"schema_version": 9}')
    const warnings: string[] = []
    const store = await NotesStore.open(file, (message) => warnings.push(message))
    expect(warnings).toEqual([expect.stringContaining(`renamed to ${file}.unusable`)])
    await store.annotateRun('one', { note: 'new' })
    expect((await readdir(folder)).sort()).toEqual(['notes.json', 'notes.json.unusable'])
    expect(await readFile(`${file}.unusable`, 'utf8')).toBe('{"schema_version": 9}')
  })
})
