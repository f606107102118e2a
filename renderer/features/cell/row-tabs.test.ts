import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import { failedRow, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { ProvenanceTable } from './row-tabs.tsx'

const linesOf = (row: ReturnType<typeof sampleRow>): Record<string, string> =>
  Object.fromEntries(
    renderToStaticMarkup(createElement(ProvenanceTable, { row }))
      .split('</tr>')
      .map((line) => line.replace(/<\/th>/, '|').replace(/<[^>]*>/g, ''))
      .map((line) => line.split('|') as [string, string]),
  )

it('the provenance of an answer names the prompt of each part that a model wrote: name, version and digest', () => {
  const row = sampleRow()
  const graph = (prompt: string): Derivation => ({ artefact: 'graph', input: 'c0', code: 'graph 1', prompt })
  const derivations: Derivation[] = [
    graph('aa11'),
    graph('bb22'),
    { artefact: 'query', input: 'c0', code: 'query 1', model: 'chat', prompt: 'rephrase (v1) cc33' },
    { artefact: 'answer', input: 'c0', code: 'answer 2', model: 'chat', prompt: 'answer (v2) eff91a63' },
  ]
  expect(linesOf({ ...row, evidence: { ...row.evidence!, derivations } })).toMatchObject({
    row_id: row.row_id,
    'derivations.graph.prompt': 'aa11',
    'derivations.graph 2.prompt': 'bb22',
    'derivations.query.prompt': 'rephrase (v1) cc33',
    'derivations.answer.model': 'chat',
    'derivations.answer.prompt': 'answer (v2) eff91a63',
  })
})

it('a failed answer has its conditions without derivations', () => {
  const lines = linesOf(failedRow())
  expect(lines).toHaveProperty('row_id')
  expect(Object.keys(lines).filter((name) => name.startsWith('derivations'))).toEqual([])
})
