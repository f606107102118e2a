import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { FUZZ_TIMES, hostileArchive, MOST_MS, MOST_UNPACKED_BYTES } from '../../../tests/helpers/hostile-archives.ts'
import { timesOf } from '../../../tests/helpers/repetitions.ts'
import { ConversionError } from '../model/conversion-error.ts'
import { entryNames, openArchive } from './archive.ts'

const ARCHIVES = timesOf('a hostile archive is unpacked in memory') * FUZZ_TIMES

describe('openArchive', () => {
  it(
    `takes ${ARCHIVES} hostile archives: each is unpacked in little memory or refused with a reason`,
    () => {
      let refused = 0
      for (let number = 0; number < ARCHIVES; number += 1) {
        const archive = hostileArchive(number)
        const startedAt = performance.now()
        entryNames(archive)
        try {
          const parts = Object.values(openArchive(archive))
          expect(parts.every((part) => part instanceof Uint8Array)).toBe(true)
          expect(parts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(MOST_UNPACKED_BYTES)
        } catch (error) {
          refused += 1
          if (!(error instanceof ConversionError)) throw new Error(`archive ${number}`, { cause: error })
        }
        expect(performance.now() - startedAt, `archive ${number}`).toBeLessThan(MOST_MS)
      }
      expect(refused).toBeGreaterThan(ARCHIVES / 2)
      expect(refused).toBeLessThan(ARCHIVES)
    },
    60_000 * FUZZ_TIMES,
  )
  it('has no part that the archive does not have, whatever name is asked for', () => {
    const parts = openArchive(zipSync({ 'a.txt': strToU8('x') }))
    expect([parts['constructor'], parts['__proto__'], parts['a.txt']?.length]).toEqual([undefined, undefined, 1])
  })
})
