import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DESKTOP_ONLY, SHELL_SPECS, shellSpecTitles } from '../../tests/e2e/shell-specs.ts'

const FOLDER = join(import.meta.dirname, '../../tests/e2e')
const sourceOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

/** Titles of a spec's tests as its file writes them, placeholders included. */
const titlesOf = (file: string): string[] =>
  [...sourceOf(file).matchAll(/\btest\(\s*(['"`])(.*?)\1,/gs)].map(([, , title]) => title!)

describe('SHELL_SPECS', () => {
  const NAMED = SHELL_SPECS.map(({ file, title }) => [file, title ?? ''] as const)

  it.each(NAMED)('names a test that exists: %s %s', (file, title) => {
    expect(titlesOf(file).filter((written) => written.includes(title))).not.toEqual([])
  })

  it('names no test twice', () => {
    const named = SHELL_SPECS.flatMap(({ file, title = '' }) =>
      titlesOf(file).flatMap((written) => (written.includes(title) ? [`${file} ${written}`] : [])),
    )
    expect(named).toEqual([...new Set(named)])
  })

  it('finds the titles of every spec file', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.spec.ts'))
    expect(files.filter((file) => titlesOf(file).length === 0)).toEqual([])
  })
})

describe('shellSpecTitles', () => {
  const isRepeated = (title: string): boolean => shellSpecTitles().some((pattern) => pattern.test(title))

  it('matches what runs in Electron only, all of a named file, and of others the named tests', () => {
    expect(DESKTOP_ONLY).toBe('desktop-*.spec.ts')
    expect(isRepeated('electron desktop-life.spec.ts an app that is killed leaves no process running')).toBe(true)
    expect(isRepeated('electron escape.spec.ts anything')).toBe(true)
    expect(isRepeated('electron screens.spec.ts home shows, and axe finds nothing serious')).toBe(true)
    expect(isRepeated('electron screens.spec.ts the command palette')).toBe(false)
    expect(isRepeated('electron models.spec.ts a service is connected')).toBe(false)
  })
})
