import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  fixtureDataset,
  goldenContext,
  goldenJudgments,
  goldenRows,
  streamOf,
} from '../../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { renderMatrixTable } from './matrix-table.ts'
import { displayWidth } from '../../lib/text/terminal-text.ts'

const first = fixtureDataset('subset', 'Subset', 1)
const second = fixtureDataset(
  'native',
  'A \u001b[31mvery\u001b[0m long 日本 label that does not fit a column of a table',
  2,
)
const aggregates = await Promise.all([
  aggregateRun(streamOf(goldenRows(second)), goldenContext(second)),
  aggregateRun(streamOf(goldenRows(first)), {
    ...goldenContext(first),
    judge: { state: 'read', judgments: goldenJudgments(first) },
  }),
])

/** The first table, its lines joined. */
const unwrapped = (columns: number): string => renderMatrixTable([aggregates[1]], { columns }).replace(/\n +/g, ' ')

describe('renderMatrixTable', () => {
  it.each([200, 100, 80, 60])('has no line wider than %i columns', (columns) => {
    const lines = renderMatrixTable(aggregates, { columns }).split('\n')
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns)
  })

  it('writes no escape code without colour, and the same text with it', () => {
    const plain = renderMatrixTable(aggregates)
    expect(plain).not.toContain('\u001b')
    const colored = renderMatrixTable(aggregates, { color: true })
    expect(colored).toContain('\u001b[38;2;0;114;178m■')
    expect(stripVTControlCharacters(colored)).toBe(plain)
  })

  it('prints under the table which metric is primary, and that grades of rules rank no approach', () => {
    const ruled = structuredClone(aggregates[1])
    ruled.reproducibility!.runtime.models!.roles['evaluator'] = { backend: 'builtin', model: 'rule-critic' }
    const lines = renderMatrixTable([ruled], { columns: 200 }).split('\n')
    expect(lines).toContain('points covered is the primary metric, every other one is exploratory')
    expect(lines).toContain('faithfulness, answer relevancy: graded by built-in rules, rank no approach')
    expect(renderMatrixTable([aggregates[1]], { columns: 200 })).not.toContain('built-in rules')
  })

  it('recognizes grades by rules from the evaluator’s answers where the run has no list of models', () => {
    const ruled = structuredClone(aggregates[1])
    ruled.reproducibility!.runtime.models = null
    for (const { evaluation } of ruled.approaches) evaluation.evaluator_models = ['rule-critic']
    const lines = renderMatrixTable([ruled], { columns: 200 }).split('\n')
    expect(lines).toContain('faithfulness, answer relevancy: graded by built-in rules, rank no approach')
  })

  it('shows an unavailable alias with its reason and no number', () => {
    const lines = renderMatrixTable(aggregates).split('\n')
    const agentic = lines.filter((line) => line.startsWith('■ agentic-rag') || line.includes(' agentic-rag  '))
    expect(agentic).toHaveLength(2)
    for (const line of agentic) {
      expect(line).toContain('unavailable: the graph engine is not running')
      expect(line).not.toMatch(/\d/)
    }
  })

  it('shows a metric without scores as a hatched gap with its count', () => {
    const graph = renderMatrixTable(aggregates, { columns: 120 })
      .split('\n')
      .find((line) => line.includes('graph-rag'))!
    expect(graph).toMatch(/○ +╱+ +0\/8/)
  })

  it('a narrow table reports what it omits and the width that shows it', () => {
    const needed = Number(/80 columns have no room for .*: a\s+terminal of (\d+) shows/.exec(unwrapped(80))?.[1])
    expect(needed).toBeGreaterThan(80)
    expect(unwrapped(80)).toContain('no room for')
    expect(unwrapped(needed + 20)).not.toContain('no room for')
  })

  it('explains the signs that it shows, and no others', () => {
    const text = renderMatrixTable([aggregates[1]], { columns: 200 })
    const legend = text.slice(text.lastIndexOf('\n\n'))
    // A head such as "judges 1–5" is not a sign.
    const table = text.slice(0, -legend.length).replaceAll(/\d–\d/g, '')
    for (const sign of ['●', '◐', '○', '▲', '⏱', '–', '✕', '≠'])
      expect([sign, legend.includes(`${sign} `)]).toEqual([sign, table.includes(sign)])
  })

  it('goes up the ladder whatever order the aggregates come in', () => {
    const text = renderMatrixTable(aggregates)
    expect(text.indexOf('Subset')).toBeLessThan(text.indexOf('A very long'))
    expect(text).toContain('points covered≠ up the ladder')
    expect(renderMatrixTable([...aggregates].reverse())).toBe(text)
  })

  it('leads with the primary metric at every width, and with the first one that is scored where a run has none', () => {
    const heads = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('  approach '))
    for (const columns of [80, 100, 200])
      for (const head of heads(renderMatrixTable([aggregates[1]], { columns })))
        expect(head).toMatch(/^ {2}approach +answers +points covered≠ /)
    const unscored = structuredClone(aggregates[1])
    unscored.comparisons = null
    expect(heads(renderMatrixTable([unscored]))[0]).toMatch(/^ {2}approach +answers +points covered≠ /)
  })
})
