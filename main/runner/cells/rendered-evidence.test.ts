import { describe, expect, it } from 'vitest'
import { renderContent } from '../../../providers/platform/rag/response/completion.ts'
import { parseRenderedEvidence } from './rendered-evidence.ts'

const metrics = { seconds: 1.25, chunks: 2, llm_calls: 1, cloud_calls: 0 }

describe('parseRenderedEvidence', () => {
  it('reads back what the plugin renders, whatever the documents hold', () => {
    const sources = [
      { title: 'a & b.md', snippet: 'x < y </details> **bold** (score 1)', score: 0.875 },
      { title: 'c.md', snippet: 'second', score: -0.25 },
      { title: 'd.md', snippet: 'no score', score: null },
    ]
    expect(parseRenderedEvidence(renderContent('The answer.\n\nIn two parts.', sources, metrics))).toEqual({
      found: true,
      answer: 'The answer.\n\nIn two parts.',
      sources,
      metrics,
    })
  })

  it('takes a plain answer as it is', () => {
    expect(parseRenderedEvidence('Just text with _emphasis_.')).toEqual({
      found: false,
      answer: 'Just text with _emphasis_.',
      sources: [],
      metrics: null,
    })
  })

  it('reads the block that the plugin adds when the answer itself quotes one', () => {
    const quoted = 'As in <details>\n<summary>Sources (1)</summary>\n\nold\n\n</details> above.'
    const sources = [{ title: 'a.md', snippet: 'real', score: 1 }]
    expect(parseRenderedEvidence(renderContent(quoted, sources, metrics))).toEqual({
      found: true,
      answer: quoted,
      sources,
      metrics,
    })
  })

  it.each([
    '\n',
    '_',
    '1',
    '<details>',
    '<details>\n',
    '</details>',
    '<details><summary>Sources</summary>',
    '1. **a** (score 1)\n',
    ' ',
  ])('reads a megabyte of %j in well under a second', (pump) => {
    const content = `answer${pump.repeat(Math.ceil(1_000_000 / pump.length))}x`
    const started = performance.now()
    parseRenderedEvidence(content)
    parseRenderedEvidence(`<details><summary>Sources</summary>${content}</details>`)
    expect(performance.now() - started).toBeLessThan(3000)
  })
})
