import { globSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
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

const ROOT = join(import.meta.dirname, '../..')
const AREAS = ['bin', 'build', 'charts', 'contract', 'core', 'main', 'preload', 'providers', 'renderer']

/** Files outside this folder that name a metric, and why they do. */
const NAMED: Readonly<Record<string, string>> = {
  'build/published-tables.ts': 'the metric that the tables of docs/validity.md are about',
  'core/evidence/metric-names.ts': 'a former name in stored rows and the current one',
  'main/runner/tuning/tuning-wish.ts':
    'the metric of a tuning where the project has no primary one that it can compute',
  'contract/http/evaluate.ts': 'the specified default of the evaluator',
  'main/report/aggregate/approach-tally.ts': 'the operational figures of rows, whose names the row format fixes',
  'main/report/csv/cells-csv.ts': 'the column of the CSV file',
  'main/report/publication/historical.ts':
    'the figures that snapshots of other platforms have, whose names their format fixes',
  'main/report/import-rows.ts': 'the fields of imported rows',
  'main/report/verdict/text-amounts.ts': 'the metric that the budget curve is of, by the form of the aggregate',
  'main/run-index/apply/cell-writer.ts': 'the column that holds the latency of every cell, answered or not',
  'providers/platform/evaluator/score-metric.ts':
    'the formula of each model-graded metric, which the evaluator computes',
  'core/evidence/cell-diagnosis.ts': 'the time that a cell took until its limit, a field of every row',
  'renderer/features/compare/compare-words.ts': 'the costs of the Compare page, fields of its points',
  'renderer/features/compare/compare-charts.tsx': 'the same cost on a time axis',
  'renderer/features/run/verdict-picture.tsx': 'the cost that the picture of a verdict shows',
}

const withoutComments = (source: string): string => source.replace(/\/\*.*?\*\/|^\s*\/\/[^\n]*/gms, '')

/** Metrics that a source names as a text or, unless the name is a field of every row, as the key of an object. */
const namedIn = (source: string): string[] =>
  METRICS.filter(({ id, class: metricClass }) => {
    const isField = metricClass === 'operational' || metricClass === 'judge_panel'
    return new RegExp(`['"\`]${id}['"\`]${isField ? '' : `|^\\s*${id}\\??: `}`, 'm').test(withoutComments(source))
  }).map(({ id }) => id)

it('no product file outside contract/metrics lists or names a metric, apart from formats that fix its name', () => {
  const files = globSync(`{${AREAS.join(',')}}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('contract/metrics/') && !/\.test\.tsx?$/.test(file))
  expect(files.length).toBeGreaterThan(300)
  const naming = files.filter((file) => namedIn(readFileSync(join(ROOT, file), 'utf8')).length > 0)
  expect(naming.sort()).toEqual(Object.keys(NAMED).sort())
})
