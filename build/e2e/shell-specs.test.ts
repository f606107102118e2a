import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAST_SPECS } from '../../tests/e2e/fast-specs.ts'
import {
  DESKTOP_ONLY,
  FAST_DESKTOP_SPECS,
  REPEATED_IN_CI,
  SHELL_SPECS,
  shellSpecTitles,
} from '../../tests/e2e/shell-specs.ts'

const FOLDER = join(import.meta.dirname, '../../tests/e2e')
const sourceOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

/** Titles of a spec's tests as its file writes them, placeholders included. */
const titlesOf = (file: string): string[] =>
  [...sourceOf(file).matchAll(/\btest\(\s*(['"`])(.*?)\1,/gs)].map(([, , title]) => title!)

const LISTS = { SHELL_SPECS, FAST_SPECS, FAST_DESKTOP_SPECS }

describe.each(Object.entries(LISTS))('%s', (_, specs) => {
  const NAMED = specs.map(({ file, title }) => [file, title ?? ''] as const)

  it.each(NAMED)('names a test that exists: %s %s', (file, title) => {
    expect(titlesOf(file).filter((written) => written.includes(title))).not.toEqual([])
  })

  it('has tests', () => expect(specs.length).toBeGreaterThan(3))

  it('names no test twice', () => {
    const named = specs.flatMap(({ file, title = '' }) =>
      titlesOf(file).flatMap((written) => (written.includes(title) ? [`${file} ${written}`] : [])),
    )
    expect(named).toEqual([...new Set(named)])
  })
})

it('finds the titles of every spec file', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.spec.ts'))
  expect(files.filter((file) => titlesOf(file).length === 0)).toEqual([])
})

describe('shellSpecTitles', () => {
  const isRepeated = (title: string, tier: 'fast' | 'full' = 'full'): boolean =>
    shellSpecTitles(tier).some((pattern) => pattern.test(title))

  it('matches what runs in Electron only, all of a named file, and of others the named tests', () => {
    expect(DESKTOP_ONLY).toBe('desktop-*.spec.ts')
    expect(isRepeated('electron desktop-life.spec.ts an app that is killed leaves no process running')).toBe(true)
    expect(isRepeated('electron escape.spec.ts anything')).toBe(true)
    expect(isRepeated('electron screens.spec.ts an open cell and its evidence diff')).toBe(true)
    expect(isRepeated('electron screens.spec.ts home shows, and axe finds nothing serious')).toBe(false)
    expect(isRepeated('electron models.spec.ts a service is connected')).toBe(false)
  })

  it('leaves to CI what the browser shows as well, and never what holds a page back', () => {
    expect(isRepeated('electron desktop-life.spec.ts an app that is killed leaves no process running', 'fast')).toBe(
      true,
    )
    expect(isRepeated('electron escape.spec.ts anything', 'fast')).toBe(true)
    expect(isRepeated('electron matrix.spec.ts is shown as text: no element, no live link, nothing runs', 'fast')).toBe(
      true,
    )
    expect(isRepeated('electron help.spec.ts anything', 'fast')).toBe(false)
    expect(isRepeated('electron desktop-dev.spec.ts anything')).toBe(true)
    expect(isRepeated('electron desktop-dev.spec.ts anything', 'fast')).toBe(false)
    expect(REPEATED_IN_CI.map(({ file }) => file)).not.toContain('escape.spec.ts')
  })
})
