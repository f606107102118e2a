import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { temporaryParent } from './temporary-folder.ts'

const LARGE = {
  mounts: '/dev/vda / ext4 rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n',
  freeBytes: 8e9,
  memoryBytes: 16e9,
  chosen: undefined,
}

it('keeps temporary files in memory where that is large enough', () => {
  expect(temporaryParent(LARGE)).toBe('/dev/shm')
})

it.each([
  ['is small, as in a container', { freeBytes: 64e6 }],
  ['would take the memory of the tests', { memoryBytes: 8e9 }],
  ['starts no programs', { mounts: 'shm /dev/shm tmpfs rw,nosuid,nodev,noexec 0 0\n' }],
  ['does not exist', { mounts: '' }],
  ['was not chosen by the user', { chosen: '/scratch' }],
])('keeps temporary files on disk where the folder in memory %s', (_what, changes) => {
  expect(temporaryParent({ ...LARGE, ...changes })).toBe(tmpdir())
})
