import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { CallTimes } from './call-times.tsx'

const usage = { model: 'chat', cloud: true, calls: 2, unreported: 0, input_tokens: 900, output_tokens: 80 }
const usedIn = (model_usage: object[], cost: { amount: number; unknown: string[] }): string =>
  renderToStaticMarkup(
    createElement(CallTimes, {
      operational: {
        latency_ms: 840,
        queue_ms: 0,
        attempts: [],
        token_usage: { prompt_tokens: 900, completion_tokens: 80, total_tokens: 980 },
        server: { seconds: 0.8, chunks: 3, llm_calls: 2, cloud_calls: 2, model_usage },
      } as unknown as CanonicalRow['metrics']['operational'],
      cost: { answer: { currency: 'USD', ...cost }, grading: { currency: 'USD', amount: 0, unknown: [] } },
    }),
  )
    .replace(/<svg.*?<\/svg>/g, '')
    .replace(/.*<p>(.*?)<\/p>.*/, '$1')

it('an answer shows its tokens, those of a cache, and its cost', () => {
  expect(usedIn([{ ...usage, cached_input_tokens: 300 }], { amount: 0.0042, unknown: [] })).toBe(
    '3 chunks in the prompt · 2 model calls (2 in the cloud) · 900 tokens in (300 of them from a cache), 80 out · 0.0042 USD',
  )
})

it('tokens that a service does not report are marked as estimated, with what is known of the cost', () => {
  expect(usedIn([{ ...usage, estimated: 2 }], { amount: 0.0042, unknown: ['chat reports no tokens'] })).toContain(
    '900 tokens in, 80 out (estimated) · at least 0.0042 USD',
  )
})

it('an answer has no cost where no price is known, and where no model was paid', () => {
  expect(usedIn([usage], { amount: 0, unknown: ['no price for chat'] })).toMatch(/80 out$/)
  expect(usedIn([{ ...usage, cloud: false }], { amount: 0, unknown: [] })).toMatch(/80 out$/)
})
