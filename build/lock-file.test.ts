import { describe, expect, it } from 'vitest'
import { lockFileGaps, platformGaps } from './lock-file.ts'

const build = (os: string, cpu: string) => ({ optional: true, os: [os], cpu: [cpu] })
const complete = {
  'node_modules/native': {
    optionalDependencies: { 'n-mac': '1', 'n-mac-intel': '1', 'n-linux': '1', 'n-windows': '1' },
  },
  'node_modules/n-mac': build('darwin', 'arm64'),
  'node_modules/n-mac-intel': build('darwin', 'x64'),
  'node_modules/n-linux': build('linux', 'x64'),
  'node_modules/n-windows': build('win32', 'x64'),
}

describe('platformGaps', () => {
  it('finds nothing missing in a complete family, or where nothing is native', () => {
    expect(platformGaps(complete)).toEqual([])
    expect(
      platformGaps({ 'node_modules/plain': { optionalDependencies: { other: '1' } }, 'node_modules/other': {} }),
    ).toEqual([])
  })

  it('names a system without a build, and a build that the lock file lacks', () => {
    const { 'node_modules/n-windows': _windows, ...without } = complete
    expect(platformGaps(without)).toEqual([
      'node_modules/native wants n-windows, which the lock file lacks',
      'node_modules/native has no build for win32 x64 in the lock file',
    ])
  })
})

it('the real lock file has every build', async () => {
  expect(await lockFileGaps()).toEqual([])
})
