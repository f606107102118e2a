import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { METRICS } from './metrics.ts'

const file = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

it('every file of a metric is listed once, under the name of its metric', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => !/^metrics?[.]/.test(name))
  expect(files.sort()).toEqual(METRICS.map(({ id }) => `${id.replaceAll('_', '-')}.ts`).sort())
})

it('the glossary defines every metric in the words of its descriptor', () => {
  const rows = file('../../docs/GLOSSARY.md').split('\n')
  for (const { label, definition } of METRICS) expect(rows).toContain(`| ${label} | ${definition} |`)
})

it('the metrics of a class are listed together', () => {
  expect(
    Map.groupBy(METRICS, (metric) => metric.class)
      .values()
      .toArray()
      .flat(),
  ).toEqual(METRICS)
})
