import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { METRICS } from '../contract/metrics/metrics.ts'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'
import { withMetrics } from './glossary.ts'

it('the glossary gets a metric inside its table, in the order of the alphabet', () => {
  const [first] = METRICS
  const { label, definition } = first
  const text = withMetrics(
    '# Glossary\n\nWords.\n\n| Word | Meaning |\n|---|---|\n| zebra | last |\n| aardvark | first |\n',
  )
  const lines = text.split('\n')
  expect(lines.slice(0, 7)).toEqual([
    '# Glossary',
    '',
    'Words.',
    '',
    '| Word | Meaning |',
    '|---|---|',
    '| aardvark | first |',
  ])
  expect(lines.slice(-2)).toEqual(['| zebra | last |', ''])
  expect(lines).toContain(`| ${label} | ${definition} |`)
  expect(withMetrics(text)).toBe(text)
})

it('the glossary of the project is one table, with no word twice', async () => {
  const lines = (await readFile(join(PROJECT_ROOT, 'docs/GLOSSARY.md'), 'utf8')).trimEnd().split('\n')
  const start = lines.indexOf('|---|---|')
  expect(lines.findIndex((line) => line.startsWith('|'))).toBe(start - 1)
  const words = lines.slice(start + 1).map((line) => /^\| (.+?) \| .+ \|$/.exec(line)?.[1])
  expect(words).not.toContain(undefined)
  expect(new Set(words).size).toBe(words.length)
})

it('a glossary without a table is refused', () => {
  expect(() => withMetrics('# Glossary\n')).toThrow('has no table')
})
