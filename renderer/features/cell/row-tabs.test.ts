import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import { ProvenanceTable } from './row-tabs.tsx'

const rowWith = (evidence: { derivations: Derivation[] } | null) =>
  ({ row_id: 'r1', approach: { model: 'vanilla-rag' }, reproducibility: {}, evidence }) as unknown as CanonicalRow
const linesOf = (row: CanonicalRow): Record<string, string> =>
  Object.fromEntries(
    renderToStaticMarkup(createElement(ProvenanceTable, { row }))
      .split('</tr>')
      .map((line) => line.replace(/<\/th>/, '|').replace(/<[^>]*>/g, ''))
      .map((line) => line.split('|') as [string, string]),
  )

it('the provenance of an answer names the prompt of each part that a model wrote: name, version and digest', () => {
  const graph = (prompt: string): Derivation => ({ artefact: 'graph', input: 'c0', code: 'graph 1', prompt })
  const derivations: Derivation[] = [
    graph('aa11'),
    graph('bb22'),
    { artefact: 'query', input: 'c0', code: 'query 1', model: 'chat', prompt: 'rephrase (v1) cc33' },
    { artefact: 'answer', input: 'c0', code: 'answer 2', model: 'chat', prompt: 'answer (v2) eff91a63' },
  ]
  expect(linesOf(rowWith({ derivations }))).toMatchObject({
    row_id: 'r1',
    'derivations.graph.prompt': 'aa11',
    'derivations.graph 2.prompt': 'bb22',
    'derivations.query.prompt': 'rephrase (v1) cc33',
    'derivations.answer.model': 'chat',
    'derivations.answer.prompt': 'answer (v2) eff91a63',
  })
})

it('a failed answer has its conditions without derivations', () => {
  const lines = linesOf(rowWith(null))
  expect(lines).toHaveProperty('row_id')
  expect(Object.keys(lines).filter((name) => name.startsWith('derivations'))).toEqual([])
})
