import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { BaseApproach } from '../contract/approaches.ts'
import { METRICS } from '../contract/metrics/metrics.ts'
import { isMethodsPageCurrent } from './glossary.ts'
import { METHODS, relationSentence } from './methods.ts'

it('every approach and every graded metric states what it follows, what is the same and what differs', () => {
  const graded = METRICS.filter((metric) => metric.class === 'ragas' || metric.class === 'judge_panel')
  const statements = [...BaseApproach.options.map((base) => METHODS[base]), ...graded.map(({ method }) => method)]
  expect(graded.length).toBeGreaterThan(3)
  for (const { same, differs, relation } of statements)
    expect([same.length > 0, relation === 'faithful' || differs.length > 0]).toEqual([true, true])
})

it.each(BaseApproach.options)('the file of %s begins with its relation to the published method', async (base) => {
  const file = new URL(`../providers/platform/rag/approaches/${base.replace(/-rag$/, '')}.ts`, import.meta.url)
  expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(
    `// ${relationSentence(METHODS[base])} See docs/methods.md.`,
  )
})

it('docs/methods.md has every method in the words of the table', async () => {
  expect(await isMethodsPageCurrent()).toBe(true)
})
