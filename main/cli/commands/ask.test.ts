import { expect, it } from 'vitest'
import type { CellAnswer } from '../../runner/cells/call-approach.ts'
import { askedLines, askedOf } from './ask.ts'

const attempts = [{ outcome: 'ok' as const, latency_ms: 12, http_status: 200, message: null, waited_ms: 0 }]
type Evidence = Extract<CellAnswer, { ok: true }>['evidence']
const answered = (part: Partial<Evidence>): CellAnswer => ({
  ok: true,
  attempts,
  contextText: null,
  isCut: false,
  isUnsearched: false,
  evidence: {
    answer: 'The Quay Trust.',
    contexts: [],
    sources: [],
    token_usage: null,
    server_metrics: null,
    response_id: null,
    response_model: null,
    raw_content: 'The Quay Trust.',
    transport: 'structured',
    ...part,
  },
})

const marker = { title: 'knowledge graph (hybrid)', snippet: '', score: 1 }
const used = {
  title: 'lock.md',
  snippet: 'The Quay…',
  score: 0.5,
  text: 'The Quay Trust keeps the lock.',
  document: 'a/lock.md',
}

it('prints the passages that an engine reports as used where an answer has no contexts', () => {
  const asked = askedOf('graph-rag', answered({ sources: [marker], used_passages: [used] }))
  expect([...askedLines(asked)]).toEqual([
    'graph-rag  12 ms, 1 passage that the engine reports as used',
    '  The Quay Trust.',
    '    [1] a/lock.md: The Quay Trust keeps the lock.',
    '',
  ])
  expect(asked).toMatchObject({
    sources: [{ rank: 1, source: 'knowledge graph (hybrid)', text: '' }],
    used_passages: [{ rank: 1, source: 'a/lock.md', text: 'The Quay Trust keeps the lock.' }],
  })
})

it('prints that no passage is reported where an engine names none', () => {
  const asked = askedOf('graph-rag', answered({ sources: [marker] }))
  expect([...askedLines(asked)]).toEqual([
    'graph-rag  12 ms, 1 source',
    '  The Quay Trust.',
    '    [1] knowledge graph (hybrid), no passage reported',
    '',
  ])
  expect(asked.used_passages).toEqual([])
})

it('prints each context whole in JSON, not its snippet', () => {
  const asked = askedOf(
    'hybrid-rag',
    answered({ contexts: ['The whole passage.'], sources: [{ title: 'Fees', snippet: 'The whole…', score: 1 }] }),
  )
  expect(asked.sources).toEqual([{ rank: 1, source: 'Fees', text: 'The whole passage.' }])
})
