import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvidenceLog } from '../../main/evidence/open-evidence-log.ts'
import { writeAtomic, writeNew } from '../../main/lib/files/write-atomic.ts'
import { claimFree, openLog, temporaryLogFile } from '../helpers/evidence-files.ts'
import { sampleRow } from '../helpers/evidence-rows.ts'
import { failingDisk, systemError, type DiskFaults } from '../helpers/failing-disk.ts'
import { smokeProject } from '../helpers/cli.ts'
import { programFile } from '../helpers/program.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'system-limits-'))
})
afterAll(() => rm(folder, { recursive: true }))

const FULL = 'the disk is full: free space on it, then run this again'

describe('a full disk', () => {
  it('under a row is named with the file and what to do', async () => {
    const file = await temporaryLogFile()
    const faults: DiskFaults = {}
    const log = await openLog(file, { ops: failingDisk(faults) })
    faults.write = () => {
      throw systemError('ENOSPC')
    }
    const row = sampleRow({ question: 'q1' })
    const { claim } = await claimFree(log, row.row_id)
    await expect(log.append(claim, row)).rejects.toThrow(`cannot write to ${file}: ${FULL}`)
    await log.close()
  })

  it('under a report is an error that names its file, and leaves the report that was there', async () => {
    const [path, fresh] = [join(folder, 'report.md'), join(folder, 'fresh.md')]
    await writeFile(path, 'before')
    // eslint-disable-next-line require-yield -- the disk fails before the first piece
    const content = (function* (): Generator<string> {
      throw systemError('ENOSPC')
    })()
    await expect(writeAtomic(path, content)).rejects.toMatchObject({ code: 'ENOSPC', path })
    expect(await readFile(path, 'utf8')).toBe('before')
    await writeNew(fresh, 'x')
    await expect(writeNew(fresh, 'y')).rejects.toMatchObject({ code: 'EEXIST', path: fresh })
  })
})

describe('too few open files', () => {
  it('at the opening of evidence are named with the file and what to do', async () => {
    const file = await temporaryLogFile()
    const open = (): void => {
      throw systemError('EMFILE')
    }
    expect(await openEvidenceLog(file, { runId: 'r', create: true, ops: failingDisk({ open }) })).toMatchObject({
      ok: false,
      refusal: {
        message: `${file}: too few files may be open at once on this system or in this session`,
        remedy: 'raise the limit (ulimit -n 1024), then start again',
      },
    })
  })

  // With fewer Node cannot read the program itself.
  it.skipIf(process.platform === 'win32').each([40, 48])(
    'end a run under ulimit -n %i with the limit, never with permissions, a class name or a stack',
    async (most) => {
      const project = await smokeProject()
      const args = ['ladder', '--project', project, '--dataset', 'smoke', '--models', 'vanilla-rag', '--no-cold-reset']
      const command = `ulimit -n ${most}; exec "$0" "$@"`
      const said = await new Promise<string>((resolve) =>
        execFile(
          '/bin/sh',
          ['-c', command, process.execPath, programFile('bin/rag-ladder.mjs'), ...args],
          { env: { ...process.env, NO_COLOR: '1', COLUMNS: '400', PLATFORM_PORT: '0' } },
          (_error, stdout, stderr) => resolve(stdout + stderr),
        ),
      )
      await rm(project, { recursive: true })
      expect(said).toMatch(/too few files may be open at once/)
      expect(said).not.toMatch(/permissions|\w+Error:|unexpected:|\n\s+at /)
    },
  )
})
