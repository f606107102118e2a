import { describe, expect, it } from 'vitest'
import { renderContent } from '../../providers/platform/rag/response/render-content.ts'
import { parseRenderedEvidence } from './rendered-evidence.ts'

const metrics = { seconds: 1.25, chunks: 2, llm_calls: 1, cloud_calls: 0 }

describe('parseRenderedEvidence', () => {
  it('reads back what the plugin renders, whatever stands in the documents', () => {
    const sources = [
      { title: 'a & b.md', snippet: 'x < y </details> **bold** (score 1)', score: 0.875 },
      { title: 'c.md', snippet: 'second', score: -0.25 },
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
})
