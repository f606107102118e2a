import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyRecordOf } from '../../main/evidence/copied-evidence.ts'
import { isProject } from '../../main/shell/project-folder.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { bundledScript } from './bundled-script.ts'
import { DOCUMENT, ROWS, WORK } from './whole-files-child.ts'

const TEMPLATE = ['manifests/consumer.yaml', 'corpus/smoke/a.md']

interface Checks {
  /** Checks what a killed process may leave. */
  left: (folder: string) => Promise<void>
  /** Checks what is there once a process has reached its end. */
  ended: (folder: string) => Promise<void>
}

/** Kills a process before its first request of a file, another before its second, until one reaches its end. The next process completes what a killed one left. */
async function killAtEach(name: keyof typeof WORK, { left, ended }: Checks): Promise<void> {
  const script = await bundledScript('whole-files-child.ts')
  for (let moment = 0; ; moment += 1) {
    const folder = await temporaryFolder(name)
    await mkdir(join(folder, 'template/manifests'), { recursive: true })
    await mkdir(join(folder, 'template/corpus/smoke'), { recursive: true })
    for (const file of TEMPLATE) await writeFile(join(folder, 'template', file), file)
    const child = spawn(process.execPath, [script, name, folder, String(moment)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const end = await once(child, 'exit')
    if (end[1] === null) {
      expect(end).toEqual([0, null])
      // Fewer moments would show nothing.
      expect(moment).toBeGreaterThan(5)
      return ended(folder)
    }
    expect(end).toEqual([null, 'SIGKILL'])
    await left(folder)
    await WORK[name]!(folder)
    await ended(folder)
  }
}

const textOf = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null)

it('the record of a copy of rows is whole or missing whenever its process is killed', async () => {
  const rows = ROWS.join('')
  const rowsOf = (folder: string): string => join(folder, 'r-smoke-evidence.jsonl')
  await killAtEach('copy', {
    async left(folder) {
      const [record, copied] = [await copyRecordOf(rowsOf(folder)), await textOf(rowsOf(folder))]
      expect(rows.startsWith(copied ?? '')).toBe(true)
      // Rows without a record count as those of a run without a database, and no copy replaces them.
      if (record === null) expect(copied ?? '').toBe('')
    },
    async ended(folder) {
      expect(await copyRecordOf(rowsOf(folder))).toMatchObject({ run_id: 'r' })
      expect(await textOf(rowsOf(folder))).toBe(rows)
    },
  })
}, 60_000)

it('a new document is whole or missing whenever its process is killed', async () => {
  const document = (folder: string): Promise<string | null> => textOf(join(folder, 'corpus/lock.md'))
  await killAtEach('document', {
    left: async (folder) => expect([null, DOCUMENT]).toContain(await document(folder)),
    ended: async (folder) => expect(await document(folder)).toBe(DOCUMENT),
  })
}, 60_000)

it('a folder is a project only once it has every file, each whole, whenever its process is killed', async () => {
  const filesOf = (folder: string): Promise<(string | null)[]> =>
    Promise.all(TEMPLATE.map((file) => textOf(join(folder, 'project', file))))
  await killAtEach('project', {
    async left(folder) {
      const files = await filesOf(folder)
      for (const [at, text] of files.entries()) expect([null, TEMPLATE[at]]).toContain(text)
      if (isProject(join(folder, 'project'))) expect(files).toEqual(TEMPLATE)
    },
    ended: async (folder) => expect(await filesOf(folder)).toEqual(TEMPLATE),
  })
}, 60_000)
