import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { FUZZ_TIMES, hostileArchive, MOST_MS, MOST_UNPACKED_BYTES } from '../../../tests/helpers/hostile-archives.ts'
import { timesOf } from '../../../tests/helpers/repetitions.ts'
import { portablePathProblem } from './portable-path.ts'
import { unpackZip, ZipFileError } from './zip-files.ts'

const ARCHIVES = timesOf('a hostile archive is unpacked into a folder') * FUZZ_TIMES

describe('unpackZip', () => {
  it(
    `takes ${ARCHIVES} hostile archives: each is unpacked within its folder or refused by its path`,
    async () => {
      const root = await temporaryFolder('hostile-zip')
      const file = join(root, 'a.zip')
      let refused = 0
      for (let number = 0; number < ARCHIVES; number += 1) {
        const out = join(root, 'deep', 'out')
        await mkdir(out, { recursive: true })
        await writeFile(file, hostileArchive(number))
        const startedAt = performance.now()
        const outcome = await unpackZip(file, out, portablePathProblem).catch((error: unknown) => error)
        const what = `archive ${number}`
        if (!Array.isArray(outcome)) {
          refused += 1
          expect(outcome, what).toBeInstanceOf(ZipFileError)
          expect((outcome as Error).message, what).toContain(file)
        }
        expect(performance.now() - startedAt, what).toBeLessThan(MOST_MS)
        const entries = await readdir(root, { recursive: true, withFileTypes: true })
        const outside = entries.filter(({ parentPath, name }) => !`${join(parentPath, name)}/`.startsWith(`${out}/`))
        expect(outside.map(({ name }) => name).toSorted(), what).toEqual(['a.zip', 'deep'])
        const written = entries.filter(({ parentPath }) => parentPath.startsWith(out))
        expect(
          written.filter((entry) => !entry.isFile() && !entry.isDirectory()),
          what,
        ).toEqual([])
        const sizes = await Promise.all(
          written.map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).size),
        )
        expect(Math.max(0, ...sizes), what).toBeLessThan(MOST_UNPACKED_BYTES)
        await rm(out, { recursive: true })
      }
      expect(refused).toBeGreaterThan(ARCHIVES / 2)
      expect(refused).toBeLessThan(ARCHIVES)
    },
    60_000 * FUZZ_TIMES,
  )
})
