import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { excludedFiles, isLeftToCi, LEFT_TO_CI, runTitles } from './left-to-ci.ts'
import { TIER_VARIABLE } from './test-tier.ts'

const tracked = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).split('\n')
const testFiles = tracked.filter((file) => file.endsWith('.test.ts') && file !== 'build/left-to-ci.test.ts')

const texts = new Map(
  [...testFiles, 'tests/helpers/platform-databases.ts'].map((file) => [file, readFileSync(file, 'utf8')]),
)
const read = (file: string): string => texts.get(file) ?? ''

const left = LEFT_TO_CI.flatMap(({ files = [] }) => files)
const titles = LEFT_TO_CI.flatMap(({ titles: byFile = {} }) =>
  Object.entries(byFile).flatMap(([file, parts]) => parts.map((part) => ({ file, part }))),
)

describe('what the fast tier leaves to CI', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('names files that exist, each once', () => {
    expect(left.filter((file) => !testFiles.includes(file))).toEqual([])
    expect(left).toHaveLength(new Set(left).size)
  })

  it('keeps tests of each area, none of them in a file that is left out', () => {
    for (const { guards, what } of LEFT_TO_CI) {
      expect(guards.length, what).toBeGreaterThan(0)
      expect(
        guards.filter((file) => !testFiles.includes(file) || left.includes(file)),
        what,
      ).toEqual([])
    }
  })

  it('names titles that their file has, and that no test of another file has', () => {
    expect(titles.filter(({ file, part }) => !read(file).includes(part))).toEqual([])
    const elsewhere = titles.filter(({ file, part }) =>
      testFiles.some((other) => other !== file && read(other).includes(part)),
    )
    expect(elsewhere).toEqual([])
  })

  it('is left out of a fast run of all tests, and of no other', () => {
    const title = `a door ${titles[0]!.part} and more`
    vi.stubEnv('CI', '')
    for (const tier of ['full', '']) {
      vi.stubEnv(TIER_VARIABLE, tier)
      expect(excludedFiles()).toEqual([])
      expect(runTitles()).toBeUndefined()
      expect(isLeftToCi(title)).toBe(false)
    }
    vi.stubEnv(TIER_VARIABLE, 'fast')
    expect(excludedFiles()).toEqual(left)
    expect(isLeftToCi(title)).toBe(true)
    expect(runTitles()!.test(title)).toBe(false)
    expect(runTitles()!.test('a verdict names the leader')).toBe(true)
  })

  it('is nothing in CI, whatever the variable holds', () => {
    vi.stubEnv('CI', 'true')
    vi.stubEnv(TIER_VARIABLE, 'fast')
    expect(excludedFiles()).toEqual([])
    expect(runTitles()).toBeUndefined()
  })
})
