import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { temporaryBase } from './temporary-base.ts'

const PLACE = '/dev/shm'
const MUCH = 2 ** 40

function hasRoom(): boolean {
  if (process.platform !== 'linux' || !existsSync(PLACE)) return false
  const { bavail, bsize } = statfsSync(PLACE)
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === PLACE)
  return bavail * bsize >= 4 * 2 ** 30 && mount !== undefined && !mount.includes('noexec')
}

it.skipIf(!hasRoom())('tests write into memory where it has room', () => {
  expect(temporaryBase(PLACE, MUCH, {})).toBe(PLACE)
})

it.each([
  ['memory is short', PLACE, 2 ** 32, {}],
  ['the place is on a disk', process.cwd(), MUCH, {}],
  ['there is no such place', '/no/such/place', MUCH, {}],
  ['the person chose a folder', PLACE, MUCH, { TMPDIR: tmpdir() }],
])('tests write into the temporary folder of the system where %s', (_why, place, memory, env) => {
  expect(temporaryBase(place, memory, env)).toBe(tmpdir())
})
