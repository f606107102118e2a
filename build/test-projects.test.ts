import { execFileSync } from 'node:child_process'
import { matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import config from '../vitest.config.ts'

it('every test file belongs to a project of the configuration, so that none is forgotten', () => {
  const { test } = config as { test: { projects: { test: { include: string[] } }[] } }
  const patterns = test.projects.flatMap((project) => project.test.include)
  const files = execFileSync('git', ['ls-files', '*.test.ts'], { encoding: 'utf8' }).split('\n').filter(Boolean)
  expect(files.length).toBeGreaterThan(400)
  expect(files.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern)))).toEqual([])
})
